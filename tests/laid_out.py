"""What Dear ImGui laid out in a frame: which words are cut off, and where windows lie."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from wheatstone.viewer.display.screen.dear_imgui import imgui

WORDS = ("text", "text_colored", "text_disabled", "text_unformatted", "text_wrapped")
FRAMED = ("button", "small_button", "checkbox", "slider_float", "slider_int", "color_button")
SPARE = 1.0  # pixels that a word may be wider than its place: glyphs are rounded up


@dataclass
class LaidOut:
    """What was found in the frames watched.

    Attributes:
        cut: words that reach out of the part of their window that is seen, each with that window.
        seen: all words whose place was looked at.
    """

    cut: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def note(self, words: str, left: float, right: float) -> None:
        """Note words that do not lie between the borders of what is seen."""
        self.seen.add(words)
        canvas = imgui.get_window_draw_list()
        begin, end = canvas.get_clip_rect_min().x, canvas.get_clip_rect_max().x
        if right > end + SPARE or left < begin - SPARE:
            window = imgui.internal.get_current_window().name
            self.cut[words] = f"{window}: {left:.0f} to {right:.0f} in {begin:.0f} to {end:.0f}"


@contextmanager
def watched() -> Iterator[LaidOut]:
    """Watch what is laid out while the block runs."""
    actual, real = LaidOut(), imgui.begin_combo

    def telling(draw: Callable[..., Any], place: int) -> Callable[..., Any]:
        def drawn(*words: Any, **more: Any) -> Any:
            result = draw(*words, **more)
            left, right = imgui.get_item_rect_min().x, imgui.get_item_rect_max().x
            actual.note(str(words[place]), left, right)
            return result

        return drawn

    def combo(label: str, shown: str, *more: Any) -> bool:
        opened = real(label, shown, *more)
        if not opened:
            left, right = imgui.get_item_rect_min().x, imgui.get_item_rect_max().x
            room = right - left - imgui.get_frame_height() - imgui.get_style().frame_padding.x
            if shown and imgui.calc_text_size(shown).x > room + SPARE:
                actual.cut[shown] = f"the list {label}: {imgui.calc_text_size(shown).x} in {room}"
            actual.note(label, left, right)
        return opened

    places = {name: int(name == "text_colored") for name in (*WORDS, *FRAMED)}
    drawn = {name: telling(getattr(imgui, name), place) for name, place in places.items()}
    with ExitStack() as stack:
        for name, telling_draw in {**drawn, "begin_combo": combo}.items():
            stack.enter_context(patch.object(imgui, name, telling_draw))
        yield actual


def windows() -> dict[str, Any]:
    """List the windows of the frame drawn last that are in sight, by name."""
    context: Any = imgui.get_current_context()
    return {w.name: w for w in context.windows if w.active and not w.hidden}
