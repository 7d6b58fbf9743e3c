"""Colours of stages: a stage has the same colour in every variant."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.viewer.screen.style import SERIES, byte_color
from wheatstone.viewer.theme import Rgb, contrast

DARKER = 0.58  # factor of a colour's channels each time the colours come again
NEUTRAL = "all stages"  # colour of a step that does the work of all stages that always run


def palette() -> tuple[Rgb, ...]:
    """List the theme's colours of stages; when all are used they are repeated, darker."""
    return tuple(byte_color(ink.name) for ink in SERIES)


def stage_colors(pipeline: Pipeline, stages: Sequence[Stage]) -> dict[str, Rgb]:
    """Choose a colour for each step of a variant: that of the first declared stage it covers.

    This gives a stage the same colour in every variant.
    """
    order = [stage.name for stage in pipeline.stages]
    usual = {stage.name for stage in pipeline.stages if not stage.on_demand}
    return {stage.name: _color(order, usual, stage) for stage in stages}


def _color(order: Sequence[str], usual: AbstractSet[str], stage: Stage) -> Rgb:
    """Choose the colour of a step.

    Args:
        order: names of the declared stages.
        usual: names of those that are not on demand.
    """
    name = stage.name if stage.name in order else next(iter(stage.covers), "")
    if name not in order or (len(order) > 1 and usual <= set(stage.covers)):
        return byte_color(NEUTRAL)
    again, place = divmod(order.index(name), len(SERIES))
    red, green, blue = (round(c * DARKER**again) for c in palette()[place])
    return red, green, blue


def text_color(color: Rgb) -> Rgb:
    """Choose black or white, whichever is easier to read on a colour."""
    black, white = (0, 0, 0), (255, 255, 255)
    return black if contrast(color, black) > contrast(color, white) else white
