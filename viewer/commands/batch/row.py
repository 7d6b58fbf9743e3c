"""Define the table row that describes a computed pair."""

from typing import TypedDict


class Row(TypedDict):
    """The table row of a pair.

    Attributes:
        pair: its name.
        width, height: in pixels; 0 if it could not be read.
        read_ms, compute_ms, write_ms: duration of each part in milliseconds.
        density: share of the pixels that have a value, in per cent.
        confidence: mean over the pixels that have a disparity, in per cent; None: not computed.
        rows_off: vertical offset between the views, in pixels; None: not measured.
        warnings: one-line remarks.
        worker, device: the worker and the processor that computed it.
        files: bytes of every file written, by its name in the folder.
        changed: when each was last changed, in nanoseconds since 1970.
    """

    pair: str
    width: int
    height: int
    read_ms: float
    compute_ms: float
    write_ms: float
    density: float | None
    confidence: float | None
    rows_off: float | None
    warnings: str
    worker: str
    device: str
    files: dict[str, int]
    changed: dict[str, int]
