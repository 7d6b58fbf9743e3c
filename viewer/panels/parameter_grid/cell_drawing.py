"""Drawing of the parameter grid: values along its sides, thumbnails and errors."""

from collections.abc import Mapping, Sequence

from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.parameter_grid.computing import GridCell, GridResults
from wheatstone.viewer.panels.parameter_grid.places import numeric
from wheatstone.viewer.panels.widgets import AMBER, INKS, QUIET, clipped, draw_tip, text_width
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken

FLAT = 4.0  # heights of the font that a thumbnail is wide in a panel too low for all rows
SMALLEST = 24.0  # pixels of a thumbnail's width
NOT_ALLOWED = "n/a"  # short, as cells are narrow; the tooltip says why
STRONGEST = 0.55  # opacity of the colour behind a caption


def draw_grid(results: GridResults, textures: Mapping[int, int], slot: Run) -> GridCell | None:
    """Draw the grid's cells, with a frame around that of run A; return the clicked cell or None."""
    grid, em = results.grid, imgui.get_font_size()
    height, width = results.subject.frame.left.shape[:2]
    room, margin = imgui.get_content_region_avail(), em * 3.2
    gap = em * 0.5
    wide = (room.x - margin) / len(grid.columns) - gap
    high = (room.y - 2.4 * em) / len(grid.rows) - 1.3 * em - gap
    side = max(min(wide, max(high * width / height, FLAT * em)), SMALLEST)
    size = (side, side * height / width)
    best = best_of(results)
    captions = [caption(results, cell, best=cell is best) for cell in results.cells]
    column = max(min(wide, max(map(text_width, captions))), side)
    pitch = (column + gap, size[1] + 1.3 * em + gap)
    left, top = imgui.get_cursor_pos()
    _draw_axes(results, (left, top), margin, pitch)
    clicked = None
    for number, cell in enumerate(results.cells):
        x = left + margin + cell.place.column * pitch[0]
        y = top + 2.4 * em + cell.place.row * pitch[1]
        imgui.set_cursor_pos((x, y))
        imgui.push_id(number)
        if _draw_cell(results, cell, textures.get(number), size, slot):
            clicked = cell
        share = badness(cell.bad, [each.bad for each in results.cells])
        readable = cell is best or share is not None
        tint = imgui.Col_.text if readable else imgui.Col_.text_disabled
        words = captions[number]
        if text_width(words) > column:  # its colour also shows which one is best
            words = clipped(words.removeprefix("best "), column, text_width)
        imgui.set_cursor_pos((x, y + size[1]))
        if share is not None:
            _draw_badness(share, max(size[0], text_width(words)))
        imgui.text_colored(imgui.get_style_color_vec4(tint), words)
        imgui.pop_id()
    imgui.set_cursor_pos((left, top + 2.4 * em + len(grid.rows) * pitch[1]))
    imgui.dummy((1, 1))  # what is drawn next is below the grid
    return clicked


def _draw_axes(
    results: GridResults, corner: tuple[float, float], margin: float, pitch: tuple[float, float]
) -> None:
    """Draw the names and values of both parameters, above and left of the cells."""
    grid, em, (left, top) = results.grid, imgui.get_font_size(), corner
    imgui.set_cursor_pos((left + margin, top))
    judged = any(cell.bad is not None for cell in results.cells)
    below = f"; below each, {results.subject.measure}" if judged else ""
    imgui.text_colored(QUIET, f"{spoken(grid.across)} across, {spoken(grid.down)} down{below}")
    for number, value in enumerate(grid.columns):
        imgui.set_cursor_pos((left + margin + number * pitch[0], top + 1.2 * em))
        imgui.text(in_words(value))
    for number, value in enumerate(grid.rows):
        imgui.set_cursor_pos((left, top + 2.4 * em + number * pitch[1]))
        imgui.text(in_words(value))


def _draw_cell(
    results: GridResults, cell: GridCell, texture: int | None, size: tuple[float, float], slot: Run
) -> bool:
    corner, canvas = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
    end = (corner.x + size[0], corner.y + size[1])
    imgui.begin_disabled(cell.place.params is None)
    clicked = bool(imgui.invisible_button("cell", size))
    imgui.end_disabled()
    if texture is None:
        ground = imgui.get_color_u32(imgui.Col_.frame_bg)
        canvas.add_rect_filled((corner.x, corner.y), end, ground)
    else:
        canvas.add_image(imgui.ImTextureRef(texture), (corner.x, corner.y), end)
    draw_tip(_tip(results, cell))
    current = is_current(results, cell, slot)
    thick, ink = imgui.get_font_size() / 6, imgui.get_color_u32(AMBER)
    if current:
        canvas.add_rect((corner.x, corner.y), end, ink, 0.0, thick)
    elif imgui.is_item_focused() or imgui.is_item_hovered():
        canvas.add_rect((corner.x, corner.y), end, imgui.get_color_u32(imgui.Col_.text))
    return clicked


def is_current(results: GridResults, cell: GridCell, slot: Run) -> bool:
    """Return whether a cell has the same values of the two parameters as run A."""
    if slot.pipeline.name != results.subject.slot.pipeline.name:
        return False
    now, grid = slot.params.values(), results.grid
    return (now[grid.across], now[grid.down]) == (
        grid.columns[cell.place.column],
        grid.rows[cell.place.row],
    )


def best_of(results: GridResults) -> GridCell | None:
    """Return the cell with the smallest error; None while no error is known."""
    judged = [cell for cell in results.cells if cell.bad is not None]
    return min(judged, key=lambda cell: cell.bad or 0.0) if judged else None


def on_rim(results: GridResults) -> list[str]:
    """List the parameters whose best value is at the grid's edge, but not at their own limit."""
    best, grid = best_of(results), results.grid
    if not best or not best.place.params or not results.done:
        return []
    known, values = numeric(type(best.place.params)), best.place.params.values()
    return [
        name
        for name, listed in ((grid.across, grid.columns), (grid.down, grid.rows))
        if values[name] in (listed[0], listed[-1])
        and known[name].low < values[name] < known[name].high
    ]


def badness(bad: float | None, errors: Sequence[float | None]) -> float | None:
    """Return an error's position between the smallest (0) and the largest (1) of the grid.

    None if the error is unknown, or if all errors are equal.
    """
    known = [error for error in errors if error is not None]
    if bad is None or min(known) == max(known):
        return None
    return (bad - min(known)) / (max(known) - min(known))


def _draw_badness(share: float, width: float) -> None:
    """Fill the background of a caption: green for the smallest error, red for the largest."""
    corner, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    end = (corner.x + width, corner.y + height)
    for ink, part in ((INKS["success"], 1 - share), (INKS["error"], share)):
        red, green, blue, _ = ink
        color = imgui.get_color_u32((red, green, blue, STRONGEST * part))
        imgui.get_window_draw_list().add_rect_filled((corner.x, corner.y), end, color)


def caption(results: GridResults, cell: GridCell, *, best: bool = False) -> str:
    """Return the caption below a cell of the grid: its error, or why it is empty."""
    if cell.why:
        return "failed" if cell.place.params else NOT_ALLOWED
    if cell.picture is None:
        return "..."
    if cell.bad is None:
        return ""
    return f"{'best ' if best else ''}{cell.bad:.2f} %"


def _tip(results: GridResults, cell: GridCell) -> str:
    help = "click to use these values in A" if cell.place.params else ""
    measure = f"{results.subject.measure} " if cell.bad is not None else ""
    result = cell.why or f"{measure}{caption(results, cell)}"
    return "\n".join(filter(None, (results.grid.values_at(cell.place), result, help)))
