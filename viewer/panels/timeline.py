"""The time-line panel: the current frame's position, thumbnails, and a line to drag."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.io.footage.thumbnails import Thumbnails
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.times import clock_text, duration, frame_at, time_of
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    AMBER,
    draw_slider,
    draw_switch,
    draw_tip,
    stay_on_line,
    text_width,
)

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Seconds from one mark to the next."""
MARK_WIDTH = 8.0  # of the height of a letter, from one mark to the next at least


@dataclass(frozen=True)
class TimelineWords:
    """The texts above the time line.

    Attributes:
        times: the time of the frame shown, and of the end.
        frame: the number of the frame shown, and how many there are.
        damaged: how many frames are damaged; empty while there is none.
    """

    times: str
    frame: str
    damaged: str


def timeline_words(state: ViewerState, source: Source) -> TimelineWords:
    """Describe which frame of a source is shown, and how many frames are damaged."""
    index = state.frame % source.length
    times = f"{clock_text(time_of(source, index))} / {clock_text(duration(source))}"
    one = "1 damaged frame" if source.damaged == 1 else f"{source.damaged} damaged frames"
    return TimelineWords(
        times,
        f"frame {index} of {source.length}",
        f"{one} so far" if source.damaged else "",
    )


def share_of(source: Source, index: int) -> float:
    """Return the position on the time line, 0 to 1, at which a frame begins."""
    return time_of(source, index) / (duration(source) or 1.0)


def frame_of(source: Source, share: float) -> int:
    """Return the frame at a position on the time line, 0 to 1, clamped to the ends."""
    return frame_at(source, min(max(share, 0.0), 1.0) * duration(source))


def slots(source: Source, width: float, thumbnail: float) -> tuple[int, ...]:
    """List the frames whose thumbnails fill the time line, side by side at regular intervals."""
    count = math.ceil(width / max(thumbnail, 1.0))
    return tuple(frame_of(source, (number + 0.5) / count) for number in range(count))


def marks(source: Source, width: float, letter: float) -> Iterator[tuple[float, str]]:
    """Yield the marks of the time line: position, 0 to 1, and text of each round time that fits."""
    whole = duration(source)
    most = max(1.0, width / (MARK_WIDTH * letter))
    step = next((step for step in STEPS if whole / step <= most), 0.0)
    if not step:
        return
    for number in range(int(whole / step) + 1):
        seconds = number * step
        text = clock_text(seconds)
        yield seconds / whole, text if step < 1 else text.partition(".")[0]


class ThumbnailTextures:
    """The textures of the time line's thumbnails, created when they are first drawn."""

    def __init__(self) -> None:
        self._of: Thumbnails | None = None
        self._textures: dict[int, PictureTexture] = {}

    def follow(self, thumbnails: Thumbnails | None) -> None:
        """Request the thumbnails of a source, and delete the textures of the previous source."""
        if thumbnails is not self._of:
            self.close()
            self._of = thumbnails
        if thumbnails:
            thumbnails.begin()

    @property
    def busy(self) -> bool:
        """Return whether thumbnails of the time line are being made."""
        return bool(self._of and self._of.busy)

    @property
    def aspect(self) -> float:
        """Return a thumbnail's width divided by its height; 0 if there are none."""
        return self._of.aspect if self._of else 0.0

    def texture(self, index: int) -> int | None:
        """Return the texture of the thumbnail nearest to a frame; None before there is one."""
        from wheatstone.viewer.display.screen.texture import PictureTexture

        thumbnail = self._of.nearest(index) if self._of else None
        if not thumbnail:
            return None
        at, picture = thumbnail
        if at not in self._textures:
            self._textures[at] = PictureTexture(picture)
        return self._textures[at].number

    def close(self) -> None:
        """Delete the textures of all thumbnails."""
        for texture in self._textures.values():
            texture.close()
        self._textures.clear()
        self._of = None


GROUND, MARK, LINE = Ink("strip"), Ink("quiet"), Ink("line")


