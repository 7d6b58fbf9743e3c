"""The types of a report's document, by which a file is checked when it is read.

Keys that are not declared are kept unchanged: newer versions may write more.
"""

from collections import Counter
from typing import Annotated, Any, NotRequired, TypedDict

from wheatstone.gpu.analysis.conventions import CONVENTIONS, Region
from wheatstone.viewer.cli.report.derived import DISPARITIES
from wheatstone.viewer.cli.report.plan import ExperimentName
from wheatstone.viewer.io.reading.checks import at_most, between, known, simple_name
from wheatstone.viewer.run.measuring.row_types import (
    Amount,
    Count,
    DeviceKind,
    EnvironmentDict,
    Milliseconds,
    Name,
    RowDict,
    Side,
    Text,
    measured_or_not,
)

LARGEST_PICTURE = 8192  # pixels of a side
MOST_ROWS, MOST_VARIANTS, MOST_STAGES, MOST_FIGURES = 1000, 64, 128, 50_000
LEAST = 1e-6  # a number other than 0 on an axis
PlainName = Annotated[str, simple_name]
Pixels = Annotated[int, between(1, LARGEST_PICTURE)]
Figures = Annotated[dict[Name, Annotated[float, between(-1e12, 1e12)] | None], at_most(50)]
Peak = Annotated[float, between(1e-9, 1e18)]


class ReportRowDict(RowDict):
    """A measurement in a report's experiment, with the title of its configuration."""

    title: Name
    date: Name
    speed_up: NotRequired[Amount | None]


ReportRow = Annotated[ReportRowDict, measured_or_not]


class ExperimentDict(TypedDict):
    """An experiment of a report: the measurements made by one command line of ``bench``."""

    name: ExperimentName
    title: Name
    command: Text
    swept: Name
    unit: Name
    rows: Annotated[list[ReportRow], at_most(1000)]


def swept_values(experiment: Any) -> str:
    """Return an error message unless an experiment's swept parameter is numeric.

    A rectangle of four numbers is also valid.
    """
    swept = experiment["swept"]
    if swept and not experiment["rows"]:
        return "has no rows to plot"
    for number, row in enumerate(experiment["rows"] if swept else ()):
        value = row["params"].get(swept)
        rectangle = isinstance(value, list) and len(value) == 4
        plain = type(value) in (int, float) and (value == 0 or abs(value) >= LEAST)
        if not rectangle and not plain:
            return f"sweeps a parameter that is no number or rectangle in rows[{number}].params"
    return ""


Experiment = Annotated[ExperimentDict, swept_values]


class TransferDict(TypedDict):
    """Times of the copies between host and device that belong to a measurement."""

    command: Text
    upload_ms: Milliseconds
    download_ms: Annotated[dict[Name, Milliseconds], at_most(20)]


class PairDict(TypedDict):
    """The error measures of a stereo pair."""

    pair: Name
    figures: Figures


class FailedDict(TypedDict):
    """A stereo pair that has no error measures, and the reason."""

    pair: Name
    why: Text


class QualityDict(TypedDict):
    """The error measures that one command line of ``evaluate`` has produced."""

    command: Text
    preset: Name
    variant: Name
    data: Text
    convention: Annotated[str, known(CONVENTIONS)]
    region: Region
    units: Annotated[dict[Name, Name], at_most(50)]
    mean: Figures
    pairs: Annotated[list[PairDict], at_most(20_000)]
    failed: Annotated[list[FailedDict], at_most(20_000)]
    date: Name


class PictureDict(TypedDict):
    """A picture with its size, or the reason why it was not drawn."""

    name: PlainName
    title: Name
    alt: Name
    command: Text
    file: NotRequired[Name]
    width: NotRequired[Pixels]
    height: NotRequired[Pixels]
    why: NotRequired[Text]


def drawn_or_not(picture: Any) -> str:
    """Return an error message unless a picture has file and size, or the reason why it has none."""
    if "file" in picture:
        if picture["file"] != f"{picture['name']}.png":
            return f"must have the file {picture['name']}.png"
        return "" if {"width", "height"} <= picture.keys() else "lacks width and height"
    return "" if "why" in picture else "lacks file, and the reason in why"


Picture = Annotated[PictureDict, drawn_or_not]


class SliderDict(TypedDict):
    """The names of two pictures to show in the same place with a slider."""

    title: Name
    before: PlainName
    after: PlainName


class AbsentDict(TypedDict):
    """Variants that were not measured, with the reason."""

    why: Text
    variants: Annotated[list[Name], at_most(2000)]


