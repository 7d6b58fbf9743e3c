"""Panel layout of a window: bars, open panels, status line, help and command palette."""

import time
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from wheatstone.viewer.choices.messages import NOTHING, Message
from wheatstone.viewer.choices.workspaces import PanelPlace
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels import PANELS, panel
from wheatstone.viewer.panels.docking import PanelDocking, box_of
from wheatstone.viewer.panels.findings import FindingsBar
from wheatstone.viewer.panels.inspector.picture_labels import PictureLabels
from wheatstone.viewer.panels.keys.help import draw_help
from wheatstone.viewer.panels.keys.menu.bars import MenuBars
from wheatstone.viewer.panels.keys.menu.picture_menu import PictureMenu
from wheatstone.viewer.panels.keys.palette.drawing import draw_palette
from wheatstone.viewer.panels.marks import draw_place_mark
from wheatstone.viewer.panels.panel import (
    Area,
    Body,
    Panel,
    PanelContext,
    Places,
    arrange,
    beside_picture,
    lowered,
    placed,
)
from wheatstone.viewer.panels.panel_menu import PanelMenu
from wheatstone.viewer.panels.range_handles import draw_range_handles
from wheatstone.viewer.panels.status import bar_height, draw_status
from wheatstone.viewer.panels.status_words import Status
from wheatstone.viewer.panels.tour import draw_tour
from wheatstone.viewer.panels.widgets import bare_window, draw_tab, pointing_at_nothing
from wheatstone.viewer.window.steady_picture import hold_picture


