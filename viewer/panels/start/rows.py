"""What the start page offers and says, without drawing it."""

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
"""The colour maps to choose from at first: one for all eyes, and one that shows small steps."""


@dataclass(frozen=True)
class Way:
    """Something that can be opened from the start page.

    Attributes:
        title: on its button; of a way without an errand, a line of text.
        errand: what the program does then; empty: nothing can be done.
        help: says more of it.
        plays: whether it needs what plays videos.
        why_not: why it cannot be opened; empty if it can.
    """

    title: str
    errand: tuple[str, ...] = ()
    help: str = ""
    plays: bool = False
    why_not: str = ""


OPEN: tuple[Way, ...] = (
    Way("A pair ...", OPEN_A_FILE, "a left and a right picture, or both in one"),
    Way("A folder ...", OPEN_A_FOLDER, "of pairs, such as left/ and right/"),
    Way("A video ...", OPEN_A_FILE, "both views in its pictures, or two videos", plays=True),
)


def camera_rows(found: Found | None) -> tuple[Way, ...]:
    """List the cameras, or say that there is none or that they are being looked for."""
    if found is None:
        return (Way("looking for cameras ..."),)
    return tuple(map(_camera, found.cameras)) or (Way("no camera is connected"),)


def _camera(camera: CameraDevice) -> Way:
    name = camera.name or "camera"
    return Way(f"{name} ({camera.path})", ("open", camera.path), why_not=camera.why_not)


def recent_words(recent: Recent, gone: str) -> str:
    """Say where a recent source lies, or which file of it is gone."""
    if gone:
        return f"{one_line(gone)} is gone"
    words = (str(recipe) for word in ("left", "right") if (recipe := recent.recipe.get(word)))
    return "\n".join(map(one_line, words))


def place_words(recent: Recent, gone: str) -> str:
    """Say in a few words in which folder a recent source lies, or that it is gone."""
    if gone:
        return "gone"
    left = str(recent.recipe.get("left", ""))
    return "" if is_live(left) else label(Path(left).parent.name)


def columns_of(count: int, needed: float, gap: float, room: float) -> int:
    """Choose how many buttons stand beside each other, so that all rows are full.

    Args:
        count: buttons in all.
        needed: width of the widest one's words, with what is around them.
        gap: between two buttons.
        room: width of all.
    """
    fitting = (n for n in range(count, 1, -1) if count % n == 0)
    return next((n for n in fitting if n * needed + (n - 1) * gap <= room), 1)
