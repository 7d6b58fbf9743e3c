"""Measurements, one per variant and configuration, and their conversion to and from JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wheatstone.gpu.analysis.cold_start import ColdStart
from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.gpu.analysis.measurement import Measurement, Times
from wheatstone.gpu.analysis.roofline import StagePoint
from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.run.measuring.row_types import DifferenceDict, Identity, RowDict, TimesDict
from wheatstone.viewer.run.measuring.sweep import REFERENCE, Configuration

BASES = ("cpu", REFERENCE)
"""The variants with which the fastest one is compared: the first of them that was timed."""
RIGHT = ("identical", "reference")


@dataclass(frozen=True)
class MeasuredRow:
    """The measurement of one variant at one configuration, a row of the result table.

    Attributes:
        identity: how the variant's result compares with the reference's.
        differences: one for each image that differs from the reference's.
        measurement: None if the variant could not run; ``why`` then gives the reason.
        points: performance of the stages that were timed one by one.
        copy: gigabytes per second that a plain copy moves on the variant's device.
        memory: bytes of the images that the variant keeps on its device; None if unknown.
        command: the command line that measures the row again.
    """

    configuration: Configuration
    variant: Variant
    identity: Identity
    differences: tuple[Difference, ...] = ()
    measurement: Measurement | None = None
    why: str = ""
    cold: ColdStart | None = None
    points: tuple[StagePoint, ...] = ()
    copy: float | None = None
    memory: int | None = None
    command: str = ""

    @property
    def milliseconds(self) -> float | None:
        """Return the median compute time of a frame; None if the variant was not measured."""
        return self.measurement.device.median if self.measurement else None

    @property
    def rate(self) -> float | None:
        """Compute the work done per second, in the pipeline's unit."""
        if not self.milliseconds:
            return None
        one = self.configuration
        return one.pipeline.work.amount(one.params, one.height, one.width) / self.milliseconds * 1e3

    @property
    def gigabytes(self) -> float | None:
        """Return the GB/s of all accesses to declared images; None if unmeasured or external."""
        if not self.measurement or not self.milliseconds or self.variant.peer:
            return None
        return sum(self.measurement.nbytes.values()) / self.milliseconds / 1e6

    @property
    def share(self) -> float | None:
        """Return the rate of image accesses, relative to that of a plain copy; None if unknown."""
        return self.gigabytes / self.copy if self.gigabytes and self.copy else None


def to_json(row: MeasuredRow) -> dict[str, Any]:
    """Convert a measurement to JSON: milliseconds, gigabytes per second, work per second."""
    one, measurement = row.configuration, row.measurement
    document: dict[str, Any] = {
        "pipeline": one.pipeline.name,
        "variant": row.variant.name,
        "device": row.variant.device,
        "peer": row.variant.peer,
        "width": one.width,
        "height": one.height,
        "source": " ".join(one.source),
        "params": one.params.values(),
        "command": row.command,
        "identity": row.identity,
        "differences": [_difference(difference) for difference in row.differences],
    }
    if not measurement:
        return document | {"not_measured": row.why}
    document["device_ms"], document["wall_ms"] = times(measurement.device), times(measurement.wall)
    document["noisy"] = measurement.device.noisy
    document["work"] = {"unit": f"{one.pipeline.work.unit}/s", "rate": row.rate}
    document |= {"bytes": dict(measurement.nbytes), "gb_per_s": row.gigabytes, "of_copy": row.share}
    document["copy_gb_per_s"], document["memory_bytes"] = row.copy, row.memory
    if measurement.chained is not None:
        document |= {"chained_ms": measurement.chained, "nothing_ms": measurement.nothing}
    document["stages_ms"] = {name: times(stage) for name, stage in measurement.stages.items()}
    document["roofline"] = [_point(point) for point in row.points]
    return document | {"cold_ms": asdict(row.cold) if row.cold else None}


