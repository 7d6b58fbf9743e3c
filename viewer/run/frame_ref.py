"""References to frames in files or scenes, which can be sent to other processes.

Reading a reference gives the frame with the calibration, layout and rectification that the user
chose. Several threads may read at once.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Self

from wheatstone.viewer.io.cameras.calibration_files import places_beside, unit_file
from wheatstone.viewer.io.footage.bags.opening import bag_files
from wheatstone.viewer.io.reading.png_pixels import decoder
from wheatstone.viewer.io.sources.frame import Frame, Source, first_frame, tried_first
from wheatstone.viewer.io.sources.frame_maker import FrameMaker, RawViews, frame_maker
from wheatstone.viewer.io.sources.layouts import exchange_of
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import read_pair
from wheatstone.viewer.io.sources.tone import Tone
from wheatstone.viewer.io.sources.truth import Truth, TruthFiles, read_truths

PNG = ".png"
ViewFiles = tuple[Path, Path | None]
_lock = threading.RLock()  # of what is opened once


@dataclass(frozen=True)
class FrameRef:
    """A reference to a frame: the files that hold its views and its ground truth.

    Attributes:
        name: the stem of its output files, or its name in a report; unique.
        left: a picture or a video.
        right: another one; None if ``left`` holds both views, or for a single image.
        index: the index of a video's frame, from 0; None for pictures.
        layout: the position of the views, one of ``LAYOUTS``; None: it is detected.
        first: the first pair of its camera, whose rectification it uses; None: its own.
        truth: the files of its ground truth; None: there is no ground truth.
        disparities: how many disparities to search; None: as the parameters define.
        min_disparity: the first of them.
        tone: the mapping of 16-bit pixels, that of its camera's first frame; None: its own.
    """

    name: str
    left: Path
    right: Path | None = None
    index: int | None = None
    layout: str | None = None
    first: ViewFiles | None = None
    truth: TruthFiles | None = None
    disparities: int | None = None
    min_disparity: int = 0
    tone: Tone | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """List the files of the views."""
        return (self.left,) if self.right is None else (self.left, self.right)

    @property
    def truth_files(self) -> tuple[Path, ...]:
        """List the files of the ground truth; empty without ground truth."""
        return self.truth.paths if self.truth else ()

    @property
    def occlusions(self) -> str:
        """Return the origin of the occlusion data: data set, right or left truth; empty if none."""
        if not self.truth:
            return ""
        if self.truth.mask or self.truth.seen_truth or self.truth.hidden:
            return "data set"
        return "right truth" if self.truth.truth_right else "left truth"

    def with_paths(self, change: Callable[[Path], Path]) -> Self:
        """Copy the reference, with ``change`` applied to all of its paths."""

        def changed(path: Path | None) -> Path | None:
            return change(path) if path else None

        truth = self.truth
        if truth:
            paths = {n: change(path) for n, path in vars(truth).items() if isinstance(path, Path)}
            hidden = tuple(map(change, truth.hidden))
            truth = TruthFiles(**{**vars(truth), **paths, "hidden": hidden})
        first = self.first and (change(self.first[0]), changed(self.first[1]))
        return replace(
            self, left=change(self.left), right=changed(self.right), first=first, truth=truth
        )

    def inputs(self, options: SourceSpec) -> tuple[str, ...]:
        """List the files that determine the frame, including calibrations that may be missing."""
        files = self.files if self.index is None else sum(map(bag_files, self.files), ())
        views = map(str, (*files, *filter(None, self.first or ())))
        calibrations = *places_beside(self.left), *options.calibrations
        return (*views, *calibrations, *map(unit_file, calibrations))

    def read(self, options: SourceSpec, *, truth: str = "") -> tuple[Frame, tuple[str, ...]]:
        """Read the frame, and return it with notes for the user.

        Args:
            truth: ``required``; ``optional``: a truth that cannot be read becomes a note; empty:
                the truth of pictures is not read.

        Raises:
            OSError, ValueError: a file cannot be read, or the views do not fit each other.
            Unavailable: it belongs to a video, and PyAV is not installed.
        """
        if self.index is not None:
            source = opened_video(self.left, self.right, options, pairs=truth == "required")
            if self.index >= source.length:
                file = self.truth.truth if self.truth else self.name
                raise ValueError(f"{file}: {self.left} has {source.length} frames, from 0")
            frame = source.frame(self.index)
            frame.exchange = exchange_of(source.layouts)
            return frame, ()
        if self.left.suffix.lower() == PNG:
            decoder()  # many pictures are to be read
        spec = options.changed(layout=self.layout) if self.layout else options
        read = read_pair((self.left, self.right), spec, self.tone)
        known, problem = self._truth(truth, read.views)
        with _lock:
            alone = options.rectify == "auto" and self.first is None
            maker = frame_maker(options) if alone else _maker(options, self.first)
            frame, notes = read.frame(maker, known)
        frame.objects = known.objects if known and frame.truth is known.disparity else None
        return frame, (*notes, problem)

    def _truth(self, wanted: str, views: RawViews) -> tuple[Truth | None, str]:
        """Read the ground truth of pictures; if it cannot be read, return None and the reason.

        If ``wanted`` is ``required``, the error is raised instead.
        """
        if not (wanted and self.truth) or views.right is None:
            return None, ""
        try:
            return read_truths(self.truth, views.left.shape[:2]), ""
        except (OSError, ValueError) as error:
            if wanted == "required":
                raise
            return None, f"not judged: {error}"


@dataclass(frozen=True)
class SceneRef:
    """A reference to the first frame of a built-in scene, whose truth is exact.

    Attributes:
        disparities: number of disparities that the scene's truth needs.
        content: a digest of the pixels.
        min_disparity: the first of the disparities.
        occlusions: the method that determines which pixels both views see.
    """

    name: str
    seed: int
    width: int
    height: int
    disparities: int
    content: str
    min_disparity: int = 0
    occlusions: str = "scene"
    truth: None = None
    files: tuple[Path, ...] = ()
    truth_files: tuple[Path, ...] = ()

    def with_paths(self, change: Callable[[Path], Path]) -> Self:
        """Return the reference unchanged, because a scene has no paths."""
        return self

    def inputs(self, options: SourceSpec) -> tuple[str, ...]:
        """Return no files, because a scene depends on none."""
        return ()

    def read(self, options: SourceSpec, *, truth: str = "") -> tuple[Frame, tuple[str, ...]]:
        """Render the scene's frame, or read it from the disk cache."""
        from wheatstone.viewer.io.sources.scene import Scene

        return Scene(self.name, self.seed, (self.width, self.height)).first(), ()


AnyFrameRef = FrameRef | SceneRef


def opened_video(
    left: Path, right: Path | None, options: SourceSpec, *, pairs: bool = False
) -> Source:
    """Open a stereo video of one or two files; the videos opened last stay open.

    Args:
        pairs: whether the halves of one video are the two views even if they do not seem to match.
    """
    with _lock:
        return _opened(left, right, options, pairs)


@lru_cache(maxsize=2)
def _opened(left: Path, right: Path | None, options: SourceSpec, pairs: bool) -> Source:
    spec = options.changed(left=str(left), right=str(right) if right else None)
    source = open_source(spec)
    if not pairs or right or options.layout:
        return source
    tried = tried_first(source.length, source.key_frames)
    if first_frame(lambda index: (source.frame(index), ()), tried)[0].is_pair:
        return source
    source.close()
    return open_source(spec.changed(layout="side-by-side"))


@lru_cache(maxsize=4)
def _maker(options: SourceSpec, first: ViewFiles | None) -> FrameMaker:
    """Return the frame maker for a camera, which applies the first pair's rectification to all."""
    maker = frame_maker(options, named=True)
    if first:
        read_pair(first, options).frame(maker, None)
    return maker
