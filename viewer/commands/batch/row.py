"""What is known of a pair after it was computed."""

from typing import TypedDict


class Row(TypedDict):
    """What is known of a pair.

    Attributes:
        pair: its name.
        width, height: in pixels; 0 if it could not be read.
        read_ms, compute_ms, write_ms: milliseconds that each part took.
        density: how much of it has a value, in per cent.
        confidence: mean of what has a disparity, in per cent; None: not computed.
        rows_off: by how many rows the views are apart, in pixels; None: not measured.
        warnings: one-line remarks.
        worker, device: who computed it.
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
