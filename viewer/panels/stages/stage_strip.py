"""What the stage strip says, in numbers and words: costs of the stages of A and of B."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gpu.analysis.roofline import Peaks, StagePoint, stage_points
from gpu.pipeline import Pipeline, Stage
from viewer.frames.meters import Rates, SlotMeter

Color = tuple[int, int, int]

# After M. Okabe and K. Ito, "Color Universal Design", 2008: told apart with any colour vision. Used
# up, they come again, darker.
PALETTE: tuple[Color, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (60, 130, 200),
    (213, 94, 0),
    (204, 121, 167),
    (170, 170, 170),
)
DARKER = 0.58
NEUTRAL: Color = (120, 120, 124)  # of a step that does the work of all stages


@dataclass(frozen=True)
class StageLine:
    """One stage of a slot.

    Attributes:
        p95: 95th percentile of its time, in milliseconds.
        point: median time, bytes and operations.
        share: of the device's copy bandwidth, from 0 to 1 and beyond; None if unknown.
    """

    stage: str
    help: str
    color: Color
    p95: float
    point: StagePoint
    share: float | None

    @property
    def milliseconds(self) -> float:
        """Median time."""
        return self.point.milliseconds


@dataclass(frozen=True)
class Strip:
    """One slot.

    Attributes:
        letter: ``A`` or ``B``.
        name: pipeline and variant.
        device: what it runs on.
        whole: median time of frames that were not measured stage by stage; None before there is
            one.
        measured: frames measured stage by stage.
        peaks: None before they are measured.
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
        """Sum of the stages' medians, in milliseconds."""
        return sum(line.milliseconds for line in self.lines)

    @property
    def longest(self) -> float:
        """The time that its bar must have place for."""
        return max(self.total, self.whole or 0.0)

    @property
    def summary(self) -> str:
        """Both times in words."""
        whole = "-" if self.whole is None else f"{self.whole:.3f} ms"
        if not self.lines:
            return f"frame {whole}"
        return f"frame {whole} undisturbed, stages {self.total:.3f} ms"


def strip(letter: str, meter: SlotMeter, peaks: Peaks | None) -> Strip | None:
    """What there is to say about a slot; None before it computed a frame.

    Args:
        peaks: of its device; without them no share of the bandwidth is told.
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
    """Of the copy bandwidth."""
    rate = point.gigabytes_per_second
    return rate / peaks.copy_gigabytes_per_second if rate is not None and peaks else None


def stage_colors(pipeline: Pipeline, stages: Sequence[Stage]) -> dict[str, Color]:
    """A colour for each step of a variant: that of the first declared stage whose work it does.

    So a stage has the same colour in every variant.
    """
    order = [stage.name for stage in pipeline.stages]
    return {stage.name: _color(order, stage) for stage in stages}


def _color(order: Sequence[str], stage: Stage) -> Color:
    name = stage.name if stage.name in order else next(iter(stage.covers), "")
    if name not in order or len(stage.covers) == len(order) > 1:
        return NEUTRAL
    again, place = divmod(order.index(name), len(PALETTE))
    red, green, blue = (round(c * DARKER**again) for c in PALETTE[place])
    return red, green, blue


def text_color(color: Color) -> Color:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = color
    return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else (255, 255, 255)


HEADINGS = ("median ms", "p95 ms", "GB/s", "of copy", "op/B", "Gop/s")
HEADING_HELP = (
    "Median time of the stage, of frames measured stage by stage.",
    "95th percentile of that time.",
    "Bytes of the images it reads and writes, each once a step, a second.",
    "That, relative to a plain copy in the same memory, which was measured.",
    "Operations of the definition for each of those bytes.",
    "Thousand million operations of the definition a second.",
)


def cells(line: StageLine) -> tuple[str, ...]:
    """The numbers of a stage, as ``HEADINGS`` names them; a dash for what is not known."""
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
    """A share in per cent, with a decimal while it is small."""
    if share is None:
        return "-"
    return f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def number(value: float | None) -> str:
    """A number with three digits that count, or all that are before its point."""
    if value is None:
        return "-"
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{decimals}f}"


def rates_line(rates: Rates, source_rate: float, slots: Sequence[str]) -> str:
    """Frames a second of the source, of each slot that is computed, of the window; and drops.

    Args:
        source_rate: that the source should have; 0 for a picture that stands still.
        slots: ``a``, ``b`` or both.
    """
    source = f"source {rates.source:.1f} of {source_rate:.1f} fps" if source_rate else "still image"
    computed = [f"{slot.upper()} {rates.computed.get(slot, 0.0):.1f}" for slot in slots]
    if len(slots) == 1:
        computed = computed[0].split()[1:]
    parts = [source, f"computed {', '.join(computed)}", f"presented {rates.presented:.1f}"]
    return "  ·  ".join([*parts, f"dropped {rates.dropped:.1f}"])
