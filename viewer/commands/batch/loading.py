"""Read a pair: two pictures, one picture of both views, or a frame of a video."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.sources.frame import Frame, Source
from wheatstone.viewer.sources.layouts import views_of
from wheatstone.viewer.sources.levelling import FrameMaker, frames_of
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.said import Said
from wheatstone.viewer.sources.still import read_views
from wheatstone.viewer.sources.taken import Taken

FIRST = tuple[Path, Path | None]
_lock = threading.RLock()  # of what is opened once


@dataclass(frozen=True)
class BatchPair:
    """A pair to compute, with the files that hold it.

    Attributes:
        name: the stem of its output files; unique.
        left: a picture or a video.
        right: another one; None if ``left`` holds both views, or for a single image.
        index: the index of a video's frame, from 0; None for pictures.
        layout: the position of the views, one of ``LAYOUTS``; None: it is detected.
        first: the first pair of its camera, whose rectification it uses; None: its own.
        disparities: how many disparities to search; None: as the parameters define.
        min_disparity: the first of them.
    """

    name: str
    left: Path
    right: Path | None = None
    index: int | None = None
    layout: str | None = None
    first: FIRST | None = None
    disparities: int | None = None
    min_disparity: int = 0

    @property
    def files(self) -> tuple[Path, ...]:
        """List the files that the pair is read from."""
        return (self.left,) if self.right is None else (self.left, self.right)


def load_pair(pair: BatchPair, said: Said) -> tuple[Frame, tuple[str, ...]]:
    """Read a pair; return its frame and notes for the user. Several threads may call this.

    Raises:
        OSError, ValueError: a file cannot be read, or the views do not fit each other.
        Unavailable: it belongs to a video, and PyAV is not installed.
    """
    if pair.index is not None:
        return opened_video(pair.left, pair.right, said).frame(pair.index), ()
    read = read_views(pair.left, pair.right)
    views = views_of(pair.layout or said.layout, read.left, read.right)
    taken = Taken(
        (pair.left, pair.right), *views.split(str(pair.left), read.left, read.right), 0, None, None
    )
    with _lock:
        alone = said.rectify == "auto" and pair.first is None
        frames = frames_of(said.calibration, said.rectify) if alone else _frames(said, pair.first)
        frame, remarks = frames.frame(taken)
    notes = *read.notes, *(() if pair.layout else (views.note,)), *remarks
    return frame, tuple(note for note in notes if note)


def opened_video(left: Path, right: Path | None, said: Said) -> Source:
    """Open one video or two; the videos opened last stay open for their other frames."""
    with _lock:
        return _opened(left, right, said)


@lru_cache(maxsize=2)
def _opened(left: Path, right: Path | None, said: Said) -> Source:
    return open_source(str(left), str(right) if right else None, said=said)


@lru_cache(maxsize=4)
def _frames(said: Said, first: FIRST | None) -> FrameMaker:
    """Return the frame maker of one camera, which rectifies all pairs like the camera's first."""
    frames = frames_of(said.calibration, said.rectify)
    if first:
        read = read_views(*first)
        views = views_of(said.layout, read.left, read.right)
        pair = views.split(str(first[0]), read.left, read.right)
        frames.frame(Taken(first, *pair, 0, None, None))
    return frames
