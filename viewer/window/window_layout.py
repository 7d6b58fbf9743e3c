"""Panel layout of a window: bars, open panels, status line, help and command palette."""

import time
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.messages import NOTHING, Message
from wheatstone.viewer.choices.state import FITTED, LARGEST_ZOOM, SMALLEST_ZOOM
from wheatstone.viewer.choices.workspaces import LEAVES, STAYS, PanelPlace
from wheatstone.viewer.choices.zooming import fit_unmoved
from wheatstone.viewer.display.picture.layout import holding
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels import PANELS, panel
from wheatstone.viewer.panels.docking import PanelDocking, box_of
from wheatstone.viewer.panels.findings import FindingsBar
from wheatstone.viewer.panels.inspector.picture_labels import PictureLabels
from wheatstone.viewer.panels.keys.help import draw_help
from wheatstone.viewer.panels.keys.menu.bars import MenuBars, draw_picture_menu
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
from wheatstone.viewer.panels.widgets import (
    bar_window,
    draw_combo,
    draw_tab,
    draw_wrapped,
    pointing_at_nothing,
    text_width,
)

WAITS = "waiting for the first result"  # a panel that needs a picture


@dataclass
class WindowLayout(PanelContext):
    """The layout and contents of one window's panels and bars.

    Attributes:
        bars: the menu bar and the toolbar.
        findings: the bar of findings below them.
        labels: the values of pixels over the picture.
        panel_menu: the menu that a right click on a panel opens.
        equality_area: the area of the list that compares every stage of A and B, while it is shown.
        docking: the mouse on titles and borders of panels.
        status: the status line of the previous frame; None while it is hidden.
    """

    bars: MenuBars = field(default_factory=MenuBars)
    findings: FindingsBar = field(default_factory=FindingsBar)
    labels: PictureLabels = field(default_factory=PictureLabels)
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
    _around: tuple[object, ...] = ()  # bars and window, of those places
    _opened: tuple[str, frozenset[str]] = ("", frozenset())  # workspace and panels, of those places

    @property
    def open(self) -> tuple[Panel, ...]:
        """Return the open panels that are visible, in order of declaration."""
        if not self.state.panels:
            return ()
        opened = self.state.open_panels
        sequence = self.session.source.length > 1
        pipeline = self.state.slot.pipeline
        disparity = is_disparity(pipeline.image(pipeline.output))
        useful = (
            declared
            for declared in PANELS
            if (sequence or not declared.of_sequences) and (disparity or not declared.of_disparity)
        )
        workspaces = self.state.workspaces
        return tuple(placed(declared, workspaces) for declared in useful if declared.name in opened)

    @property
    def outdated(self) -> bool:
        """Whether the message or the warnings drawn last differ from the current ones."""
        if self._places:
            height = self.findings.height(self.scale, self._work.width)
            if self._places[0][1] != height:  # known once they were drawn
                return True
        return self.state.messages.visible(time.monotonic()) != self._message

    @property
    def busy(self) -> bool:
        """Whether an open panel waits for a background result."""
        return self.facts.busy or any(body.busy for body in self._bodies.values())

    @property
    def dues(self) -> list[float]:
        """Return the times when open panels must be redrawn even without an event."""
        return [self.facts.due, *(body.due for body in self._bodies.values())]

    def arrange(self, width: int, height: int) -> Places:
        """Divide a window of this size, in pixels, among bars, picture, panels and status line."""
        self.findings.update(self.session, busy=self._mouse_on_panel)
        findings_height = self.findings.height(self.scale, width)
        bar = bar_height(self.state, self.scale)
        state, top = self.state, self._top + findings_height
        work = max(height - top - bar, 1)
        sizes, filmed = state.workspaces.sizes, self._filmed
        fronts = state.front, state.workspaces.main_panel
        chosen = self.open, tuple(sizes.items()), fronts, state.stages, filmed
        asked = (chosen, findings_height, width, height, self._top, bar, self.scale)
        if not self._places or self._places[0] != asked:
            places = arrange(self.open, width, work, self.scale, sizes, fronts)
            places = lowered(places, top)
            if self.state.stages:
                picture, self.equality_area = beside_picture(places.picture, self.scale)
                places = replace(places, picture=picture)
            if filmed:
                places = replace(places, picture=self._without_margins(places.picture))
            self._place_picture(places.picture, resized=asked[2:] != self._around)
            self._places, self._around = (asked, places), asked[2:]
            seen = places.panels.keys() if places.tabs else {panel.name for panel in self.open}
            state.behind = frozenset(panel.name for panel in self.open) - seen
        if self.state.held != FITTED and len(self.session.display.drawn.arrangement.cells) > 1:
            fit_unmoved(self.state)
        self.area, self._work = self._places[1].picture, Area(0, top, width, work)
        return self._places[1]

    def _place_picture(self, area: Area, *, resized: bool) -> None:
        """Keep the picture at its place, or fit it to its area, after that area has changed."""
        panels = self.state.workspaces.name, frozenset(self.state.open_panels)
        changed = self._opened[1] ^ panels[1]
        if resized:
            fit_unmoved(self.state)
        else:
            by_user = self._opened[0] == panels[0] and changed.isdisjoint((*STAYS, *LEAVES))
            hold_picture(self, area, steady=by_user and len(changed) == 1)
        self._opened = panels

    @property
    def _mouse_on_panel(self) -> bool:
        """Whether the mouse was over a panel in the previous frame."""
        x, y = imgui.get_mouse_pos()
        panels = self._places[1].panels.values() if self._places else ()
        return any(area.holds(x, y) for area in panels)

    @property
    def _filmed(self) -> tuple[object, ...]:
        """Return the items that determine the picture's shape, while the view is being recorded."""
        drawn = self.session.display.drawn
        picture, arrangement = drawn.picture, drawn.arrangement
        if not (self.session.recordings.of_view and picture.panes) or drawn.in_space(0):
            return ()
        return picture.caption, picture.bars, picture.legend, arrangement.sizes, arrangement.stacked

    def _without_margins(self, area: Area) -> Area:
        """Return the part of an area, centred, that a fitted picture covers without margins."""
        width, height = area.width, area.height
        for _ in range(2):  # a narrower caption may be higher
            across, down = self.session.display.rearranged(width, height).margins
            width, height = max(width - across, 1), max(height - down, 1)
        x, y = area.x + (area.width - width) // 2, area.y + (area.height - height) // 2
        return Area(x, y, width, height)

    @property
    def _top(self) -> int:
        """Return the height of the bars above the warnings and the picture, in pixels."""
        return MenuBars.height(self.state, self.scale)

    def update(self, *, first: bool = True) -> None:
        """Update the contents of open panels; close the contents of others.

        Args:
            first: whether the first picture is shown; most panels wait for it.
        """
        names = [panel.name for panel in self.open]
        if self.state.focus not in names:
            self.state.focus = ""
        for name in [name for name in self._bodies if name not in names]:
            self._close(name)
            if not {"inspector", "costs"} & {*names}:
                self.facts.close()
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
        """Return the contents object of a panel; None while the panel is closed."""
        return self._bodies.get(name)

    def _close(self, name: str) -> None:
        """Close a panel's contents object; keep that of a lasting panel for its next opening."""
        body = self._bodies.pop(name)
        body.close()
        if panel(name).lasting:
            self._kept[name] = body

    def draw(self, places: Places) -> None:
        """Draw open panels, status line, tour, help and palette in a Dear ImGui frame."""
        with pointing_at_nothing() if self.state.palette else nullcontext():
            self._draw_below_palette(places)
        if self.state.palette:
            draw_palette(self.state, self.area)

    def _draw_below_palette(self, places: Places) -> None:
        """Draw all panels and bars except the command palette, which gets all input while open."""
        draw_place_mark(self)
        if self.state.shows_bars:
            draw_range_handles(self)
        self.labels.draw(self)
        if places.tabs:
            self._draw_tabs(places.tabs, places.panels)
        for seen in sorted(self.open, key=lambda seen: seen.place == "float"):
            if seen.name in places.panels:
                self._draw_panel(seen, places.panels[seen.name])
        if not places.tabs:
            self.state.workspaces = self.docking.draw(
                self.state.workspaces, self.open, places, self._work, self.scale
            )
        self._focused = self.state.focus
        width = round(imgui.get_io().display_size.x)
        height = self.findings.height(self.scale, width)
        self.findings.draw(self.state, Area(0, self._top, width, height), self.scale)
        self.bars.draw(self.session, self.scale)
        draw_picture_menu(self.session, self.bars)
        self._message = self.state.messages.visible(time.monotonic())
        if self.state.panels:
            self.status = draw_status(self, self._message, self.status)
        else:
            self.status = None
        draw_tour(self.state, places, bar_height(self.state, self.scale), self.scale)
        if self.state.help:
            draw_help(self.state, self.scale)

    def _draw_panel(self, panel: Panel, area: Area) -> None:
        """Draw a panel's window and contents; close the panel if the user clicked its cross."""
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
        kind |= int(flags.no_title_bar) if panel.place == "foot" else 0
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)  # what is behind stays behind
        imgui.push_style_var(imgui.StyleVar_.window_border_size, float(floats))
        seen, stays = imgui.begin(f"{panel.title}###{panel.name}", True, kind)
        imgui.pop_style_var(2)
        if panel.place != "foot":
            self.docking.take(panel, area)
        if floats and seen:
            self._follow_size(panel, area)
        body = self._bodies.get(panel.name)
        if seen and not body:
            draw_wrapped(WAITS)
        elif seen and body:
            with self.panel_menu.copying(self, panel, body):
                body.draw(self)
            self.panel_menu.draw(self.state, panel)
        imgui.end()
        if not stays:
            self.state.open_panels.discard(panel.name)

    def _follow_size(self, panel: Panel, area: Area) -> None:
        """Store the place of the floating panel being drawn, while the user drags it."""
        corner, size = imgui.get_window_pos(), imgui.get_window_size()
        now = Area(*(round(value) for value in (*corner, *size)))
        if now != area and imgui.is_mouse_down(0):
            place = PanelPlace("float", panel.share, box_of(now, self._work))
            self.state.workspaces = self.state.workspaces.moved(panel.name, place)

    def _draw_tabs(self, area: Area, shown: Collection[str]) -> None:
        """Draw a tab for each open panel that is not at the bottom, or a list if space is short."""
        style, panels = imgui.get_style(), [p for p in self.open if p.place != "foot"]
        imgui.set_next_window_pos((area.x, area.y))
        imgui.set_next_window_size((area.width, area.height))
        gap = max((area.height - imgui.get_frame_height()) / 2, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, (style.window_padding.x, gap))
        imgui.begin("panel tabs", None, bar_window())
        imgui.pop_style_var(2)
        around = 2 * style.frame_padding.x + style.item_spacing.x
        needed = sum(text_width(seen.title) + around for seen in panels) - style.item_spacing.x
        if needed > imgui.get_content_region_avail().x:
            imgui.set_next_item_width(-1)
            front = next(seen for seen in panels if seen.name in shown)
            if chosen := draw_combo("##tabs", front, panels, lambda seen: seen.title):
                self.state.front = chosen.name
        else:
            for seen in panels:
                if draw_tab(seen.title, chosen=seen.name in shown):
                    self.state.front = seen.name
                imgui.same_line()
        imgui.end()

    def close(self) -> None:
        """Close the contents of all open panels."""
        for body in self._bodies.values():
            body.close()
        self.facts.close()
        self._bodies.clear()
        self.bars.close()