class TimelinePanel(Body):
    """The contents of the time-line panel, drawn while it is open."""

    def __init__(self) -> None:
        self._textures = ThumbnailTextures()
        self._dragged = False
        self._played = False  # when dragging began

    def update(self, context: PanelContext) -> None:
        """Request thumbnails of the current source."""
        self._textures.follow(context.session.source.thumbnails)

    @property
    def busy(self) -> bool:
        return self._textures.busy

    def draw(self, context: PanelContext) -> None:
        """Draw the texts about the current frame, and the time line."""
        _draw_words(context.state, context.session.source)
        self._draw_line(context)

    def _draw_line(self, context: PanelContext) -> None:
        room, origin = imgui.get_content_region_avail(), imgui.get_cursor_screen_pos()
        width, height = max(room.x, 1.0), max(room.y, 1.0)
        imgui.invisible_button("time", (width, height))
        state, source = context.state, context.session.source
        self._drag(state, source, (imgui.get_io().mouse_pos.x - origin.x) / width)
        height -= imgui.get_font_size()
        area = (origin.x, origin.y, width, height)
        _draw_ground(area, source, self._textures)
        _draw_marks(area, source)
        place = origin.x + width * share_of(source, state.frame)
        thick, packed_line = max(2.0, imgui.get_font_size() / 7), imgui.get_color_u32(LINE)
        drawing = imgui.get_window_draw_list()
        drawing.add_line((place, origin.y), (place, origin.y + height), packed_line, thick)

    def _drag(self, state: ViewerState, source: Source, share: float) -> None:
        """Show the frame to which the user drags the time line; then play on if it was playing."""
        frame = frame_of(source, share)
        if imgui.is_item_active():
            if not self._dragged:
                self._dragged, self._played = True, not state.paused
            state.paused, state.frame = True, frame
        elif self._dragged:
            self._dragged, state.paused = False, not self._played
        if imgui.is_item_hovered() or imgui.is_item_active():
            imgui.set_tooltip(f"{clock_text(time_of(source, frame))}  frame {frame}")

    def close(self) -> None:
        self._textures.close()


def _draw_words(state: ViewerState, source: Source) -> None:
    """Draw the play button, its settings, the time, and the number of damaged frames."""
    words = timeline_words(state, source)
    imgui.push_style_var(imgui.StyleVar_.frame_padding, (imgui.get_font_size() / 3, 0))
    width = max(map(text_width, ("play", "pause"))) + 2 * imgui.get_style().frame_padding.x
    if imgui.button("play###plays" if state.paused else "pause###plays", (width, 0)):
        state.paused = not state.paused
    draw_tip("play or pause (Space)")
    _draw_playing(state)
    imgui.pop_style_var()
    for text in (words.times, words.frame):
        stay_on_line(text_width(text), imgui.get_font_size())
        imgui.text(text)
    if words.damaged:
        stay_on_line(text_width(words.damaged), imgui.get_font_size())
        imgui.text_colored(AMBER, words.damaged)


def _draw_playing(state: ViewerState) -> None:
    imgui.same_line(0, imgui.get_font_size())
    imgui.set_next_item_width(imgui.get_font_size() * 6)
    draw_slider(state, "playing.speed", "%.1f x", "speed (Shift+, and Shift+.)", digits=1)
    imgui.same_line()
    draw_switch(state, "playing.loop", "loop", "play over and over (Shift+Space)")


Box = tuple[float, float, float, float]
"""Left, top, width and height in pixels."""


def _draw_ground(area: Box, source: Source, textures: ThumbnailTextures) -> None:
    drawing: Any = imgui.get_window_draw_list()
    left, top, width, height = area
    drawing.add_rect_filled((left, top), (left + width, top + height), imgui.get_color_u32(GROUND))
    if not textures.aspect:
        return
    frames = slots(source, width, height * textures.aspect)
    each = width / len(frames)
    spare = (1 - each / (height * textures.aspect)) / 2  # cut off at either side
    for number, frame in enumerate(frames):
        texture, x = textures.texture(frame), left + number * each
        if texture is not None:
            drawing.add_image(
                imgui.ImTextureRef(texture),
                (x, top),
                (x + each, top + height),
                (spare, 0),
                (1 - spare, 1),
            )


def _draw_marks(area: Box, source: Source) -> None:
    drawing: Any = imgui.get_window_draw_list()
    left, top, width, height = area
    letter, color = imgui.get_font_size(), imgui.get_color_u32(MARK)
    for share, text in marks(source, width, letter):
        x, below = left + width * share, top + height
        drawing.add_line((x, below), (x, below + letter), color)
        if x + letter / 4 + imgui.calc_text_size(text).x < left + width:
            drawing.add_text((x + letter / 4, below), color, text)
