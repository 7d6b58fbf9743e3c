"""Read a pair: two pictures, one picture of both views, or a frame of a video."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.sources.frame import Frame, Source
from wheatstone.viewer.sources.frame_maker import FrameMaker, RawViews, frame_maker
from wheatstone.viewer.sources.layouts import views_of
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.source_spec import SourceSpec
from wheatstone.viewer.sources.still import read_views

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


def load_pair(pair: BatchPair, spec: SourceSpec) -> tuple[Frame, tuple[str, ...]]:
    """Read a pair; return its frame and notes for the user. Several threads may call this.

    Raises:
        OSError, ValueError: a file cannot be read, or the views do not fit each other.
        Unavailable: it belongs to a video, and PyAV is not installed.
    """
    if pair.index is not None:
        return opened_video(pair.left, pair.right, spec).frame(pair.index), ()
    read = read_views(pair.left, pair.right)
    views = views_of(pair.layout or spec.layout, read.left, read.right)
    taken = RawViews(
        (pair.left, pair.right), *views.split(str(pair.left), read.left, read.right), 0, None, None
    )
    with _lock:
        alone = spec.rectify == "auto" and pair.first is None
        frames = frame_maker(spec) if alone else _frames(spec, pair.first)
        frame, remarks = frames.frame(taken)
    notes = *read.notes, *(() if pair.layout else (views.note,)), *remarks
    return frame, tuple(note for note in notes if note)


def opened_video(left: Path, right: Path | None, spec: SourceSpec) -> Source:
    """Open one video or two; the videos opened last stay open for their other frames."""
    with _lock:
        return _opened(left, right, spec)


@lru_cache(maxsize=2)
def _opened(left: Path, right: Path | None, spec: SourceSpec) -> Source:
    return open_source(spec.changed(left=str(left), right=str(right) if right else None))


@lru_cache(maxsize=4)
def _frames(spec: SourceSpec, first: FIRST | None) -> FrameMaker:
    """Return the frame maker of one camera, which rectifies all pairs like the camera's first."""
    frames = frame_maker(spec)
    if first:
        read = read_views(*first)
        views = views_of(spec.layout, read.left, read.right)
        pair = views.split(str(first[0]), read.left, read.right)
        frames.frame(RawViews(first, *pair, 0, None, None))
    return frames
