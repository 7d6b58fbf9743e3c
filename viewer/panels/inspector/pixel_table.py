"""Draw the inspector's tables: colours of the source, then values of the images."""

from wheatstone.viewer.panels.inspector.pixel_rows import DASH, PixelRow
from wheatstone.viewer.panels.inspector.pixel_words import Levels
from wheatstone.viewer.panels.widgets import draw_at_right, opaque
from wheatstone.viewer.picture.seen import Letter
from wheatstone.viewer.screen.dear_imgui import imgui


def draw_levels(levels: list[Levels]) -> None:
    """Draw a line for each view of the source at the pixel, with its colour."""
    side = imgui.get_font_size()
    quiet = imgui.ColorEditFlags_.no_tooltip | imgui.ColorEditFlags_.no_drag_drop
    if not imgui.begin_table("levels", 2):
        return
    for number, level in enumerate(levels):
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text(level.name)
        imgui.table_next_column()
        if level.color:
            color = opaque(level.color)
            imgui.color_button(f"##{number}", color, int(quiet), (side, side))
            imgui.same_line()
        imgui.text(level.text)
    imgui.end_table()


def draw_table(rows: list[PixelRow], letters: tuple[Letter, ...]) -> None:
    """Draw names, values and a last column: stored values for one slot, A - B for two."""
    both = len(letters) == 2
    last = "A - B" if both else "stored"
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    scale = imgui.get_style().font_scale_dpi
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (3 * scale, 2 * scale))
    if imgui.begin_table("pixel", 2 + len(letters), int(flags)):
        weights = (3.1, 2.2, 2.2, 2.2) if both else (3.1, 3.4, 1.4)
        for number, weight in enumerate(weights):
            imgui.table_setup_column(
                str(number), int(imgui.TableColumnFlags_.width_stretch), weight
            )
        for row in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            if row.heading:
                _draw_heading(row, letters, last)
            else:
                _draw_row(row, both=both)
        imgui.end_table()
    imgui.pop_style_var()


def _draw_row(row: PixelRow, *, both: bool) -> None:
    """Draw one row of values.

    Args:
        both: whether there are two slots.
    """
    imgui.text_wrapped(row.name)
    if row.help:
        imgui.set_item_tooltip(row.help)
    nothing = ("",) * len(row.values)
    for value, stored, absent in zip(
        row.values, row.stored or nothing, row.absent or nothing, strict=True
    ):
        imgui.table_next_column()
        _draw_value(value if both else absent or value, dim=bool(absent) or value == DASH)
        if both and (stored or absent):
            imgui.set_item_tooltip(absent or f"stored as {stored}")
    imgui.table_next_column()
    draw_at_right(row.apart if both else "".join(row.stored), dim=not both or row.apart == "0")


def _draw_value(text: str, *, dim: bool) -> None:
    """Draw a value right-aligned; wrap a text that does not fit."""
    if imgui.calc_text_size(text).x <= imgui.get_content_region_avail().x:
        draw_at_right(text, dim=dim)
    else:
        imgui.text_wrapped(text)


def _draw_heading(row: PixelRow, letters: tuple[Letter, ...], last: str) -> None:
    """Draw the title of the rows below, and the headings of their columns."""
    imgui.text_disabled(row.name)
    for name in (*(letter.upper() for letter in letters), last):
        imgui.table_next_column()
        draw_at_right(name, dim=True)
