"""Folders as sources of frames: pairing of their files, and reading one frame in advance."""

import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.data_set_layouts import view_folders
from wheatstone.viewer.io.sources.data_sets import DATA_SETS
from wheatstone.viewer.io.sources.file_pairs import NAMED, FilePairs, pair_files
from wheatstone.viewer.io.sources.frame import Frame, Source, first_frame, tried_first
from wheatstone.viewer.io.sources.frame_maker import Notes, frame_maker
from wheatstone.viewer.io.sources.layouts import HALVED, views_of
from wheatstone.viewer.io.sources.listing import SUFFIXES, folders_in, images_in
from wheatstone.viewer.io.sources.sides import NUMBERED, sided
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import paths_of, read_pair, read_views
from wheatstone.viewer.io.sources.times import TIMES, pace_of
from wheatstone.viewer.io.sources.tone import Tone
from wheatstone.viewer.io.sources.truth import TruthFiles, read_truths
from wheatstone.viewer.io.sources.truth_places import (
    absent_truth,
    find_truth,
    truth_of,
    why_no_truth,
)

LAYOUTS = (
    "left*/right* images or folders, cam0/cam1, infra1/infra2, im0/im1 or left/right one level "
    "down, or a data set: "
) + ", ".join(dict.fromkeys(each.name for each in DATA_SETS))
DEEPEST = 3  # levels below a folder that are searched for pairs
MOST_FOLDERS = 200  # of a level


@dataclass(frozen=True)
class FramePaths:
    """The files of one frame in a folder: views and ground truth.

    Attributes:
        right: None if one picture holds both views.
        truth: None if no ground truth was saved with the images.
    """

    left: Path
    right: Path | None
    truth: TruthFiles | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """List the paths of the frame's files: one or two views, and ground truth if it has any."""
        views = (self.left, self.right) if self.right else (self.left,)
        return views + (self.truth.paths if self.truth else ())


@dataclass(frozen=True)
class FolderFrames:
    """The files of all frames in a folder, with notes on their pairing.

    Attributes:
        notes: the layout that was recognised, and the files that have no partner.
    """

    frames: list[FramePaths]
    notes: tuple[str, ...] = ()


def find_pairs(folder: Path, scale: float | None = None) -> FolderFrames:
    """List the pairs in a folder, in natural order (frame 2 before frame 10).

    Args:
        scale: as for ``find_truth``.

    Raises:
        ValueError: no known layout, or no left image with its right one; or the pairs of several
            recordings lie below the folder.
    """
    if frames := _pairs_in(folder, scale):
        return frames
    places = [] if images_in(folder) else _recordings_below(folder)
    if len(places) > 1:
        names = [str(place.relative_to(folder)) for place in places]
        listed = ", ".join([*names[:NAMED], *["..."][: len(names) > NAMED]])
        raise ValueError(f"{folder}: holds {len(names)} recordings; open one of them: {listed}")
    if places and (frames := _pairs_in(places[0], scale)):
        return replace(frames, notes=(f"pairs of {places[0].relative_to(folder)}", *frames.notes))
    raise ValueError(f"{folder}: no stereo pair; expected {LAYOUTS}")


def _recordings_below(folder: Path) -> list[Path]:
    """List the folders below a folder that contain recordings of pairs.

    Only folders on the first level that has any are listed.
    """
    level = [folder]
    for _ in range(DEEPEST):
        level = [each for place in level for each in folders_in(place)][:MOST_FOLDERS]
        if recordings := [place for place in level if view_folders(place)[1]]:
            return recordings
    return []


def _pairs_in(folder: Path, scale: float | None) -> FolderFrames | None:
    """List the pairs in a folder, but not in recordings below it; None if there are none.

    Raises:
        ValueError: as ``pair_files``.
    """
    name, places = view_folders(folder)
    if places:
        listed = [pair_folders(*each) for each in places]
        notes = [f"recognised as {name}"] if name else []
        notes += [note for each in listed for note in each.notes]
        return FolderFrames([frame for each in listed for frame in each.frames], tuple(notes))
    images = images_in(folder)
    begins = [[p for p in images if p.stem.lower().startswith(side)] for side in ("left", "right")]
    if any(begins):
        return _paired_by_name(folder, *begins)
    if numbered := _middlebury_pairs(folder, scale):
        return FolderFrames(numbered)
    lefts, rights = sided(images)
    return _paired_by_name(folder, lefts, rights) if lefts else None


def find_frames(folder: Path, spec: SourceSpec) -> FolderFrames:
    """List the frames in a folder: pairs, or pictures that hold both views.

    Raises:
        ValueError: as ``find_pairs``, for a layout of pairs.
    """
    images = [FramePaths(path, None) for path in images_in(folder)]
    if spec.layout in HALVED:
        return FolderFrames(images) if images else find_pairs(folder)
    try:
        return find_pairs(folder, spec.truth_scale)
    except ValueError:
        first = [read_views(frame.left, None) for frame in images[:1] if not spec.layout]
        files = [frame.left for frame in images[:1]]
        if not any(
            read.right is not None or views_of(None, read.left, None, file).detected
            for read, file in zip(first, files, strict=False)
        ):
            raise
        return FolderFrames(images)


def pair_folders(left: Path, right: Path) -> FolderFrames:
    """Pair the images of two folders by name, number or time; see ``pair_files``.

    Raises:
        ValueError: a folder is empty, or no images fit each other.
    """
    lefts, rights = images_in(left), images_in(right)
    if _ends_in_half_a_pair(left.parent, lefts, rights):
        lefts.pop()
    for folder, images in ((left, lefts), (right, rights)):
        if not images:
            raise ValueError(f"{folder}: no images; expected {', '.join(SUFFIXES)} files")
    return _framed(pair_files(lefts, rights, f"{left} and {right}"))


