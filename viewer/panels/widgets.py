"""Widgets that several panels share: texts, tables, lists, switches, buttons, spacing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from wheatstone.viewer.choices.messages import Kind
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choice, choose
from wheatstone.viewer.display.screen.dear_imgui import imgui, implot
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.theme import Rgb
from wheatstone.viewer.words import progress_words

ICONS: Mapping[Kind, str] = {
    "error": "\uf057",  # a cross in a circle
    "warning": "\uf071",  # an exclamation mark in a triangle
    "hint": "\uf05a",  # an i in a circle
    "success": "\uf058",  # a tick in a circle
}
INKS: Mapping[Kind, Ink] = {
    "error": Ink("red"),
    "warning": Ink("amber"),
    "hint": Ink("quiet"),
    "success": Ink("green"),
}


Rgba = tuple[float, float, float, float] | Ink  # red, green, blue and opacity, 0 to 1 each

FAR = 1e9  # pixels off the screen, where no mouse is
AMBER = Ink("amber")  # what the eye should find
QUIET = Ink("quiet")  # what stands back
CLEAR = Ink("quiet", 0.0)  # a background that is not drawn
KEY_BLUE = Ink("key")  # names of keys

Value = TypeVar("Value")


def text_width(text: str) -> float:
    """Measure the width of a text in pixels; call it within a frame of Dear ImGui."""
    return float(imgui.calc_text_size(text).x)


def clipped(text: str, room: float, width: Callable[[str], float]) -> str:
    """Shorten a text with an ellipsis to fit into a width, after a word if possible."""
    if width(text) <= room:
        return text
    ends = [n for n in range(1, len(text)) if width(f"{text[:n]} ...") <= room]
    words = [n for n in ends if text[n] == " "]
    if words:
        return f"{text[: words[-1]].rstrip()} ..."
    return f"{text[: ends[-1]]}..." if ends else ""


def opaque(color: Rgb) -> tuple[float, float, float, float]:
    """Convert an 8-bit colour to four fractions (red, green, blue, alpha 1) for Dear ImGui."""
    red, green, blue = (level / 255 for level in color)
    return red, green, blue, 1.0


def packed(color: Rgb) -> int:
    """Convert an 8-bit colour to the integer that draw lists of Dear ImGui expect."""
    return int(imgui.get_color_u32(opaque(color)))


def draw_at_right(text: str, *, dim: bool = False, color: Rgba | None = None) -> None:
    """Draw a text right-aligned in its column; a text that is too wide begins at the left."""
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    if dim:
        imgui.text_disabled(text)
    elif color:
        imgui.text_colored(color, text)
    else:
        imgui.text(text)


def draw_wrapped(text: str, color: Rgba | None = None) -> None:
    """Draw a text in a colour, wrapped to the available width; without a colour, in grey."""
    disabled = imgui.get_style_color_vec4(imgui.Col_.text_disabled)
    imgui.push_style_color(imgui.Col_.text, color or disabled)
    imgui.text_wrapped(for_pointer(text))
    imgui.pop_style_color()


def draw_combo(
    label: str, shown: Value, values: Sequence[Value], name: Callable[[Value], str]
) -> Value | None:
    """Draw a drop-down list; return the value that was chosen in this frame, or None.

    Args:
        label: identifies this list to Dear ImGui.
    """
    chosen = None
    if imgui.begin_combo(label, name(shown)):
        for value in values:
            if imgui.selectable(name(value), value == shown)[0]:
                chosen = value
        imgui.end_combo()
    return chosen


def draw_text_field(label: str, shown: str) -> str | None:
    """Draw a text field; return its new text when the user leaves the field, else None.

    The user leaves it by Enter, by Tab, or by a click elsewhere. Esc restores the text before.

    Args:
        label: identifies this field to Dear ImGui.
        shown: the text of the field while nobody types into it.
    """
    flags = imgui.InputTextFlags_.auto_select_all
    _, text = imgui.input_text(label, shown, int(flags))
    return text if imgui.is_item_deactivated_after_edit() and text != shown else None


def stay_on_line(width: float, gap: float = -1.0) -> None:
    """Place the next widget, ``width`` pixels wide, on the same line if it fits there.

    Args:
        gap: pixels between the two; negative: the usual ones.
    """
    imgui.same_line(0, gap)
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()


def draw_tab(label: str, *, chosen: bool) -> bool:
    """Draw a tab, highlighted if it is ``chosen``; return whether it was clicked."""
    color = imgui.Col_.tab_selected if chosen else imgui.Col_.menu_bar_bg
    imgui.push_style_color(imgui.Col_.button, imgui.get_style_color_vec4(color))
    clicked = imgui.button(label)
    imgui.pop_style_color()
    return bool(clicked)


@contextmanager
def pointing_at_nothing() -> Iterator[None]:
    """Disable tooltips and clicks of all widgets drawn in the ``with`` block."""
    io = imgui.get_io()
    place = imgui.ImVec2(io.mouse_pos.x, io.mouse_pos.y)
    io.mouse_pos = imgui.ImVec2(-FAR, -FAR)
    try:
        yield
    finally:
        io.mouse_pos = place


def begin_table(name: str, columns: Mapping[str, float | None], flags: int = 0) -> bool:
    """Begin a table; return whether it is visible.

    Args:
        columns: the width of each in pixels; None: it shares what the others leave.
    """
    visible = bool(imgui.begin_table(name, len(columns), int(flags)))
    kinds = imgui.TableColumnFlags_
    for column, width in columns.items() if visible else ():
        kind = kinds.width_stretch if width is None else kinds.width_fixed
        imgui.table_setup_column(column, int(kind), width or 0.0)
    return visible


def next_row() -> None:
    """Begin a table row in its first column; in text copied from the panel, begin a line."""
    imgui.table_next_row()
    imgui.log_text("\n")
    imgui.table_next_column()


def end_table() -> None:
    """End a table; in text copied from the panel, end the line as well."""
    imgui.end_table()
    imgui.log_text("\n")


@contextmanager
def disabled(condition: object) -> Iterator[None]:
    """Disable the widgets drawn in the ``with`` block, in grey, if a condition is true."""
    imgui.begin_disabled(bool(condition))
    yield
    imgui.end_disabled()


def draw_tip(text: str) -> None:
    """Draw a tooltip for the last widget while the mouse rests on it, unless the text is empty."""
    flags = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
    if (shown := for_pointer(text)) and imgui.is_item_hovered(flags):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(shown)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def draw_switch(state: ViewerState, path: str, label: str, tip: str) -> None:
    """Draw a checkbox that switches a setting of the viewer state, named by its path, on or off."""
    changed, value = imgui.checkbox(label, choice(path).get(state))
    if changed:
        choose(state, path, value)
    draw_tip(tip)


def draw_slot_button(letter: str, thing: str, *, there: bool) -> bool:
    """Draw the button that sets run A or B to ``thing``; return whether it was pressed.

    Args:
        there: whether A or B is that already, which amber shows.
    """
    if there:
        imgui.push_style_color(imgui.Col_.text, AMBER)
    pressed = imgui.small_button(letter.upper())
    if there:
        imgui.pop_style_color()
    draw_tip(f"set {letter.upper()} to {thing}")
    imgui.same_line(0, imgui.get_style().item_inner_spacing.x)
    return pressed


def draw_slider(
    state: ViewerState,
    path: str,
    form: str,
    tip: str,
    *,
    digits: int = 0,
    logarithmic: bool = False,
) -> None:
    """Draw a slider that changes a number of the viewer state, named by its path.

    Args:
        form: how the number is written, such as ``%.1f x``.
        digits: decimals that the number is rounded to.
    """
    entry, flags = choice(path), imgui.SliderFlags_
    low, high = entry.control.low, entry.control.high
    kind = int(flags.logarithmic if logarithmic else flags.none)
    changed, value = imgui.slider_float(f"##{path}", entry.get(state), low, high, form, kind)
    if changed:
        choose(state, path, min(max(float(round(value, digits)), low), high))
    draw_tip(tip)


def draw_pairs(name: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """Draw a table of names (left) and values (right), each row with a tooltip."""
    widest = max((text_width(value) for _, value, _ in rows), default=1.0)
    if not begin_table(name, {"name": None, "value": widest}, imgui.TableFlags_.row_bg):
        return
    for label, value, help in rows:
        next_row()
        imgui.text_wrapped(label)
        if help:
            draw_tip(help)
        imgui.table_next_column()
        draw_at_right(value)
    end_table()


def draw_progress(share: float, step: str, seconds: float, *, even: bool = True) -> None:
    """Draw a bar with the finished share, 0 to 1, and below it the current step and the time.

    Args:
        even: whether equal shares take about equal times, so that the rest can be estimated.
    """
    imgui.progress_bar(share, (-1, imgui.get_font_size() / 4), "")
    draw_wrapped(f"{step}: {progress_words(share, seconds, even=even)}" if step else "")


def draw_chip(color: Rgb) -> None:
    """Draw a small square of a colour before the text that follows on the same line."""
    side = imgui.get_font_size() * 0.7
    left, top = imgui.get_cursor_screen_pos()
    top += (imgui.get_text_line_height() - side) / 2
    canvas = imgui.get_window_draw_list()
    canvas.add_rect_filled((left, top), (left + side, top + side), packed(color), 2.0)
    imgui.dummy((side, imgui.get_text_line_height()))
    imgui.same_line(0, imgui.get_font_size() * 0.4)


@contextmanager
def plot_spacing(spaces: Mapping[str, tuple[float, float]]) -> Iterator[None]:
    """Set the spacing of plots in the ``with`` block: x and y in pixels, by ImPlot variable."""
    for name, (x, y) in spaces.items():
        implot.push_style_var(int(getattr(implot.StyleVar_, name)), imgui.ImVec2(x, y))
    yield
    implot.pop_style_var(len(spaces))


def bare_window() -> int:
    """Return the Dear ImGui flags of a window without title, fixed in place and not saved."""
    flags = imgui.WindowFlags_
    return int(flags.no_decoration | flags.no_move | flags.no_saved_settings | flags.no_nav)


def bar_window() -> int:
    """Return the flags of a bar's window, which leaves open menus open when it appears."""
    flags = imgui.WindowFlags_
    quiet = flags.no_focus_on_appearing | flags.no_bring_to_front_on_focus
    return bare_window() | int(quiet)
