"""Widgets that several panels share: right-aligned text, dim text, lists, chips, spacing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from wheatstone.viewer.choices.messages import Kind
from wheatstone.viewer.screen.dear_imgui import imgui, implot
from wheatstone.viewer.screen.style import Ink
from wheatstone.viewer.theme import Rgb


def text_width(text: str) -> float:
    """Measure a text's width in pixels, within a frame of Dear ImGui."""
    return float(imgui.calc_text_size(text).x)


def clipped(text: str, room: float, width: Callable[[str], float]) -> str:
    """Shorten a text to as many of its first words as fit, and add an ellipsis.

    A first word that is too long by itself is cut.

    Args:
        room: width available for the text, in the unit of ``width``.
        width: measures a text.
    """
    if width(text) <= room:
        return text
    ends = [n for n in range(1, len(text)) if width(f"{text[:n]} ...") <= room]
    words = [n for n in ends if text[n] == " "]
    if words:
        return f"{text[: words[-1]].rstrip()} ..."
    return f"{text[: ends[-1]]}..." if ends else ""


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
KEY_BLUE = Ink("key")  # names of keys

Value = TypeVar("Value")


def opaque(color: Rgb) -> tuple[float, float, float, float]:
    """Convert an 8-bit colour to the four fractions that Dear ImGui takes."""
    red, green, blue = (level / 255 for level in color)
    return red, green, blue, 1.0


def packed(color: Rgb) -> int:
    """Pack an 8-bit colour into the integer that Dear ImGui's draw lists take."""
    return int(imgui.get_color_u32(opaque(color)))


def draw_at_right(text: str, *, dim: bool = False, color: Rgba | None = None) -> None:
    """Draw right-aligned text in its column; text that is too wide begins at the left border.

    Args:
        dim: whether the text is drawn as disabled text.
        color: of text that is not dim; None for the default.
    """
    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    if dim:
        imgui.text_disabled(text)
    elif color:
        imgui.text_colored(color, text)
    else:
        imgui.text(text)


def draw_wrapped(text: str, color: Rgba | None = None) -> None:
    """Draw text in a colour, wrapped to the width; without a colour, as disabled text."""
    disabled = imgui.get_style_color_vec4(imgui.Col_.text_disabled)
    imgui.push_style_color(imgui.Col_.text, color or disabled)
    imgui.text_wrapped(text)
    imgui.pop_style_color()


def draw_combo(
    label: str, shown: Value, values: Sequence[Value], name: Callable[[Value], str]
) -> Value | None:
    """Draw a drop-down list; return the value chosen in this frame, or None.

    Args:
        label: identifies this list to Dear ImGui.
        shown: the current value.
        name: returns the text for a value.
    """
    chosen = None
    if imgui.begin_combo(label, name(shown)):
        for value in values:
            if imgui.selectable(name(value), value == shown)[0]:
                chosen = value
        imgui.end_combo()
    return chosen


def draw_text_field(label: str, shown: str) -> str | None:
    """Draw a text field; return the new text once the user leaves the field, else None.

    The user leaves it by Enter, by Tab, or by a click elsewhere. Esc restores the text before.

    Args:
        label: identifies this field to Dear ImGui.
        shown: the text of the field while nobody types into it.
    """
    flags = imgui.InputTextFlags_.auto_select_all
    _, text = imgui.input_text(label, shown, int(flags))
    return text if imgui.is_item_deactivated_after_edit() and text != shown else None


def stay_on_line(width: float) -> None:
    """Place the next widget on the same line as the last one if there is room.

    Args:
        width: of the next widget, in pixels.
    """
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()


@contextmanager
def pointing_at_nothing() -> Iterator[None]:
    """Keep the mouse off all widgets that the block draws: no tooltips and no clicks."""
    io = imgui.get_io()
    place = imgui.ImVec2(io.mouse_pos.x, io.mouse_pos.y)
    io.mouse_pos = imgui.ImVec2(-FAR, -FAR)
    try:
        yield
    finally:
        io.mouse_pos = place


def draw_pairs(name: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """Draw rows of a name on the left and a value on the right, each with a tooltip.

    Args:
        name: identifies this table to Dear ImGui.
    """
    if not imgui.begin_table(name, 2, int(imgui.TableFlags_.row_bg)):
        return
    flags = imgui.TableColumnFlags_
    imgui.table_setup_column("name", int(flags.width_stretch))
    widest = max((imgui.calc_text_size(value).x for _, value, _ in rows), default=1.0)
    imgui.table_setup_column("value", int(flags.width_fixed), widest)
    for said, value, help in rows:
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text_wrapped(said)
        if help:
            imgui.set_item_tooltip(help)
        imgui.table_next_column()
        draw_at_right(value)
    imgui.end_table()


def draw_chip(color: Rgb) -> None:
    """Draw a small square of a colour, at the height of the text that follows on its line."""
    side = imgui.get_font_size() * 0.7
    left, top = imgui.get_cursor_screen_pos()
    top += (imgui.get_text_line_height() - side) / 2
    canvas = imgui.get_window_draw_list()
    canvas.add_rect_filled((left, top), (left + side, top + side), packed(color), 2.0)
    imgui.dummy((side, imgui.get_text_line_height()))
    imgui.same_line(0, imgui.get_font_size() * 0.4)


@contextmanager
def plot_spacing(spaces: Mapping[str, tuple[float, float]]) -> Iterator[None]:
    """Draw the plots of a block with different spacing.

    Args:
        spaces: pixels across and down, by the name of a style variable of ImPlot.
    """
    for name, (x, y) in spaces.items():
        implot.push_style_var(int(getattr(implot.StyleVar_, name)), imgui.ImVec2(x, y))
    yield
    implot.pop_style_var(len(spaces))


def bare_window() -> int:
    """Combine the flags of a window over the picture: no title, fixed, not saved."""
    flags = imgui.WindowFlags_
    return int(flags.no_decoration | flags.no_move | flags.no_saved_settings | flags.no_nav)