class SummaryDict(TypedDict):
    """Counts of the measurements by their comparison with the reference."""

    identical: Count
    different: Count
    peer: Count
    noisy: Count
    absent: Annotated[list[AbsentDict], at_most(2000)]


class GlanceDict(TypedDict):
    """A pipeline's line in a report's overview: times of reference and fastest variant."""

    pipeline: Name
    width: Side
    height: Side
    reference_ms: Milliseconds | None
    cpu_ms: Milliseconds | None
    fastest: Name | None
    fastest_ms: Milliseconds | None
    speed_up: Amount | None
    rate: Amount | None
    unit: Name
    identical: Count
    compared: Count


class TimedDict(TypedDict):
    """Times measured on this machine, and published times to compare with."""

    device_ms: Milliseconds | None
    host_ms: Milliseconds | None
    published_device_ms: Milliseconds | None
    published_host_ms: Milliseconds | None


def _a_column_each(columns: Any) -> str:
    count = len(DISPARITIES)
    return "" if len(columns) == count else f"must be a list of {count} (got {len(columns)})"


class MovingDict(TypedDict):
    """A line of the CUDA course's table of SGM: a step, and the memory that it uses."""

    step: Name
    memory: Name
    columns: Annotated[list[TimedDict], _a_column_each]


class CannyDict(TimedDict):
    """A line of the CUDA course's table of Canny times."""

    picture: Name
    width: Side
    height: Side
    memory: Name


class KeptDict(TypedDict, total=False):
    """The parts of an earlier report that an unfinished report may still reuse."""

    rows: Annotated[list[ReportRow], at_most(1000)]
    transfers: Annotated[list[TransferDict], at_most(2000)]
    quality: Annotated[list[QualityDict], at_most(100)]
    pictures: Annotated[list[Picture], at_most(200)]


class ReportDict(TypedDict):
    """The document of a report; only a complete one has the derived values."""

    complete: bool
    date: Name
    command: Text
    program: Name
    environment: EnvironmentDict
    copy_gb_per_s: dict[DeviceKind, Peak]
    experiments: Annotated[list[Experiment], at_most(20)]
    transfers: Annotated[list[TransferDict], at_most(2000)]
    quality: Annotated[list[QualityDict], at_most(100)]
    pictures: Annotated[list[Picture], at_most(200)]
    kept: NotRequired[KeptDict]
    peak_gop_per_s: NotRequired[dict[DeviceKind, Peak | None]]
    views: NotRequired[Annotated[list[PlainName], at_most(200)]]
    sliders: NotRequired[Annotated[list[SliderDict], at_most(50)]]
    summary: NotRequired[SummaryDict]
    glance: NotRequired[Annotated[list[GlanceDict], at_most(200)]]
    moving: NotRequired[Annotated[list[MovingDict], at_most(200)]]
    canny: NotRequired[Annotated[list[CannyDict], at_most(200)]]


def complaint_of(report: ReportDict) -> str:
    """Return why a report's document is inconsistent or too large; empty if it is valid."""
    derived = ("views", "sliders", "summary", "glance", "moving", "canny")
    lacking = [key for key in derived if key not in report]
    if report["complete"] and lacking:
        return f"is called complete, but lacks {', '.join(lacking)}"
    counts = Counter(experiment["name"] for experiment in report["experiments"])
    if twice := [name for name, count in counts.items() if count > 1]:  # their files would be one
        return f"has more than one experiment named {', '.join(twice)}"
    if unknown := report["copy_gb_per_s"].keys() - report["environment"]["devices"].keys():
        return f"environment.devices lacks {', '.join(sorted(unknown))}"
    return _too_large(report)


def _too_large(report: ReportDict) -> str:
    rows = [row for experiment in report["experiments"] for row in experiment["rows"]]
    stages = {name for row in rows for name in row.get("stages_ms", ())}
    runs = Counter(run["data"] for run in report["quality"])
    pairs = {(run["data"], pair["pair"]) for run in report["quality"] for pair in run["pairs"]}
    figures = sum(runs[data] for data, _ in pairs)  # of a table of each pair in each run
    for what, count, most in (
        ("different rows", len(rows), MOST_ROWS),
        ("different variants", len({row["variant"] for row in rows}), MOST_VARIANTS),
        ("different stages", len(stages), MOST_STAGES),
        ("figures of pairs", figures, MOST_FIGURES),
    ):
        if count > most:
            return f"has {count} {what}; at most {most} are shown"
    return ""