@dataclass
class WindowLayout(PanelContext):
    """The panels of one window.

    Attributes:
        bars: the menu bar and the toolbar.
        findings: the bar of findings below them.
        labels: the values of pixels over the picture.
        picture_menu: the menu that a right click on the picture opens.
        panel_menu: the menu that a right click on a panel opens.
        equality_area: the area of the list that compares every stage of A and B, while it is shown.
        docking: the mouse on titles and borders of panels.
        status: the status line of the previous frame; None while it is hidden.
    """

    bars: MenuBars = field(default_factory=MenuBars)
    findings: FindingsBar = field(default_factory=FindingsBar)
    labels: PictureLabels = field(default_factory=PictureLabels)
    picture_menu: PictureMenu = field(default_factory=PictureMenu)
    panel_menu: PanelMenu = field(default_factory=PanelMenu)
    equality_area: Area = field(default_factory=lambda: Area(0, 0, 1, 1))
    docking: PanelDocking = field(default_factory=PanelDocking)
    status: Status | None = None
    _work: Area = field(default_factory=lambda: Area(0, 0, 1, 1))  # between the bars
    _message: Message = NOTHING  # the one drawn in the frame before
    _focused: str = ""  # the panel that keys worked in the frame before
    _bodies: dict[str, Body] = field(default_factory=dict)
    _kept: dict[str, Body] = field(default_factory=dict)  # of closed panels that are lasting
    _places: tuple[tuple[object, ...], Places] | None = None  # and what they were asked for

    @property
    def open(self) -> tuple[Panel, ...]:
        """The visible panels, in their order of declaration."""
        if not self.state.panels:
            return ()
        opened = self.state.open_panels
        sequence = self.session.source.length > 1
        useful = (declared for declared in PANELS if sequence or not declared.of_sequences)
        found = self.state.workspaces
        return tuple(placed(declared, found) for declared in useful if declared.name in opened)

    @property
    def outdated(self) -> bool:
        """Whether the message drawn last differs from the one that is due."""
        return self.state.messages.visible(time.monotonic()) != self._message

    @property
    def busy(self) -> bool:
        """Whether an open panel waits for a result from the background."""
        return any(body.busy for body in self._bodies.values())

    @property
    def dues(self) -> list[float]:
        """Times when open panels change by themselves."""
        return [body.due for body in self._bodies.values()]

    def arrange(self, width: int, height: int) -> Places:
        """Divide a window of this size, in pixels, among bars, picture, panels and status line."""
        self.findings.update(self.session)
        found, bar = self.findings.height(self.scale), bar_height(self.state, self.scale)
        state, top = self.state, self._top + found
        work = max(height - top - bar, 1)
        chosen = self.open, tuple(state.workspaces.sizes.items()), state.front, state.stages
        asked = (chosen, found, width, height, self._top, bar, self.scale)
        if not self._places or self._places[0] != asked:
            sizes = state.workspaces.sizes
            places = arrange(self.open, width, work, self.scale, sizes, state.front)
            places = lowered(places, top)
            if self.state.stages:
                picture, self.equality_area = beside_picture(places.picture, self.scale)
                places = replace(places, picture=picture)
            if self._places and self._places[0][2:] == asked[2:]:
                hold_picture(self, places.picture)
            self._places = asked, places
        self.area, self._work = self._places[1].picture, Area(0, top, width, work)
        return self._places[1]

    @property
    def _top(self) -> int:
        """The height of the bars above findings and picture, in pixels."""
        return MenuBars.height(self.state, self.scale)

    def update(self, *, first: bool = True) -> None:
        """Update the bodies of the open panels; close the bodies of the others.

        Args:
            first: whether the first picture is shown; most panels wait for it.
        """
        names = [panel.name for panel in self.open]
        if self.state.focus not in names:
            self.state.focus = ""
        for name in [name for name in self._bodies if name not in names]:
            self._close(name)
        for seen in self.open:
            if not (first or seen.passing or not seen.needs_picture):
                continue
            if seen.name not in self._bodies:
                kept = seen.name in self._kept
                self._bodies[seen.name] = self._kept.pop(seen.name) if kept else seen.open()
            self._bodies[seen.name].update(self)
        if first:
            self.labels.update(self)

    def body(self, name: str) -> Body | None:
        """Return the body of an open panel; None while it is closed."""
        return self._bodies.get(name)

    def _close(self, name: str) -> None:
        """Close a panel's body; keep the body of a lasting panel until that is opened again."""
        body = self._bodies.pop(name)
        body.close()
        if panel(name).lasting:
            self._kept[name] = body

    def draw(self, places: Places) -> None:
        """Draw open panels, status line, tour, help and palette, within a frame of Dear ImGui."""
        with pointing_at_nothing() if self.state.palette else nullcontext():
            self._draw_below_palette(places)
        if self.state.palette:
            draw_palette(self.state)

    def _draw_below_palette(self, places: Places) -> None:
        """Draw all except the palette, which takes keys and mouse while it is open."""
        draw_place_mark(self)
        if self.state.bars and self.state.panels:
            draw_range_handles(self)
        self.labels.draw(self)
        if places.tabs:
            self._draw_tabs(places.tabs, places.panels)
        for seen in sorted(self.open, key=lambda seen: seen.place == "float"):
            if seen.name in self._bodies and seen.name in places.panels:
                self._draw_panel(seen, places.panels[seen.name])
        if not places.tabs:
            self.state.workspaces = self.docking.draw(
                self.state.workspaces, self.open, places, self._work, self.scale
            )
        self._focused = self.state.focus
        width, height = round(imgui.get_io().display_size.x), self.findings.height(self.scale)
        self.findings.draw(self.state, Area(0, self._top, width, height))
        self.bars.draw(self.session, self.scale)
        self.picture_menu.draw(self.session, self.bars)
        self._message = self.state.messages.visible(time.monotonic())
        if self.state.panels:
            self.status = draw_status(self, self._message, self.status)
        else:
            self.status = None
        draw_tour(self.state, places, bar_height(self.state, self.scale), self.scale)
        if self.state.help:
            draw_help(self.state, self.scale)

    def _draw_panel(self, panel: Panel, area: Area) -> None:
        """Draw a panel's window and body; close the panel if the user closes the window."""
        imgui.set_next_window_pos((area.x, area.y))
        imgui.set_next_window_size((area.width, area.height))
        if self.state.focus == panel.name != self._focused:
            imgui.set_next_window_focus()
        flags = imgui.WindowFlags_
        floats = panel.place == "float"
        fixed = flags.no_move
        if not floats:
            fixed |= flags.no_resize | flags.no_bring_to_front_on_focus
        kind = int(flags.no_saved_settings | flags.no_collapse | fixed)
        kind |= int(flags.no_title_bar | flags.no_scrollbar) if panel.place == "foot" else 0
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)  # what is behind stays behind
        imgui.push_style_var(imgui.StyleVar_.window_border_size, float(floats))
        seen, stays = imgui.begin(f"{panel.title}###{panel.name}", True, kind)
        imgui.pop_style_var(2)
        if panel.place != "foot":
            self.docking.take(panel, area)
        if floats and seen:
            self._follow_size(panel, area)
        if seen:
            body = self._bodies[panel.name]
            with self.panel_menu.copying(self, panel, body):
                body.draw(self)
            self.panel_menu.draw(self.state, panel)
        imgui.end()
        if not stays:
            self.state.open_panels.discard(panel.name)

    def _follow_size(self, panel: Panel, area: Area) -> None:
        """Keep the size that the user drags a floating panel to, in whose window this is called."""
        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        now = Area(*(round(value) for value in (*corner, *size)))
        if now != area and imgui.is_mouse_down(0):
            place = PanelPlace("float", panel.share, box_of(now, self._work))
            self.state.workspaces = self.state.workspaces.moved(panel.name, place)

    def _draw_tabs(self, area: Area, shown: Collection[str]) -> None:
        """Draw the tabs of a narrow window, one for each open panel but those at the foot."""
        imgui.set_next_window_pos((area.x, area.y))
        imgui.set_next_window_size((area.width, area.height))
        flags = imgui.WindowFlags_
        kind = (bare_window() & ~int(flags.no_scrollbar)) | int(flags.horizontal_scrollbar)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
        imgui.begin("panel tabs", None, kind)
        imgui.pop_style_var()
        for number, seen in enumerate(p for p in self.open if p.place != "foot"):
            if number:
                imgui.same_line()
            if draw_tab(seen.title, chosen=seen.name in shown):
                self.state.front = seen.name
        imgui.end()

    def close(self) -> None:
        """Close the bodies of all open panels."""
        for body in self._bodies.values():
            body.close()
        self._bodies.clear()
        self.bars.close()
