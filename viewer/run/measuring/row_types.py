"""The types of measurements in JSON documents, with bounds against which files are checked.

Keys that are not declared are kept unchanged: newer versions may write more.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from wheatstone.viewer.io.reading.checks import at_most, between

Text = Annotated[str, at_most(4000)]
Name = Annotated[str, at_most(200)]
DeviceKind = Literal["cpu", "cuda"]
Identity = Literal["reference", "identical", "different", "peer", "unknown"]
Milliseconds = Annotated[float, between(1e-9, 1e12)]
"""A measured time in milliseconds: charts and quotients need it to be positive."""
Amount = Annotated[float, between(0, 1e18)]


def _nothing_or_much(value: float) -> str:
    """Return an error if a rate is neither 0 nor between 1e-9 and 1e18; else empty."""
    return between(1e-9, 1e18)(value) if value else ""


Rate = Annotated[float, _nothing_or_much]
Count = Annotated[int, between(0, 2**62)]
Side = Annotated[int, between(1, 2**20)]
Whole = Annotated[int, between(-(2**31), 2**31)]
Parameter = bool | Whole | Annotated[float, between(-1e12, 1e12)] | Name | list[Whole]
MOST_STAGES = 32
MEASURED = (
    *("device_ms", "wall_ms", "noisy", "work", "bytes", "gb_per_s", "of_copy", "copy_gb_per_s"),
    *("stages_ms", "roofline", "cold_ms"),
)
"""The keys that every measured row has."""


class TimesDict(TypedDict):
    """The times of frames: quantiles, and the spread (5th to 95th percentile, over the median)."""

    frames: Count
    median: Milliseconds
    p5: Milliseconds
    p95: Milliseconds
    fastest: Milliseconds
    slowest: Milliseconds
    spread: Amount | None


class DifferenceDict(TypedDict):
    """The difference between an image and the reference's; ``largest`` None means infinite."""

    image: Name
    count: Count
    total: Count
    first: Annotated[list[Count], at_most(8)]
    largest: Amount | None


class WorkDict(TypedDict):
    """The work per second, in the unit that the pipeline declares, such as ``Mpx`` (megapixels)."""

    unit: Name
    rate: Amount | None


class PointDict(TypedDict):
    """The measured time and rates of a stage: one point in the roofline plot."""

    stage: Name
    ms: Milliseconds
    bytes: Count | None
    operations: Count | None
    gb_per_s: Amount | None
    operations_per_byte: Rate | None
    gop_per_s: Rate | None


class ColdDict(TypedDict):
    """The times of a process's first frame, with and without compiled code in the cache."""

    uncached: Milliseconds
    cached: Milliseconds


class RowDict(TypedDict):
    """A measurement: either all measured values, or the reason why there are none."""

    pipeline: Name
    variant: Name
    device: DeviceKind
    peer: bool
    width: Side
    height: Side
    source: Text
    params: Annotated[dict[Name, Parameter], at_most(200)]
    command: Text
    identity: Identity
    differences: Annotated[list[DifferenceDict], at_most(200)]
    not_measured: NotRequired[Text]
    device_ms: NotRequired[TimesDict]
    wall_ms: NotRequired[TimesDict]
    noisy: NotRequired[bool]
    work: NotRequired[WorkDict]
    bytes: NotRequired[Annotated[dict[Name, Count], at_most(200)]]
    gb_per_s: NotRequired[Amount | None]
    of_copy: NotRequired[Amount | None]
    copy_gb_per_s: NotRequired[Amount | None]
    memory_bytes: NotRequired[Count | None]
    chained_ms: NotRequired[Milliseconds | None]
    nothing_ms: NotRequired[Milliseconds | None]
    stages_ms: NotRequired[Annotated[dict[Name, TimesDict], at_most(MOST_STAGES)]]
    roofline: NotRequired[Annotated[list[PointDict], at_most(200)]]
    cold_ms: NotRequired[ColdDict | None]


def measured(row: Any) -> str:
    """Return an error if a JSON measurement lacks a key; empty if it has all."""
    lacking = [key for key in MEASURED if key not in row]
    return f"is of no measured variant: it lacks {', '.join(lacking)}" if lacking else ""


def measured_or_not(row: Any) -> str:
    """Return an error if a JSON measurement has neither values nor a reason for having none."""
    if any(key in row for key in MEASURED):
        return measured(row)
    return "" if "not_measured" in row else "lacks device_ms, and the reason in not_measured"


Row = Annotated[RowDict, measured_or_not]
MeasuredRowDict = Annotated[RowDict, measured]


def _with_name(facts: Any) -> str:
    return "" if "device" in facts else "lacks device, its name"


DeviceFacts = Annotated[dict[Name, Name], at_most(20), _with_name]


class EnvironmentDict(TypedDict):
    """The machine of a measurement, and the versions of its software."""

    wheatstone: Name
    python: Name
    system: Name
    devices: dict[DeviceKind, DeviceFacts]
    packages: Annotated[dict[Name, Name], at_most(100)]


class BaselineDict(TypedDict):
    """The JSON document that ``bench --json`` writes."""

    date: Name
    command: Text
    environment: EnvironmentDict
    copy_gb_per_s: dict[DeviceKind, Amount]
    rows: Annotated[list[Row], at_most(10_000)]
