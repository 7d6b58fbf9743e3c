"""Draw the shapes of a lesson in the panes that show the left view."""

from collections.abc import Mapping, Sequence

from wheatstone.viewer.lessons.drawing import DONE, READ, WORK, BoxShape, LineShape
from wheatstone.viewer.panels.measure.marks import MarkedPane, clipped, panes, place_of
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.pins import CASING
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import number

INKS: Mapping[str, tuple[int, int]] = {
    WORK: (number("on picture"), number("on picture", 0.35)),
    READ: (number("on picture too"), number("on picture too", 0.35)),
    DONE: (number("rim", 0.55), number("rim", 0.35)),
}
"""The colour of lines and of areas, by the meaning of a shape."""


def draw_shapes(context: PanelContext, shapes: Sequence[BoxShape | LineShape]) -> None:
    """Draw shapes over the picture and under the panels, in every pane of the left view."""
    for pane in panes(context.session.display.drawn):
        with clipped(context, pane):
            for shape in shapes:
                if isinstance(shape, BoxShape):
                    _draw_box(context, pane, shape)
                else:
                    _draw_line(context, pane, shape)


def _draw_box(context: PanelContext, pane: MarkedPane, box: BoxShape) -> None:
    """Draw a rectangle of the image: its area, or its outline with a rim."""
    canvas, (line, area) = imgui.get_background_draw_list(), INKS[box.ink]
    begin = place_of(context, pane, box.y, box.x)
    end = place_of(context, pane, box.y + box.height, box.x + box.width)
    if box.filled:
        canvas.add_rect_filled(begin, end, area)
        return
    for color, width in ((CASING, 3.0), (line, 1.5)):
        canvas.add_rect(begin, end, color, thickness=width * context.scale)


def _draw_line(context: PanelContext, pane: MarkedPane, line: LineShape) -> None:
    """Draw a line between two places of the image; work already done is drawn faintly."""
    canvas = imgui.get_background_draw_list()
    begin, end = (place_of(context, pane, y, x) for x, y in (line.begin, line.end))
    strokes = ((CASING, 4.0), (INKS[line.ink][0], 2.0))
    for color, width in strokes[1:] if line.ink == DONE else strokes:
        canvas.add_line(begin, end, color, width * context.scale / (1 + (line.ink == DONE)))
