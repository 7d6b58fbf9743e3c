"""The panel of open sources: a row for each, with buttons to compare and close it."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.open_sources import OpenSource
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    AMBER,
    QUIET,
    begin_table,
    clipped,
    disabled,
    draw_tip,
    draw_wrapped,
    next_row,
    text_width,
)

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

PICTURE_WIDTH, PICTURE_HEIGHT = 64, 44  # of a small picture, in units of an unscaled screen
CLOSES = "\N{MULTIPLICATION SIGN}"
HELP = "Click a source to show it as A. Keys 1 to 9 do so while this panel has the keyboard focus "
HELP += "(Ctrl+Tab), and with Shift they show it as B."

TEXT = Ink("text")
Picture = tuple[NDArray[np.uint8], "PictureTexture"]


class SourcesPanel(Body):
    """The contents of the panel of open sources: a row for each, to show, compare or close it."""

    def __init__(self) -> None:
        self._textures: dict[int, Picture] = {}

    def update(self, context: PanelContext) -> None:
        """Create textures of new thumbnails; delete those of closed sources."""
        from wheatstone.viewer.display.screen.texture import PictureTexture

        pictures = context.session.sources.pictures
        for number, (known, texture) in list(self._textures.items()):
            if pictures.get(number) is not known:
                texture.close()
                del self._textures[number]
        for number, picture in pictures.items():
            if number not in self._textures:
                self._textures[number] = picture, PictureTexture(picture)

    def draw(self, context: PanelContext) -> None:
        """Draw a row for each open source; a click shows it, its buttons compare or close it."""
        scale, flags = context.scale, imgui.TableFlags_
        columns = {"picture": PICTURE_WIDTH * scale, "source": None, "keys": 58 * scale}
        if begin_table("sources", columns, flags.scroll_y | flags.row_bg):
            for place, each in enumerate(context.state.sources.listed, 1):
                imgui.push_id(each.number)
                self._draw_row(context, place, each)
                imgui.pop_id()
            next_row()
            imgui.table_next_column()
            draw_wrapped(HELP, QUIET)
            imgui.end_table()

    def _draw_row(self, context: PanelContext, place: int, source: OpenSource) -> None:
        state, scale = context.state, context.scale
        next_row()
        self._draw_picture(source.number, scale)
        imgui.table_next_column()
        shown = source.number == state.sources.shown
        begin, height = imgui.get_cursor_pos(), PICTURE_HEIGHT * scale
        if imgui.selectable("##show", shown, 0, (0, height))[0] and not shown:
            state.request("show source", str(place))
        draw_tip("\n".join(source.spec.files) or source.title)
        imgui.set_cursor_pos(begin)
        room = imgui.get_content_region_avail().x
        imgui.text(clipped(f"{place}  {source.title}", room, text_width))
        imgui.set_cursor_pos((begin.x, begin.y + imgui.get_text_line_height_with_spacing()))
        imgui.text_disabled(clipped(source.kind or "not open yet", room, text_width))
        imgui.table_next_column()
        _draw_buttons(state, place, source)

    def _draw_picture(self, number: int, scale: float) -> None:
        known = self._textures.get(number)
        width, height = PICTURE_WIDTH * scale, PICTURE_HEIGHT * scale
        if known is None:
            imgui.dummy((width, height))
            return
        picture, texture = known
        factor = min(width / picture.shape[1], height / picture.shape[0])
        size = picture.shape[1] * factor, picture.shape[0] * factor
        imgui.image(imgui.ImTextureRef(texture.number), size)

    def close(self) -> None:
        for _, texture in self._textures.values():
            texture.close()
        self._textures.clear()


def _draw_buttons(state: ViewerState, place: int, source: OpenSource) -> None:
    """Draw a source's buttons: one shows it as B (amber if A or B shows it), one closes it."""
    sources = state.sources
    as_b = source.number == sources.compared
    shown = source.number == sources.shown
    why_not = "A shows it" if shown and not as_b else sources.why_not_b(source)
    imgui.push_style_color(imgui.Col_.text, AMBER if as_b or shown else TEXT)
    with disabled(why_not and not shown):
        pressed = imgui.small_button("A" if shown else "B") and not shown
    imgui.pop_style_color()
    draw_tip(why_not or ("B shows the source of A again" if as_b else "show it as B"))
    if pressed:
        again = sources.place(sources.shown) if as_b else place
        state.request("compare source", str(again))
    imgui.same_line()
    if imgui.small_button(CLOSES):
        state.request("close source", str(place))
    draw_tip(f"close {source.title}")
