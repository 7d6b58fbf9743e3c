"""Colours of stages: a stage has the same colour in every variant."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from gpu.pipeline import Pipeline, Stage
from viewer.panels.widgets import Rgb

# After M. Okabe and K. Ito, "Color Universal Design", 2008: told apart with any colour vision. When
# all are taken they come again, darker.
PALETTE: tuple[Rgb, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (60, 130, 200),
    (213, 94, 0),
    (204, 121, 167),
    (170, 170, 170),
)
DARKER = 0.58  # factor of a colour's channels each time the palette comes again
NEUTRAL: Rgb = (120, 120, 124)  # of a step that does the work of all stages that always run


def stage_colors(pipeline: Pipeline, stages: Sequence[Stage]) -> dict[str, Rgb]:
    """Choose a colour for each step of a variant: that of the first declared stage it covers.

    So a stage has the same colour in every variant.
    """
    order = [stage.name for stage in pipeline.stages]
    usual = {stage.name for stage in pipeline.stages if not stage.on_demand}
    return {stage.name: _color(order, usual, stage) for stage in stages}


def _color(order: Sequence[str], usual: AbstractSet[str], stage: Stage) -> Rgb:
    """Choose the colour of a step.

    Args:
        order: names of the declared stages.
        usual: names of those that run while nothing more is looked at.
    """
    name = stage.name if stage.name in order else next(iter(stage.covers), "")
    if name not in order or (len(order) > 1 and usual <= set(stage.covers)):
        return NEUTRAL
    again, place = divmod(order.index(name), len(PALETTE))
    red, green, blue = (round(c * DARKER**again) for c in PALETTE[place])
    return red, green, blue


def text_color(color: Rgb) -> Rgb:
    """Choose black or white, whichever is easier to read on a colour."""
    red, green, blue = color
    return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else (255, 255, 255)
