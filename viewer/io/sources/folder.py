"""Folders of frames: pairing of their files, and a source that reads one frame ahead."""

import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import Frame, Source, first_frame
from wheatstone.viewer.io.sources.frame_maker import RawViews, frame_maker
from wheatstone.viewer.io.sources.layouts import AS_GIVEN, HALVED, views_of
from wheatstone.viewer.io.sources.listing import SUFFIXES, folders_in, images_in
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import paths_of, read_views
from wheatstone.viewer.io.sources.times import TIMES, read_times
from wheatstone.viewer.io.sources.tone import Tone
from wheatstone.viewer.io.sources.truth import TruthFiles, read_truths
from wheatstone.viewer.io.sources.truth_places import find_truth, why_no_truth

FOLDER_PAIRS = (("image_2", "image_3"), ("image_0", "image_1"), ("left", "right"))
NUMBERED = (("im0", "im1"), ("im2", "im6"))
LAYOUTS = "left*/right* images, im0/im1 (also one level down), or image_2/image_3 folders"
RATE = 10.0
"""Frames per second of a sequence: the rate of KITTI's recordings; image files contain none."""


@dataclass(frozen=True)
class FramePaths:
    """The files of one frame.

    Attributes:
        right: None if one picture holds both views.
        truth: None if no ground truth was saved with the images.
    """

    left: Path
    right: Path | None
    truth: TruthFiles | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """List the files that are not None."""
        views = (self.left, self.right) if self.right else (self.left,)
        return views + (self.truth.paths if self.truth else ())


def find_pairs(folder: Path, scale: float | None = None) -> list[FramePaths]:
    """List the pairs in a folder, in natural order (frame 2 before frame 10).

    Args:
        scale: as for ``find_truth``.

    Raises:
        ValueError: no known layout, or a left image without its right one.
    """
    for left_name, right_name in FOLDER_PAIRS:
        if os.path.isdir(folder / left_name) and os.path.isdir(folder / right_name):
            return pair_folders(folder / left_name, folder / right_name)
    images = images_in(folder)
    if prefixed := _prefixed_pairs(folder, images, "left", "right"):
        return prefixed
    return _middlebury_pairs(folder, scale)


def find_frames(folder: Path, spec: SourceSpec) -> list[FramePaths]:
    """List the frames in a folder: pairs, or pictures that hold both views.

    Raises:
        ValueError: as ``find_pairs``, for a layout of pairs.
    """
    images = [FramePaths(path, None) for path in images_in(folder)]
    if spec.layout in HALVED:
        return images or find_pairs(folder)
    try:
        return find_pairs(folder, spec.truth_scale)
    except ValueError:
        first = [read_views(frame.left, None) for frame in images[:1] if not spec.layout]
        if not any(r.right is not None or views_of(None, r.left, None).found for r in first):
            raise
        return images


def pair_folders(left: Path, right: Path) -> list[FramePaths]:
    """Pair the images of two folders, each in natural order.

    Raises:
        ValueError: a folder is empty, or they hold different numbers of images.
    """
    lefts, rights = images_in(left), images_in(right)
    if _ends_in_half_a_pair(left.parent, lefts, rights):
        lefts.pop()
    _require_equal_counts(left, lefts, right, rights)
    if not lefts:
        raise ValueError(f"{left}: no images; expected {', '.join(SUFFIXES)} files")
    return [FramePaths(a, b, find_truth(a)) for a, b in zip(lefts, rights, strict=True)]


def _ends_in_half_a_pair(folder: Path, lefts: list[Path], rights: list[Path]) -> bool:
    """Check whether a recording was killed after it wrote the left view of its last pair."""
    recorded = (folder / TIMES).is_file()
    return recorded and [path.name for path in lefts[:-1]] == [path.name for path in rights]


def _prefixed_pairs(folder: Path, images: list[Path], left: str, right: str) -> list[FramePaths]:
    lefts = [path for path in images if path.stem.lower().startswith(left)]
    rights = [path for path in images if path.stem.lower().startswith(right)]
    _require_equal_counts(folder / f"{left}*", lefts, folder / f"{right}*", rights)
    for a, b in zip(lefts, rights, strict=True):
        if a.stem[len(left) :] != b.stem[len(right) :]:
            raise ValueError(
                f"{a} has no partner (found {b.name}); name both alike after left and right"
            )
    truth = find_truth(lefts[0]) if len(lefts) == 1 else None
    return [FramePaths(a, b, truth) for a, b in zip(lefts, rights, strict=True)]


def _middlebury_pairs(folder: Path, scale: float | None) -> list[FramePaths]:
    pairs = []
    for place in (folder, *folders_in(folder)):
        by_stem = {path.stem: path for path in images_in(place)}
        for left, right in NUMBERED:
            if left in by_stem and right in by_stem:
                truth = find_truth(by_stem[left], scale)
                pairs.append(FramePaths(by_stem[left], by_stem[right], truth))
                break
    if not pairs:
        raise ValueError(f"{folder}: no stereo pair; expected {LAYOUTS}")
    return pairs


