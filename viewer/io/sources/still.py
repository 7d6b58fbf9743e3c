"""Still sources: one image file, or the two image files of a pair."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import about
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import DeepViews, Frame, Pixels, SingleFrame
from wheatstone.viewer.io.sources.frame_maker import RawViews, frame_maker
from wheatstone.viewer.io.sources.georeference import Georeference
from wheatstone.viewer.io.sources.images import StoredViews, read_stored
from wheatstone.viewer.io.sources.layouts import LayoutViews, views_of
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.tone import Tone, measured_tone, sixteen_bits, with_tone
from wheatstone.viewer.io.sources.truth import Truth, TruthFiles, read_truths
from wheatstone.viewer.io.sources.truth_places import absent_truth, truth_of


class StillSource(SingleFrame):
    """A single image or a pair from files, a `Source` of one frame."""

    def __init__(self, spec: SourceSpec) -> None:
        """Read the image files and their ground truth.

        Args:
            spec: without a calibration or a truth, the files next to the left image are used, if
                there are any.

        Raises:
            OSError, ValueError: see ``read_image``; or the two sizes differ; or the views do not
                fit the layout; or the pair cannot be rectified.
        """
        paths = paths_of(spec)
        self.name = " | ".join(label(path.name) for path in paths if path)
        self.spec = spec.resolved()
        read = read_views(*paths, measure=spec.tone)
        views = views_of(spec.layout, read.left, read.right, paths[0])
        pair = views.split(self.name, read.left, read.right)
        self.layouts = views.choices(read.right)
        if pair[1] is None:
            _refuse_single(paths[0], spec)
        given = spec.truth, spec.truth_scale
        files = truth_of(paths[0], *given) if pair[1] is not None else None
        self.files = (*filter(None, paths), *(files.paths if files else ()))
        truths, of_other_size = _truths(files, pair[0].shape[:2], spec, views.layout)
        truth, occluded = (truths.disparity, ~truths.seen) if truths else (None, None)
        raw_views = RawViews(paths, *pair, 0, truth, occluded)
        self._frame, remarks = frame_maker(spec).frame(raw_views)
        read.add_to(self._frame, views)
        self.height, self.width = self._frame.shape
        absent = absent_truth(paths[0], spec.truth_scale) if paths[1] and not files else ""
        notes = *read.notes, views.note, absent, of_other_size, *remarks
        self.notes = tuple(note for note in notes if note)
        raw = self._frame.raw
        self.rectification = raw.rectification if raw else None


def paths_of(spec: SourceSpec) -> tuple[Path, Path | None]:
    """Return the paths of the left and the right view's file or folder."""
    return Path(spec.left or ""), None if spec.right is None else Path(spec.right)


def _refuse_single(path: Path, spec: SourceSpec) -> None:
    """Raise ``ValueError`` for options that need a pair, given with a single image."""
    if spec.rectify == "auto":
        raise ValueError(f"a pair is rectified, not a single image ({path}): give LEFT RIGHT")
    if spec.truth is not None:
        why = "ground truth in a file needs two images: give LEFT RIGHT"
        raise ValueError(f"{why} ({spec.truth})")


def _truths(
    files: TruthFiles | None, size: tuple[int, ...], spec: SourceSpec, layout: str
) -> tuple[Truth | None, str]:
    """Read the ground truth of a view, if there is one, or return a note why it is left out.

    Truth next to a picture that holds both views may be that of the whole picture.

    Raises:
        OSError, ValueError: it cannot be read, or was given by the user and has another size.
    """
    if not files:
        return None, ""
    try:
        return read_truths(files, size), ""
    except ValueError as error:
        if spec.truth or layout == "pair":
            raise
        return None, f"ground truth left out: {error}"


@dataclass(frozen=True)
class ReadViews:
    """The pixels read from one or two image files, and notes on them.

    Attributes:
        tone: the mapping of 16-bit pixels, for the next frames of the source; None: linear.
        deep: 16-bit pixels as they are stored, of the pictures; None for 8 bits.
        georeference: of the left file; None: it has none.
    """

    left: Pixels
    right: Pixels | None
    notes: tuple[str, ...]
    tone: Tone | None = None
    deep: tuple[NDArray[np.uint16] | None, NDArray[np.uint16] | None] = (None, None)
    georeference: Georeference | None = None

    def add_to(self, frame: Frame, views: LayoutViews) -> None:
        """Add the 16-bit pixels and the georeference to the frame made of these views.

        A left view that was cut out of the picture or is rectified has no georeference.
        """
        frame.deep = self._deep_views(views)
        if frame.taken[0] is self.left and not frame.raw:
            frame.georeference = self.georeference

    def _deep_views(self, views: LayoutViews) -> DeepViews | None:
        """Return the 16-bit pixels of the views; None if a view has 8 bits."""
        left, right = self.deep
        if left is None or (self.right is not None and right is None):
            return None
        layers: Any = views.split("", left, right)  # type: ignore[arg-type]
        return DeepViews(*layers)


def read_views(
    left: Path, right: Path | None, tone: Tone | None = None, measure: str | None = None
) -> ReadViews:
    """Read the one or two image files of a frame; one file may hold both views.

    Args:
        tone: the mapping of 16-bit pixels, taken from the source's first frame.
        measure: the rule by which this frame's own mapping is determined, without ``tone``.

    Raises:
        OSError, ValueError: see ``read_image``; or the sizes differ.
    """
    paths = [left] if right is None else [left, right]
    files = [read_stored(path) for path in paths]
    views = list(files[0].views) if right is None else [file.views[0] for file in files]
    tone = tone or measured_tone(measure, views)
    pixels, notes = [], [*_held_differently(paths, files)]
    of_views = (paths, files) if len(files) == len(views) else (paths * 2, files * 2)
    for path, file, view in zip(*of_views, views, strict=True):
        converted, more = with_tone(path, view, tone)
        pixels.append(converted)
        notes += [about(path.name, note) for note in (*file.notes, *more)]
    place = files[0].georeference
    unique = tuple(dict.fromkeys(notes))  # those of a file that holds both views once
    if len(pixels) == 1:
        return ReadViews(pixels[0], None, unique, tone, (sixteen_bits(views[0]), None), place)
    require_same_size(left, pixels[0].shape, right or left, pixels[1].shape)
    deep = sixteen_bits(views[0]), sixteen_bits(views[1])
    return ReadViews(pixels[0], pixels[1], unique, tone, deep, place)


def _held_differently(paths: list[Path], files: list[StoredViews]) -> list[str]:
    """Return a warning if the EXIF orientations of two files differ."""
    turns = [file.orientation for file in files]
    if len(set(turns)) < 2:
        return []
    names = " and ".join(path.name for path in paths)
    return [f"{names} have different EXIF orientations ({turns[0]} and {turns[1]}): is one wrong?"]


def require_same_size(
    left: Path, left_shape: tuple[int, ...], right: Path, right_shape: tuple[int, ...]
) -> None:
    """Raise ``ValueError`` if the two views differ in height or width."""
    if left_shape[:2] != right_shape[:2]:
        (height, width), (other_height, other_width) = left_shape[:2], right_shape[:2]
        raise ValueError(
            f"left and right must have the same size ({left} is {width}x{height}, "
            f"{right} is {other_width}x{other_height}); rectify or crop them alike"
        )