def hold_picture(context: PanelContext, area: Area, *, steady: bool) -> None:
    """Set zoom and centre for a new area, so that a picture moved by the user stays in place.

    The image point under the cursor stays there; without one, that in the middle. A picture that
    the user neither zoomed nor moved is fitted, unless it is ``steady`` and under the cursor.
    A zoom or centre that was chosen since the last frame, or that a lesson chooses, is kept.

    Args:
        area: the new area; the context holds the old one.
        steady: whether only one panel was opened or closed.
    """
    session, state, old = context.session, context.state, context.area
    drawn = session.display.drawn
    if area == old or state.lesson or not drawn.picture.panes or drawn.in_space(0):
        return
    if (state.zoom, state.center) != (drawn.picture.zoom, drawn.picture.center):
        return
    x, y = context.cursor or (0.0, 0.0)
    points = context.hit is not None and area.holds(x, y)
    fits = state.fits
    if fits and not (steady and points and len(drawn.arrangement.cells) == 1):
        return fit_unmoved(state)
    if not points:
        cell = drawn.arrangement.cells[0]
        x, y = old.x + cell.x + cell.width / 2, old.y + cell.y + cell.height / 2
    hit = drawn.hit(x - old.x, y - old.y)
    if not hit:
        return
    new = session.display.rearranged(area.width, area.height)
    at = x - area.x, y - area.y
    under = new.hit(*at)
    panes = hit.pane, under.pane if under else hit.pane
    if new.sizes[panes[1]] != drawn.arrangement.sizes[panes[0]]:
        return
    zoom, center = holding(drawn.arrangement, new, panes, (hit.row, hit.column), at)
    state.zoom = min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)
    state.look_at(*center)
    if fits:
        state.held = state.zoom, state.center