def from_json(document: RowDict, one: Configuration, variant: Variant) -> MeasuredRow:
    """Rebuild a variant's measurement from the values that ``to_json`` wrote."""
    device, wall, cold = (
        _times(document["device_ms"]),
        _times(document["wall_ms"]),
        document["cold_ms"],
    )
    stages = {name: _times(stage) for name, stage in document["stages_ms"].items()}
    return MeasuredRow(
        one,
        variant,
        document["identity"],
        tuple(_difference_of(difference) for difference in document["differences"]),
        Measurement(
            device,
            wall,
            stages,
            document["bytes"],
            document.get("chained_ms"),
            document.get("nothing_ms"),
        ),
        cold=ColdStart(cold["uncached"], cold["cached"]) if cold else None,
        points=tuple(
            StagePoint(p["stage"], p["ms"], p["bytes"], p["operations"])
            for p in document["roofline"]
        ),
        copy=document["copy_gb_per_s"],
        memory=document.get("memory_bytes"),
        command=document["command"],
    )


def _difference(difference: Difference) -> dict[str, Any]:
    """Convert the difference of two results to JSON values, with None for infinity."""
    return asdict(difference) | {
        "largest": difference.largest if math.isfinite(difference.largest) else None
    }


def _difference_of(document: DifferenceDict) -> Difference:
    largest = math.inf if document["largest"] is None else document["largest"]
    return Difference(
        document["image"], document["count"], document["total"], tuple(document["first"]), largest
    )


def _point(point: StagePoint) -> dict[str, Any]:
    return {
        "stage": point.stage,
        "ms": point.milliseconds,
        "bytes": point.nbytes,
        "operations": point.operations,
        "gb_per_s": point.gigabytes_per_second,
        "operations_per_byte": point.intensity,
        "gop_per_s": point.gigaoperations_per_second,
    }


def times(durations: Times) -> dict[str, Any]:
    """Convert measured times to JSON values, with their spread."""
    return {**asdict(durations), "spread": durations.spread}


def _times(document: TimesDict) -> Times:
    return Times(
        document["frames"],
        document["median"],
        document["p5"],
        document["p95"],
        document["fastest"],
        document["slowest"],
    )


def speed_up(row: MeasuredRow, others: Sequence[MeasuredRow], name: str) -> float | None:
    """Compute how many times faster a measured variant is than another one.

    None if either was not measured, or the row's result is wrong or was not compared.
    """
    base = next((r.milliseconds for r in others if r.variant.name == name), None)
    if not base or not row.milliseconds or row.identity in ("different", "unknown"):
        return None
    return base / row.milliseconds


def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key that identifies a JSON row, equal for repeated measurements."""
    params = tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in sorted(row["params"].items())
    )
    names = ("pipeline", "variant", "width", "height", "source")
    return (*(row[name] for name in names), params)


@dataclass(frozen=True)
class TimedResult:
    """The time of one variant, and whether its result is correct.

    Attributes:
        milliseconds: median of a frame; None if the variant was not timed.
        identity: how its result compares with the reference's; a peer's is not compared.
    """

    name: str
    milliseconds: float | None
    identity: Identity
    peer: bool = False


def fastest_line(results: Sequence[TimedResult]) -> str:
    """Name the fastest variant that equals the reference, the wrong ones, and the untimed ones."""
    own = [one for one in results if not one.peer]
    timed = [one for one in own if one.milliseconds]
    lines = [_fastest(timed)] if timed else []
    for title, members in (
        ("NOT identical", [one for one in timed if one.identity == "different"]),
        ("not timed", [one for one in own if not one.milliseconds]),
    ):
        lines += [f"{title}: {', '.join(one.name for one in members)}"] if members else []
    return "; ".join(lines)


def _fastest(timed: Sequence[TimedResult]) -> str:
    right = [one for one in timed if one.identity in RIGHT]
    unknown = [one for one in timed if one.identity == "unknown"]
    if not (right or unknown):
        return "no variant is identical to the reference"
    first = min(right or unknown, key=lambda one: one.milliseconds or 0.0)
    kind = "fastest identical" if right else "fastest, not compared with the reference"
    return f"{kind}: {first.name}{_in_times(first, timed)}"


def _in_times(first: TimedResult, timed: Sequence[TimedResult]) -> str:
    by_name = {one.name: one.milliseconds for one in timed if one.name != first.name}
    base = next((name for name in BASES if by_name.get(name)), "")
    if not base or not first.milliseconds:
        return ""
    return f", {_rounded((by_name[base] or 0.0) / first.milliseconds)} times as fast as {base}"


def _rounded(ratio: float) -> str:
    """Format a ratio with one decimal, or as an integer from 10 on."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
