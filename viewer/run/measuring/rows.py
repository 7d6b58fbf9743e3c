"""Hold rows of results, each a variant measured at one configuration, and convert them to JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from wheatstone.gpu.analysis.cold_start import ColdStart
from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.gpu.analysis.measurement import Measurement, Times
from wheatstone.gpu.analysis.roofline import StagePoint
from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.run.measuring.row_types import DifferenceDict, RowDict, TimesDict
from wheatstone.viewer.run.measuring.sweep import REFERENCE, Configuration

Identity = Literal["reference", "identical", "different", "peer", "unknown"]
BASES = ("cpu", REFERENCE)
"""The variants with which the fastest one is compared: the first of them that was timed."""
RIGHT = ("identical", "reference")


@dataclass(frozen=True)
class MeasuredRow:
    """The result of one variant at one configuration.

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
        """Compute declared gigabytes per second; None for a peer, whose images are not declared."""
        if not self.measurement or not self.milliseconds or self.variant.peer:
            return None
        return sum(self.measurement.nbytes.values()) / self.milliseconds / 1e6

    @property
    def share(self) -> float | None:
        """Compute declared gigabytes per second relative to those of a plain copy."""
        return self.gigabytes / self.copy if self.gigabytes and self.copy else None


def to_json(row: MeasuredRow) -> dict[str, Any]:
    """Convert a row to JSON values: milliseconds, gigabytes per second, work per second."""
    one, measurement = row.configuration, row.measurement
    found: dict[str, Any] = {
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
        return found | {"not_measured": row.why}
    found["device_ms"], found["wall_ms"] = times(measurement.device), times(measurement.wall)
    found["noisy"] = measurement.device.noisy
    found["work"] = {"unit": f"{one.pipeline.work.unit}/s", "rate": row.rate}
    found |= {"bytes": dict(measurement.nbytes), "gb_per_s": row.gigabytes, "of_copy": row.share}
    found["copy_gb_per_s"], found["memory_bytes"] = row.copy, row.memory
    if measurement.chained is not None:
        found |= {"chained_ms": measurement.chained, "nothing_ms": measurement.nothing}
    found["stages_ms"] = {name: times(stage) for name, stage in measurement.stages.items()}
    found["roofline"] = [_point(point) for point in row.points]
    return found | {"cold_ms": asdict(row.cold) if row.cold else None}


def from_json(found: RowDict, one: Configuration, variant: Variant) -> MeasuredRow:
    """Rebuild the row of a measured variant at a configuration from the values of ``to_json``."""
    device, wall, cold = _times(found["device_ms"]), _times(found["wall_ms"]), found["cold_ms"]
    stages = {name: _times(stage) for name, stage in found["stages_ms"].items()}
    return MeasuredRow(
        one,
        variant,
        found["identity"],
        tuple(_difference_of(difference) for difference in found["differences"]),
        Measurement(
            device, wall, stages, found["bytes"], found.get("chained_ms"), found.get("nothing_ms")
        ),
        cold=ColdStart(cold["uncached"], cold["cached"]) if cold else None,
        points=tuple(
            StagePoint(p["stage"], p["ms"], p["bytes"], p["operations"]) for p in found["roofline"]
        ),
        copy=found["copy_gb_per_s"],
        memory=found.get("memory_bytes"),
        command=found["command"],
    )


def _difference(found: Difference) -> dict[str, Any]:
    """Convert a difference to JSON values; JSON has no infinite numbers."""
    return asdict(found) | {"largest": found.largest if math.isfinite(found.largest) else None}


def _difference_of(found: DifferenceDict) -> Difference:
    largest = math.inf if found["largest"] is None else found["largest"]
    return Difference(
        found["image"], found["count"], found["total"], tuple(found["first"]), largest
    )


def _point(found: StagePoint) -> dict[str, Any]:
    return {
        "stage": found.stage,
        "ms": found.milliseconds,
        "bytes": found.nbytes,
        "operations": found.operations,
        "gb_per_s": found.gigabytes_per_second,
        "operations_per_byte": found.intensity,
        "gop_per_s": found.gigaoperations_per_second,
    }


def times(found: Times) -> dict[str, Any]:
    """Convert times to JSON values, with their spread."""
    return {**asdict(found), "spread": found.spread}


def _times(said: TimesDict) -> Times:
    return Times(
        said["frames"], said["median"], said["p5"], said["p95"], said["fastest"], said["slowest"]
    )


def speed_up(row: MeasuredRow, others: Sequence[MeasuredRow], name: str) -> float | None:
    """Compute how many times as fast as another variant of its configuration a row is.

    None if either was not measured, or the row's result is wrong or was not compared.
    """
    base = next((r.milliseconds for r in others if r.variant.name == name), None)
    if not base or not row.milliseconds or row.identity in ("different", "unknown"):
        return None
    return base / row.milliseconds


def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a JSON row: two rows with the same key are the same measurement."""
    params = tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in sorted(row["params"].items())
    )
    names = ("pipeline", "variant", "width", "height", "source")
    return (*(row[name] for name in names), params)


@dataclass(frozen=True)
class TimedResult:
    """The time and the correctness of one variant.

    Attributes:
        milliseconds: median of a frame; None if the variant was not timed.
        identity: how its result compares with the reference's; a peer's is not compared.
    """

    name: str
    milliseconds: float | None
    identity: Identity
    peer: bool = False


def fastest_line(results: Sequence[TimedResult]) -> str:
    """Name the fastest identical variant, the variants that differ, and those not timed."""
    own = [one for one in results if not one.peer]
    timed = [one for one in own if one.milliseconds]
    lines = [_fastest(timed)] if timed else []
    for said, found in (
        ("NOT identical", [one for one in timed if one.identity == "different"]),
        ("not timed", [one for one in own if not one.milliseconds]),
    ):
        lines += [f"{said}: {', '.join(one.name for one in found)}"] if found else []
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
    return f", {_rounded((by_name[base] or 0.0) / first.milliseconds)} times {base}"


def _rounded(ratio: float) -> str:
    """Write a ratio with two significant digits, but all digits before the decimal point."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"
