"""Drawing of the command palette: the line that the user types, and the entries that fit."""

from pathlib import Path

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer, keys_shown
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry
from wheatstone.viewer.panels.keys.palette.finding import offered, take
from wheatstone.viewer.panels.panel import Area
from wheatstone.viewer.panels.widgets import AMBER, KEY_BLUE, QUIET, bare_window

WIDTH, LINES = 44.0, 14  # in heights of a letter


def draw_palette(state: ViewerState, picture: Area) -> None:
    """Draw the palette centred on the picture, or on the window if the picture is narrow."""
    if not state.palette:
        return
    screen, letter = imgui.get_io().display_size, imgui.get_font_size()
    width = min(WIDTH * letter, screen.x * 0.94)
    middle = picture.x + picture.width / 2 if width <= picture.width else screen.x / 2
    imgui.set_next_window_pos((middle, screen.y * 0.08), imgui.Cond_.always, (0.5, 0.0))
    imgui.set_next_window_size((width, 0))
    imgui.set_next_window_focus()
    imgui.begin("palette", None, bare_window())
    _draw_line(state)
    entries = offered(state)
    imgui.separator()
    if state.palette.asks and entries and entries[0].take:
        for entry in entries:
            imgui.push_text_wrap_pos(0)
            imgui.text_colored(QUIET, entry.help)
            imgui.pop_text_wrap_pos()
    elif not entries:
        imgui.text_colored(QUIET, "no command matches; Esc closes")
    else:
        _draw_entries(state, entries, min(LINES, screen.y * 0.7 / imgui.get_frame_height()))
    imgui.end()


def _draw_line(state: ViewerState) -> None:
    """Draw the line of typed text with a caret, or a hint before the user types."""
    palette = state.palette
    assert palette
    if palette.asks:
        imgui.text_colored(KEY_BLUE, palette.asks.removesuffix(" ..."))
        imgui.same_line()
    if palette.first:
        imgui.text_colored(QUIET, f"left {Path(palette.first).name}, right")
        imgui.same_line()
    shown = _end_of(palette.query, imgui.get_content_region_avail().x)
    if palette.marked:
        begin, size = imgui.get_cursor_screen_pos(), imgui.calc_text_size(shown)
        ground = imgui.get_color_u32(imgui.Col_.text_selected_bg)
        end = (begin.x + size.x, begin.y + size.y)
        imgui.get_window_draw_list().add_rect_filled(begin, end, ground)
    imgui.text(shown)
    imgui.same_line(0, 1)
    corner, height = imgui.get_cursor_screen_pos(), imgui.get_font_size()
    end = (corner.x + max(height / 10, 1), corner.y + height)
    imgui.get_window_draw_list().add_rect_filled(corner, end, imgui.get_color_u32(KEY_BLUE))
    imgui.dummy((height / 5, height))
    if not palette.query:
        imgui.same_line(0, height / 5)
        hint = "Enter confirms, Esc cancels" if palette.asks else "variant, view, preset, p1 ..."
        imgui.text_colored(QUIET, for_pointer(hint))


def _end_of(text: str, room: float) -> str:
    """Remove letters from the beginning of a text until it fits into ``room`` pixels."""
    while text and imgui.calc_text_size(text).x > room - imgui.get_font_size():
        text = text[1:]
    return text


def _draw_entries(state: ViewerState, entries: list[PaletteEntry], lines: float) -> None:
    assert state.palette
    chosen = min(state.palette.chosen, len(entries) - 1)
    row = imgui.get_text_line_height_with_spacing()
    imgui.begin_child("entries", (0, row * min(len(entries), int(lines))))
    storage, place = imgui.get_state_storage(), imgui.get_id("chosen")
    follow = storage.get_int(place, -1) != chosen  # the keys moved; the wheel may go elsewhere
    storage.set_int(place, chosen)
    for number, entry in enumerate(entries):
        if follow and number == chosen:
            imgui.set_scroll_here_y(0.5)
        if _draw_entry(entry, number, number == chosen):
            take(state, entry)
    imgui.end_child()
    imgui.separator()
    imgui.push_text_wrap_pos(0)
    entry = entries[chosen]
    imgui.text_colored(
        QUIET, f"not available: {entry.why_not}" if entry.why_not else entry.help or " "
    )
    imgui.pop_text_wrap_pos()


def _draw_entry(entry: PaletteEntry, number: int, chosen: bool) -> bool:
    """Draw the line of one entry, with a dot if it is the current value; return whether clicked."""
    here = imgui.get_cursor_pos_x()
    right = here + imgui.get_content_region_avail().x - imgui.get_font_size() * 0.4
    clicked = imgui.selectable(f"##{number}", chosen)[0]
    seen = imgui.is_item_visible()
    if seen:
        if entry.current:
            imgui.same_line(here + imgui.get_font_size() * 0.4)
            imgui.text_colored(AMBER, "\u2022")
        imgui.same_line(here + imgui.get_font_size() * 1.2)
        quiet = entry.why_not or entry.quiet
        imgui.text_colored(QUIET, entry.name) if quiet else imgui.text(entry.name)
        if keys := keys_shown(entry.keys):
            imgui.same_line(right - imgui.calc_text_size(keys).x)
            imgui.text_colored(KEY_BLUE, keys)
    return bool(clicked)
