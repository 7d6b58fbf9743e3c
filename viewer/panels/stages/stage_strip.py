"""The contents of the stage panel: the costs of the stages of runs A and B, as texts."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median

from wheatstone.gpu.analysis.roofline import Peaks, StagePoint, stage_points
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.viewer.display.frames.meters import Rates, SlotMeter
from wheatstone.viewer.display.screen.style import SERIES, byte_color
from wheatstone.viewer.io.footage.counters import Counters
from wheatstone.viewer.theme import Rgb, contrast

SEPARATOR = "  ·  "


@dataclass(frozen=True)
class StageLine:
    """The costs of one stage of run A or B.

    Attributes:
        p95: 95th percentile of the stage's time, in milliseconds.
        point: median time, bytes and operations.
        share: of the device's copy bandwidth, from 0 to more than 1; None if unknown.
    """

    stage: str
    help: str
    color: Rgb
    p95: float
    point: StagePoint
    share: float | None

    @property
    def milliseconds(self) -> float:
        """Return the median time of the stage, in milliseconds."""
        return self.point.milliseconds


@dataclass(frozen=True)
class Strip:
    """The costs of all stages of run A or B.

    Attributes:
        name: pipeline and variant.
        whole: median time of frames that were not measured stage by stage; None before there is
            one.
        measured: frames measured stage by stage.
        peaks: of the device; None before they are measured.
    """

    letter: str
    name: str
    device: str
    whole: float | None
    measured: int
    lines: tuple[StageLine, ...] = ()
    peaks: Peaks | None = None

    @property
    def total(self) -> float:
        """Return the sum of the stages' median times, in milliseconds."""
        return sum(line.milliseconds for line in self.lines)

    @property
    def longest(self) -> float:
        """Return the longer of the frame's and the stages' time, in ms, which the bar must fit."""
        return max(self.total, self.whole or 0.0)

    @property
    def summary(self) -> str:
        """Format the time of a whole frame and the sum of the stages."""
        whole = "-" if self.whole is None else f"{self.whole:.3f} ms"
        if not self.lines:
            return f"frame {whole}"
        return f"frame {whole} undisturbed, stages {self.total:.3f} ms"


def strip(letter: str, meter: SlotMeter, peaks: Peaks | None) -> Strip | None:
    """Summarise the costs of the stages of run A or B; None before a frame was computed.

    Args:
        peaks: of the slot's device; None: no share of the bandwidth is given.
    """
    execution = meter.execution
    if execution is None:
        return None
    times, frames = meter.stage_times(), meter.frames.rows()[:, 0]
    points = stage_points(execution, {stage: middle for stage, (middle, _) in times.items()})
    stages = {step.stage.name: step.stage for step in execution.steps}
    colors = stage_colors(execution.pipeline, list(stages.values()))
    lines = tuple(
        StageLine(
            p.stage, stages[p.stage].help, colors[p.stage], times[p.stage][1], p, share(p, peaks)
        )
        for p in points
    )
    name = f"{execution.pipeline.name}/{execution.variant.name}"
    whole = median(frames.tolist()) if frames.size else None
    device = execution.device.name
    return Strip(letter, name, device, whole, len(meter.samples), lines, peaks)


def share(point: StagePoint, peaks: Peaks | None) -> float | None:
    """Compute a stage's bandwidth as a fraction of a plain copy's bandwidth; None if unknown."""
    rate = point.gigabytes_per_second
    return rate / peaks.copy_gigabytes_per_second if rate is not None and peaks else None


HEADINGS = ("median ms", "p95 ms", "GB/s", "of copy", "op/B", "Gop/s")
HEADING_HELP = (
    "Median time of the stage, of frames measured stage by stage.",
    "95th percentile of that time.",
    "Bytes per second of the images read and written, each once per step.",
    "The same, relative to a measured plain copy in the same memory.",
    "Operations of the definition per byte.",
    "Operations of the definition per second, in billions.",
)


def cells(line: StageLine) -> tuple[str, ...]:
    """Format a stage's table cells, in the order of ``HEADINGS``; a dash for unknown numbers."""
    point = line.point
    return (
        f"{line.milliseconds:.3f}",
        f"{line.p95:.3f}",
        number(point.gigabytes_per_second),
        percent(line.share),
        number(point.intensity),
        number(point.gigaoperations_per_second),
    )


def percent(share: float | None) -> str:
    """Format a fraction in percent, with one decimal below 10 %; a dash for None."""
    if share is None:
        return "-"
    return f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def number(value: float | None) -> str:
    """Format a number with three digits, or as an integer from 100; a dash for None."""
    if value is None:
        return "-"
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{decimals}f}"


def rates_line(
    rates: Rates, source_rate: float, slots: Sequence[str], live: Counters | None = None
) -> str:
    """Format the rates of frames that are read, computed for runs A and B, shown and dropped.

    For a live source a second line gives the counts of all its frames.

    Args:
        source_rate: frames per second that the source should give; 0 for a still image.
        slots: ``a``, ``b`` or both.
        live: counters of a live source; None for any other one.
    """
    source_rate = live.rate if live else source_rate
    source = f"source {rates.source:.1f} of {source_rate:.1f} fps"
    source = source if source_rate or live else "still image"
    computed = [f"{slot.upper()} {rates.computed.get(slot, 0.0):.1f}" for slot in slots]
    if len(slots) == 1:
        computed = computed[0].split()[1:]
    parts = [source, f"computed {', '.join(computed)}", f"presented {rates.presented:.1f}"]
    if live:
        return f"{SEPARATOR.join(parts)}\n{SEPARATOR.join(live.words)}"
    return SEPARATOR.join([*parts, f"dropped {rates.dropped:.1f}"])


DARKER = 0.58  # factor of a colour's channels each time the colours come again
NEUTRAL = "all stages"  # colour of a step that does the work of all stages that always run


def palette() -> tuple[Rgb, ...]:
    """List the theme's colours of stages; more stages than colours reuse them, darker."""
    return tuple(byte_color(ink.name) for ink in SERIES)


def stage_colors(pipeline: Pipeline, stages: Sequence[Stage]) -> dict[str, Rgb]:
    """Choose a colour for each stage; the same stage gets the same colour in every variant."""
    order = [stage.name for stage in pipeline.stages]
    usual = {
        stage.name
        for stage in pipeline.stages
        if not stage.on_demand and stage.when(pipeline.params())
    }
    return {stage.name: _color(order, usual, stage) for stage in stages}


def _color(order: Sequence[str], usual: AbstractSet[str], stage: Stage) -> Rgb:
    name = stage.name if stage.name in order else next(iter(stage.covers), "")
    if name not in order or (len(order) > 1 and usual <= set(stage.covers)):
        return byte_color(NEUTRAL)
    again, place = divmod(order.index(name), len(SERIES))
    red, green, blue = (round(c * DARKER**again) for c in palette()[place])
    return red, green, blue


def text_color(color: Rgb) -> Rgb:
    """Return black or white, whichever is easier to read on a colour."""
    black, white = (0, 0, 0), (255, 255, 255)
    return black if contrast(color, black) > contrast(color, white) else white
