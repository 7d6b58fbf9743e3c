"""The rows and texts of the start page as plain data."""

from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.choices.recent import Recent
from wheatstone.viewer.footage.address import is_live
from wheatstone.viewer.footage.cameras import CameraDevice
from wheatstone.viewer.panels.start.looking import Found
from wheatstone.viewer.reading.plain_text import label, one_line

OPEN_A_FILE = ("press", "open a pair, a picture or a video")
OPEN_A_FOLDER = ("press", "open a folder")
COLORS = ("cividis", "turbo")
"""The colour maps of the start page: one for all viewers, and one that shows small steps."""


@dataclass(frozen=True)
class Way:
    """Something that can be opened from the start page.

    Attributes:
        title: on its button; if there is no effect, a line of text.
        effect: the effect to request; empty: nothing can be done.
        help: its tooltip.
        plays: whether it needs the video player.
        why_not: why it cannot be opened; empty if it can.
    """

    title: str
    effect: tuple[str, ...] = ()
    help: str = ""
    plays: bool = False
    why_not: str = ""


OPEN: tuple[Way, ...] = (
    Way("A pair ...", OPEN_A_FILE, "a left and a right picture, or both in one"),
    Way("A folder ...", OPEN_A_FOLDER, "of pairs, such as left/ and right/"),
    Way("A video ...", OPEN_A_FILE, "both views in its pictures, or two videos", plays=True),
)


def camera_rows(found: Found | None) -> tuple[Way, ...]:
    """List the cameras; without any, one row states that the search goes on or had no result."""
    if found is None:
        return (Way("looking for cameras ..."),)
    return tuple(map(_camera, found.cameras)) or (Way("no camera is connected"),)


def _camera(camera: CameraDevice) -> Way:
    name = camera.name or "camera"
    return Way(f"{name} ({camera.path})", ("open", camera.path), why_not=camera.why_not)


def recent_words(recent: Recent, gone: str) -> str:
    """Return where a recent source is stored, or which of its files is missing."""
    if gone:
        return f"{one_line(gone)} is gone"
    words = (str(recipe) for word in ("left", "right") if (recipe := recent.recipe.get(word)))
    return "\n".join(map(one_line, words))


def place_words(recent: Recent, gone: str) -> str:
    """Return the name of a recent source's folder, or that it is missing."""
    if gone:
        return "gone"
    left = str(recent.recipe.get("left", ""))
    return "" if is_live(left) else label(Path(left).parent.name)


def columns_of(count: int, needed: float, gap: float, room: float) -> int:
    """Choose the number of buttons per row, so that all rows are full.

    Args:
        count: buttons in all.
        needed: width of the widest button's text and padding.
        gap: between two buttons.
        room: total width available.
    """
    fitting = (n for n in range(count, 1, -1) if count % n == 0)
    return next((n for n in fitting if n * needed + (n - 1) * gap <= room), 1)
