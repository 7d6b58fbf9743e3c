"""The context menu of a panel: copy or save the panel's contents, show help, close."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.workspaces import PanelPlace, Place
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.panel import Body, Panel, PanelContext
from wheatstone.viewer.words import csv_of

NAME = "panel menu"
RIGHT = 1  # mouse button
PLACES: Mapping[Place, str] = {
    "left": "Dock at the left",
    "right": "Dock at the right",
    "below": "Dock below the picture",
    "beside": "Dock next to the picture, large",
    "float": "Float over the picture",
}
CELL = "|"  # stands in front of every cell of a table in Dear ImGui's log
COPIES: Mapping[str, tuple[str, bool]] = {
    "Copy as text": ("copy panel", False),
    "Copy as CSV": ("copy panel", True),
    "Save as CSV": ("save panel", True),
}
"""Entries of the menu: the effect that each requests, and whether it takes CSV."""


class PanelMenu:
    """The context menus of a window's panels, which also copy the panels' contents."""

    def __init__(self) -> None:
        self._copies: tuple[str, str] | None = None  # the panel, and which of COPIES

    @contextmanager
    def copying(self, context: PanelContext, panel: Panel, body: Body) -> Iterator[None]:
        """Copy the texts drawn in the ``with`` block if the user asked to copy this panel."""
        if not self._copies or self._copies[0] != panel.name:
            yield
            return
        (_, label), self._copies = self._copies, None
        imgui.log_to_clipboard()
        yield
        imgui.log_finish()
        lines = [line.strip() for line in imgui.get_clipboard_text().splitlines()]
        text = "\n".join(filter(None, lines))
        effect, as_csv = COPIES[label]
        try:
            contents = (body.csv(context) or table_of(text)) if as_csv else text
        except ValueError as error:
            context.state.report_error(str(error))
        else:
            context.state.request(effect, panel.name, contents)

    def draw(self, state: ViewerState, panel: Panel) -> None:
        """Draw the context menu in the panel's window; a right click on its background opens it."""
        flags = imgui.HoveredFlags_
        within = imgui.is_window_hovered(int(flags.root_and_child_windows))
        if within and imgui.is_mouse_released(RIGHT) and not imgui.is_any_item_hovered():
            imgui.open_popup(NAME)
        if not imgui.begin_popup(NAME):
            return
        for label in COPIES:
            if imgui.menu_item_simple(label):
                self._copies = panel.name, label
        imgui.separator()
        if panel.place != "foot" and imgui.begin_menu("Move panel"):
            for place, name in PLACES.items():
                if imgui.menu_item_simple(name, "", panel.place == place):
                    moved = PanelPlace(place, box=panel.box)
                    state.workspaces = state.workspaces.moved(panel.name, moved)
            imgui.end_menu()
        imgui.separator()
        if imgui.menu_item_simple("Show help", "H"):
            state.help = True
        if imgui.menu_item_simple("Close panel", panel.key):
            state.open_panels.discard(panel.name)
        imgui.end_popup()


def table_of(text: str) -> str:
    """Extract the rows of tables from the copied text of a panel, and format them as CSV.

    Raises:
        ValueError: there are none.
    """
    lines = [line for line in text.splitlines() if line.startswith(CELL)]
    rows = [[cell.strip() for cell in line.split(CELL)[1:]] for line in lines]
    if not rows:
        raise ValueError("this panel shows no table")
    return csv_of(row[:-1] if row[1:] and not row[-1] else row for row in rows)