def _require_equal_counts(left: Path, lefts: list[Path], right: Path, rights: list[Path]) -> None:
    if len(lefts) != len(rights):
        raise ValueError(
            f"as many left as right images are needed (found {len(lefts)} in {left}, "
            f"{len(rights)} in {right}); add or remove the odd ones"
        )


@dataclass(frozen=True)
class _Ahead:
    """A frame that is being read in the background, and the thread that reads it."""

    index: int
    read: "Future[tuple[Frame, tuple[str, ...]]]"
    thread: threading.Thread


class FolderSource(Source):
    """A sequence of pairs, a `Source` that decodes the requested frame and then the next one.

    Several threads may request frames.
    """

    def __init__(self, spec: SourceSpec) -> None:
        """List the pairs and read the first readable one; notes name unreadable ones before it.

        Args:
            spec: names the folder that holds both views, or the folder of each.

        Raises:
            OSError, ValueError: no pairs, or as ``first_frame``.
        """
        folder, other = paths_of(spec)
        self._scale = spec.truth_scale
        self._pairs = pair_folders(folder, other) if other else find_frames(folder, spec)
        self.files = tuple(path for pair in self._pairs for path in pair.paths)
        self._layout, self._views = spec.layout, AS_GIVEN
        self.name, self.length = label(resolved(folder).name), len(self._pairs)
        self._pace(folder)
        self._frames = frame_maker(spec)
        self.spec = spec.resolved()
        self._tone: Tone | None = None  # that of the first frame
        self._shape = (0, 0)  # of the views as they were read
        self._current, notes = first_frame(self._read, self.length)
        self.notes = (*self.notes, *notes)
        self.height, self.width = self._current.shape
        raw = self._current.raw
        self.rectification = raw.rectification if raw else None
        self._lock = threading.Lock()
        self._ahead = self._begin(self._current.index + 1)

    def _pace(self, folder: Path) -> None:
        """Set the times of pairs from the recording, or else a constant rate."""
        self.rate, self.notes = (RATE if self.length > 1 else 0.0), ()
        try:
            self.times = read_times(folder, self.length)
        except (OSError, ValueError) as error:
            self.notes = (f"{error}; pairs are shown {RATE:g} a second",)
        if self.times is not None:
            self.rate = (self.length - 1) / float(self.times[-1])

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` modulo ``length`` and begin to read the one after it.

        Raises:
            OSError, ValueError: a file cannot be read, or its size is not the first frame's.
        """
        with self._lock:
            index %= self.length
            if index != self._current.index:
                if self._ahead.index != index:
                    self._ahead = self._begin(index)
                self._current, _ = self._ahead.read.result()
                self._ahead = self._begin(index + 1)
            return self._current

    def frame_name(self, index: int) -> str:
        """Return frame ``index``'s left image path, relative to the common folder of all."""
        left = [files.left for files in self._pairs]
        common = os.path.commonpath([path.parent for path in left])
        return label(os.path.relpath(left[index], common))

    def ready(self, index: int) -> bool:
        """Return whether frame ``index`` modulo ``length`` is decoded."""
        index, ahead = index % self.length, self._ahead
        return index == self._current.index or (index == ahead.index and ahead.read.done())

    def frame_files(self, index: int) -> tuple[Path, ...]:
        """List the views and the ground truth of a frame."""
        return self._pairs[index % self.length].paths

    def close(self) -> None:
        """Wait up to a second for the frame that is being read; do not stop its thread."""
        self._ahead.thread.join(timeout=1.0)

    def _begin(self, index: int) -> "_Ahead":
        """Start reading a frame in a daemon thread, which does not delay the program's exit."""
        index, read = index % self.length, Future[tuple[Frame, tuple[str, ...]]]()

        def settle() -> None:
            """Read the frame into the future, or its error."""
            try:
                read.set_result(self._read(index))
            except BaseException as error:  # raised where the frame is asked for
                read.set_exception(error)

        thread = threading.Thread(target=settle, name="frames", daemon=True)
        thread.start()
        return _Ahead(index, read, thread)

    def _read(self, index: int) -> tuple[Frame, tuple[str, ...]]:
        files = self._pairs[index]
        read = read_views(files.left, files.right, self._tone, self.spec.tone)
        first = self._shape
        if first == (0, 0):
            self._views = views_of(self._layout, read.left, read.right)
        left, right = self._views.split(str(files.left), read.left, read.right)
        if first == (0, 0):
            self.layouts = self._views.choices(read.right)
        shape = left.shape[:2]
        if first != (0, 0) and shape != first:
            raise ValueError(
                f"{files.left}: every frame must have the first one's size "
                f"{first[1]}x{first[0]} (found {shape[1]}x{shape[0]}); scale or remove it"
            )
        found = read_truths(files.truth, shape) if files.truth else None
        disparity, occluded = (found.disparity, ~found.seen) if found else (None, None)
        views = RawViews((files.left, files.right), left, right, index, disparity, occluded)
        frame, remarks = self._frames.frame(views)
        remark = why_no_truth(files.left, self._scale) if files.right else ""
        notes = *read.notes, self._views.note if first == (0, 0) else "", remark, *remarks
        frame.deep = read.deep_views(self._views)
        self._shape, self._tone = shape, read.tone
        return frame, tuple(note for note in notes if note)
