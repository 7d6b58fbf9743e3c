"""Draw marks of pixels over the picture and under the panels."""

from collections.abc import Sequence

from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import number

CROSS = 9  # half the length of the mark of a pixel, in units of an unscaled screen
CASING, INK = number("rim"), number("on picture")


def strokes(scale: float) -> tuple[tuple[int, float], ...]:
    """List the colour and width of the two lines of every mark, the dark outline first.

    Args:
        scale: screen pixels per unscaled unit.
    """
    return ((CASING, 3 * scale), (INK, scale))


def draw_cross(context: PanelContext, row: int, column: int) -> None:
    """Mark a pixel by a cross in every pane."""
    area = context.area
    canvas, half = imgui.get_background_draw_list(), CROSS * context.scale
    for left, top in context.session.display.drawn.places(row + 0.5, column + 0.5):
        x, y = round(left) + area.x + 0.5, round(top) + area.y + 0.5
        for color, thick in strokes(context.scale):
            for dx, dy in ((1, 0), (0, 1)):
                for way in (-1, 1):
                    near, far = 0.35 * half * way, half * way
                    begin = (x + dx * near, y + dy * near)
                    canvas.add_line(begin, (x + dx * far, y + dy * far), color, thick)


def draw_numbers(context: PanelContext, pixels: Sequence[tuple[int, int]]) -> None:
    """Mark pixels in every pane by their numbers, from 1."""
    canvas, area, rim = imgui.get_background_draw_list(), context.area, 3 * context.scale
    for place, (row, column) in enumerate(pixels, 1):
        text = f"{place}"
        size = imgui.calc_text_size(text)
        for left, top in context.session.display.drawn.places(row + 0.5, column + 0.5):
            x, y = round(left) + area.x + 0.5, round(top) + area.y + 0.5
            canvas.add_circle_filled((x, y), 2.5 * context.scale, CASING)
            canvas.add_circle_filled((x, y), 1.5 * context.scale, INK)
            x, y = x + 2 * rim, y - size.y - rim
            canvas.add_rect_filled((x - rim, y), (x + size.x + rim, y + size.y), CASING, rim)
            canvas.add_text((x, y), INK, text)
