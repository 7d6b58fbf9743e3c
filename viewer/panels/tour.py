"""The card of the tour over the picture, and the frame around the highlighted area."""

from dataclasses import dataclass

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.panels.panel import Area, Places
from wheatstone.viewer.panels.widgets import AMBER, QUIET, bare_window, disabled, draw_tip

PICTURE, STATUS = "picture", "status"


@dataclass(frozen=True)
class TourStep:
    """A step of the tour: its texts, its commands, and the area that it highlights.

    Attributes:
        does: its commands, in order: names of entries of the palette.
        points: the area to highlight: ``PICTURE``, ``STATUS``, or the name of a panel.
    """

    title: str
    says: str
    does: tuple[str, ...]
    points: str


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "What you see",
        "A colour shows by how many pixels a point moves between the left and the right view: "
        "its disparity. The nearer a point is, the more it moves. The bar at the border shows "
        "the value of each colour.",
        ("pipeline: sgm", "view: disparity"),
        PICTURE,
    ),
    TourStep(
        "Pipelines",
        "A pipeline is a kind of computation. This is canny, which detects edges; Ctrl and a "
        "digit choose another. The status line shows pipeline, variant, and the time of a frame.",
        ("pipeline: canny",),
        STATUS,
    ),
    TourStep(
        "Variants and parameters",
        "A variant computes the same pixels in another way, on the processor or on the GPU: a "
        "digit chooses one. Presets and parameters are in this panel; drag one, and the picture "
        "changes.",
        ("pipeline: sgm", "view: disparity", "variant: cpu", "show parameters"),
        "parameters",
    ),
    TourStep(
        "A and B",
        "Two results at once: A, left of the seam, and B, right of it, have different presets. "
        "Drag the seam. D shows the difference, B blinks, and E checks that every pixel is equal.",
        (
            *("pipeline: sgm", "view: disparity", "variant: cpu", "variant of B: cpu"),
            *("unlink or link parameters of B", "preset: libsgm", "comparison: wipe"),
        ),
        PICTURE,
    ),
    TourStep(
        "Why does a pixel have its value?",
        "Point at a pixel: the panel draws the cost of every disparity there. The lowest point "
        "of the sum wins; two equally low points explain a wrong pixel.",
        ("pipeline: sgm", "view: disparity", "show matching costs"),
        "costs",
    ),
    TourStep(
        "Views",
        "The same result has other views: V steps through them. Here is a point cloud: drag to "
        "turn it, and turn the wheel to move nearer.",
        ("pipeline: sgm", "view: cloud"),
        PICTURE,
    ),
)


WIDTH = 34.0  # in heights of a letter
LOW = 0.87  # where the card ends, in heights of the picture's area: above the colour bar
FRAME = 2.0  # width of the frame, in units of an unscaled screen
KEYS = {"Enter": "next", "Backspace": "back", "Esc": "end"}
"""The effects of keys on the tour."""


def pointed(points: str, places: Places, bottom: int, width: int) -> Area:
    """Return the area that a step of the tour highlights; the picture's if its panel is hidden.

    Args:
        bottom: height of the status line in pixels.
    """
    if points == STATUS:
        picture = places.picture
        lowest = max(a.y + a.height for a in (picture, *places.panels.values()))
        return Area(0, lowest, width, bottom)
    return places.picture if points == PICTURE else places.panels.get(points, places.picture)


def draw_tour(state: ViewerState, places: Places, bottom: int, scale: float) -> None:
    """Draw the current step of the guided tour; its buttons request actions.

    Args:
        bottom: height of the status line in pixels.
    """
    if not state.tour:
        return
    step, area = STEPS[state.tour.step], places.picture
    target = pointed(step.points, places, bottom, round(imgui.get_io().display_size.x))
    _draw_frame(target, scale)
    place = (area.x + area.width / 2, area.y + area.height * LOW)
    imgui.set_next_window_pos(place, imgui.Cond_.always, (0.5, 1.0))
    width = min(WIDTH * imgui.get_font_size(), area.width - 16 * scale)
    imgui.set_next_window_size((max(width, 1.0), 0))
    imgui.set_next_window_bg_alpha(1.0)
    imgui.begin("tour", None, bare_window())
    imgui.text(step.title)
    imgui.same_line()
    imgui.text_colored(QUIET, f"{state.tour.step + 1} of {len(STEPS)}")
    imgui.text_wrapped(for_pointer(step.says))
    imgui.spacing()
    _draw_buttons(state, state.tour.step)
    imgui.end()


def _draw_frame(area: Area, scale: float) -> None:
    width = FRAME * scale
    begin = area.x + width, area.y + width
    end = area.x + area.width - width, area.y + area.height - width
    color = imgui.get_color_u32(AMBER)
    canvas = imgui.get_foreground_draw_list()
    canvas.add_rect(begin, end, color, rounding=4 * scale, thickness=width)


def _draw_buttons(state: ViewerState, step: int) -> None:
    last = step == len(STEPS) - 1
    if not last:
        if imgui.button(for_pointer("Next (Enter)")):
            state.effects.append(("tour", "next"))
        imgui.same_line()
    with disabled(step == 0):
        if imgui.button(for_pointer("Back (Backspace)")):
            state.request("tour", "back")
    imgui.same_line()
    if imgui.button(for_pointer("End (Esc)")):
        state.effects.append(("tour", "end"))
    draw_tip("end the tour and restore all settings")
