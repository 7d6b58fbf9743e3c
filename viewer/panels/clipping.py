"""Measure texts and shorten those that do not fit their space."""

from collections.abc import Callable

from wheatstone.viewer.screen.dear_imgui import imgui


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
