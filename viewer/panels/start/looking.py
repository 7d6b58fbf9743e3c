"""Queries for the start page in the background: cameras, thumbnails and missing files.

A driver or a network disk may not answer for a long time, so this has a thread of its own.
"""

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.dialogs import Recent
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.footage.cameras import CameraDevice, listed_cameras
from wheatstone.viewer.io.footage.media import expect_player
from wheatstone.viewer.io.reading.plain_text import label, one_line
from wheatstone.viewer.io.reading.png_chunks import png_header
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.source_spec import SourceSpec

MOST = 5  # recent sources that are listed
LARGEST, LARGEST_FILE = 256, MIB  # pixels a side of a small picture, and bytes of its file


@dataclass(frozen=True)
class StartQueries:
    """The results of the start page's background queries: cameras, thumbnails, missing files.

    Attributes:
        no_video: why videos and cameras cannot be opened; empty if they can.
        pictures: (H, W, 3) RGB of the recent sources that have one, by their place in the list.
        gone: missing files of recent sources, by their place in the list.
    """

    cameras: tuple[CameraDevice, ...] = ()
    no_video: str = ""
    pictures: Mapping[int, NDArray[np.uint8]] = field(default_factory=dict)
    gone: Mapping[int, str] = field(default_factory=dict)


def look(recent: Sequence[Recent]) -> Task[StartQueries]:
    """Start to search for cameras, and to check the recent sources' files, in the background."""
    task = Task("start page", lambda _: query_start(recent))
    threading.Thread(target=task.run, name="start page", daemon=True).start()
    return task


def query_start(recent: Sequence[Recent]) -> StartQueries:
    """Search for cameras, and check the recent sources' files; this may take several seconds."""
    listed = list(enumerate(recent[:MOST]))
    pictures = {
        place: small for place, one in listed if (small := _picture(one.thumbnail)) is not None
    }
    gone = {place: name for place, one in listed if (name := missing(one.spec))}
    return StartQueries(listed_cameras(), _no_video(), pictures, gone)


def missing(spec: SourceSpec) -> str:
    """Return the name of the first missing file that a source needs; empty if all exist.

    Network streams are not checked; a camera exists if its file does.
    """
    files = [name for name in spec.files if name.startswith("/dev/") or not is_live(name)]
    return next((name for name in files if not os.path.exists(name)), "")


def _no_video() -> str:
    try:
        expect_player()
    except Unavailable as error:
        return str(error)
    return ""


def _picture(path: Path | None) -> NDArray[np.uint8] | None:
    """Read a thumbnail as (H, W, 3) RGB; None if it is missing, damaged or too large."""
    with suppress(OSError, ValueError):
        if path:
            return small_picture(path)
    return None


def small_picture(path: Path) -> NDArray[np.uint8]:
    """Read a thumbnail as (H, W, 3) RGB.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a PNG image, or larger than ``LARGEST``.
    """
    header = png_header(read_regular(path, LARGEST_FILE))
    if not header or max(header.width, header.height) > LARGEST:
        raise ValueError(f"{path}: no small PNG of at most {LARGEST} pixels a side")
    pixels = read_image(path).pixels
    return pixels if pixels.ndim == 3 else np.repeat(pixels[..., np.newaxis], 3, axis=2)


COLORS = ("cividis", "turbo")
"""The colour maps of the start page: one for all viewers, and one that shows small steps."""


@dataclass(frozen=True)
class Way:
    """A line of the start page: a button that opens something, or only a text.

    Attributes:
        title: on its button; if there is no effect, a line of text.
        effect: the effect to request; empty: nothing can be done.
        why_not: why it cannot be opened; empty if it can.
    """

    title: str
    effect: tuple[str, ...] = ()
    help: str = ""
    plays: bool = False
    why_not: str = ""


OPEN: tuple[Way, ...] = (
    Way("A pair ...", ("open a file", "pair"), "a left and a right image, or both in one"),
    Way("A folder ...", ("open a folder",), "of pairs, such as left/ and right/"),
    Way(
        "A video ...",
        ("open a file", "video"),
        "both views in each frame, or two videos",
        plays=True,
    ),
)


def camera_rows(results: StartQueries | None) -> tuple[Way, ...]:
    """List the cameras as lines; without cameras, one line about the search for cameras."""
    if results is None:
        return (Way("looking for cameras ..."),)
    return tuple(
        Way(camera.title, ("open", camera.path), why_not=camera.why_not)
        for camera in results.cameras
    ) or (Way("no camera is connected"),)


def recent_words(recent: Recent, gone: str) -> str:
    """Return the files and options of a recent source, or which of its files is missing."""
    if gone:
        return f"{one_line(gone)} is gone"
    words = (recent.spec.left, recent.spec.right, recent.options)
    return "\n".join(one_line(word) for word in words if word)


def place_words(recent: Recent, gone: str) -> str:
    """Return the folder and the options of a recent source; "gone" if a file is missing."""
    if gone:
        return "gone"
    left = recent.spec.left or ""
    folder = "" if is_live(left) else label(Path(left).parent.name)
    return ", ".join(filter(None, (folder, recent.options)))


def columns_of(count: int, needed: float, gap: float, room: float) -> int:
    """Choose the number of buttons per row so that they fit and all rows are full."""
    fitting = (n for n in range(count, 1, -1) if count % n == 0)
    return next((n for n in fitting if n * needed + (n - 1) * gap <= room), 1)
