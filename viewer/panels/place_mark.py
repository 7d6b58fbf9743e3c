"""The mark of the place that the user jumped to, such as a difference of A and B."""

from wheatstone.viewer.panels.measure.marks import clipped, panes, place_of
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.pins import CASING
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import number

ASIDE = 5  # units of an unscaled screen between the place and its mark
WIDTHS = ((CASING, 4), (number("place"), 2))


def draw_place_mark(context: PanelContext) -> None:
    """Draw a box around the place last jumped to, in every pane that shows the left view."""
    box = context.state.marked
    if not box:
        return
    x, y, width, height = box
    canvas, aside = imgui.get_background_draw_list(), ASIDE * context.scale
    for pane in panes(context.session.display.drawn):
        left, top = place_of(context, pane, y, x)
        right, bottom = place_of(context, pane, y + height, x + width)
        corners = (left - aside, top - aside), (right + aside, bottom + aside)
        with clipped(context, pane):
            for color, thick in WIDTHS:
                canvas.add_rect(*corners, color, aside, thickness=thick * context.scale)