def _ends_in_half_a_pair(folder: Path, lefts: list[Path], rights: list[Path]) -> bool:
    """Return whether a recording ends with only a left view, because it was killed."""
    recorded = (folder / TIMES).is_file()
    return recorded and [path.name for path in lefts[:-1]] == [path.name for path in rights]


def _paired_by_name(folder: Path, lefts: list[Path], rights: list[Path]) -> FolderFrames:
    """Pair the left and right images of one folder by their names."""
    paired = pair_files(lefts, rights, str(folder))
    if len(paired.pairs) == 1:
        return _framed(paired)
    return FolderFrames([FramePaths(*pair) for pair in paired.pairs], _noted(paired))


def _with_truth(frames: list[FramePaths], spec: SourceSpec) -> list[FramePaths]:
    """Add the user's file of ground truth to a pair; raise ``ValueError`` for several frames."""
    if spec.truth is None:
        return frames
    if len(frames) != 1 or not frames[0].right:
        why = f"needs two images (got {len(frames)} frames)"
        raise ValueError(f"ground truth in a file {why} ({spec.truth})")
    truth = truth_of(frames[0].left, spec.truth, spec.truth_scale)
    return [replace(frames[0], truth=truth)]


def _framed(paired: FilePairs) -> FolderFrames:
    return FolderFrames([FramePaths(a, b, find_truth(a)) for a, b in paired.pairs], _noted(paired))


def _noted(paired: FilePairs) -> tuple[str, ...]:
    return (paired.note,) if paired.note else ()


def _middlebury_pairs(folder: Path, scale: float | None) -> list[FramePaths]:
    """List the pairs named as at Middlebury and ETH3D, in a folder and one level below."""
    pairs = []
    for place in (folder, *folders_in(folder)):
        by_stem = {path.stem: path for path in images_in(place)}
        for left, right in (*NUMBERED, ("left", "right")):
            if left in by_stem and right in by_stem:
                truth = find_truth(by_stem[left], scale)
                pairs.append(FramePaths(by_stem[left], by_stem[right], truth))
                break
    return pairs


@dataclass(frozen=True)
class _Ahead:
    """A frame that is being read in the background, and the thread that reads it."""

    index: int
    read: "Future[tuple[Frame, tuple[str, ...]]]"
    thread: threading.Thread


class FolderSource(Source):
    """A sequence of pairs from files, as a `Source` that reads one frame in advance.

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
        frames = pair_folders(folder, other) if other else find_frames(folder, spec)
        self._pairs = _with_truth(frames.frames, spec)
        self.files = tuple(path for pair in self._pairs for path in pair.paths)
        self._layout = spec.layout  # then that of the first frame
        self.name, self.length = label(resolved(folder).name), len(self._pairs)
        pace = pace_of(folder, [pair.left for pair in self._pairs])
        self.times, self.rate = pace.times, pace.rate
        self._frames = frame_maker(spec)
        self.spec = spec.resolved()
        self._tone: Tone | None = None  # that of the first frame
        self._shape = (0, 0)  # of the views as they were read
        self._current, notes = first_frame(self._read, tried_first(self.length))
        self.notes = (*frames.notes, *filter(None, [pace.note]), *notes)
        self.height, self.width = self._current.shape
        raw = self._current.raw
        self.rectification = raw.rectification if raw else None
        self._lock = threading.Lock()
        self._ahead = self._begin(self._current.index + 1)

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` (modulo ``length``), and begin to read the one after it.

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
        """Return the path of frame ``index``'s left image, relative to the folder of all frames."""
        left = [files.left for files in self._pairs]
        common = os.path.commonpath([path.parent for path in left])
        return label(os.path.relpath(left[index], common))

    def ready(self, index: int) -> bool:
        """Return whether frame ``index`` (modulo ``length``) is decoded."""
        index, ahead = index % self.length, self._ahead
        return index == self._current.index or (index == ahead.index and ahead.read.done())

    def frame_files(self, index: int) -> tuple[Path, ...]:
        """List the files of frame ``index``: its views and its ground truth."""
        return self._pairs[index % self.length].paths

    def close(self) -> None:
        """Wait up to a second for the frame that is being read; do not stop its thread."""
        self._ahead.thread.join(timeout=1.0)

    def _begin(self, index: int) -> "_Ahead":
        """Start reading a frame in a daemon thread, which does not delay the program's exit."""
        index, read = index % self.length, Future[tuple[Frame, tuple[str, ...]]]()

        def settle() -> None:
            try:
                read.set_result(self._read(index))
            except BaseException as error:  # raised where the frame is asked for
                read.set_exception(error)

        thread = threading.Thread(target=settle, name="frames", daemon=True)
        thread.start()
        return _Ahead(index, read, thread)

    def _read(self, index: int) -> tuple[Frame, Notes]:
        files, spec = self._pairs[index], self.spec.changed(layout=self._layout)
        read = read_pair((files.left, files.right), spec, self._tone, index)
        shape, first = read.views.left.shape[:2], self._shape
        if first not in ((0, 0), shape):
            raise ValueError(
                f"{files.left}: every frame must have the first one's size "
                f"{first[1]}x{first[0]} (found {shape[1]}x{shape[0]}); scale or remove it"
            )
        truth = read_truths(files.truth, shape) if files.truth else None
        explain = absent_truth if self.length == 1 else why_no_truth
        absent = explain(files.left, self._scale) if files.right and not files.truth else ""
        made = read.frame(self._frames, truth, absent)
        self._shape, self._tone, self._layout = shape, read.tone, read.layouts[0]
        self.layouts = self.layouts or read.layouts
        return made
