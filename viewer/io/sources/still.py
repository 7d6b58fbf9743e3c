"""Still sources: one image file, or the two image files of a pair."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import about
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import DeepViews, Pixels, ReadFrame, SingleFrame
from wheatstone.viewer.io.sources.frame_maker import FrameMaker, Notes, RawViews, frame_maker
from wheatstone.viewer.io.sources.georeference import Georeference
from wheatstone.viewer.io.sources.images import StoredViews, read_stored
from wheatstone.viewer.io.sources.layouts import LayoutViews, exchange_of, views_of
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.tone import Tone, measured_tone, sixteen_bits, with_tone
from wheatstone.viewer.io.sources.truth import Truth, read_truths
from wheatstone.viewer.io.sources.truth_places import absent_truth, truth_of


class StillSource(SingleFrame):
    """A single image or a pair from files, as a `Source` of one frame."""

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
        self.files = tuple(filter(None, paths))
        read = read_pair(paths, spec)
        truth = self._truth(spec, read.views)
        self._frame, self.notes = read.frame(frame_maker(spec), *truth)
        self.layouts = read.layouts
        self.height, self.width = self._frame.shape
        raw = self._frame.raw
        self.rectification = raw.rectification if raw else None

    def _truth(self, spec: SourceSpec, views: RawViews) -> tuple[Truth | None, str]:
        """Read the ground truth of the views; if it is absent, return a note with the reason.

        The files are added to ``self.files``. Truth next to a picture that holds both views may be
        that of the whole picture.

        Raises:
            OSError, ValueError: it cannot be read, or was given by the user and has another size.
        """
        left, right = views.files
        if views.right is None:
            _refuse_single(left, spec)
            return None, ""
        files = truth_of(left, spec.truth, spec.truth_scale)
        if not files:
            return None, absent_truth(left, spec.truth_scale) if right else ""
        self.files += files.paths
        try:
            return read_truths(files, views.left.shape[:2]), ""
        except ValueError as error:
            if spec.truth or views.layout == "pair":
                raise
            return None, f"ground truth ignored: {error}"


def paths_of(spec: SourceSpec) -> tuple[Path, Path | None]:
    """Return a source specification's left and right path; the right one may be None."""
    return Path(spec.left or ""), None if spec.right is None else Path(spec.right)


def _refuse_single(path: Path, spec: SourceSpec) -> None:
    """Raise ``ValueError`` for options that need a pair, given with a single image."""
    if spec.rectify == "auto":
        raise ValueError(f"a pair is rectified, not a single image ({path}): give LEFT RIGHT")
    if spec.truth is not None:
        why = "ground truth in a file needs two images: give LEFT RIGHT"
        raise ValueError(f"{why} ({spec.truth})")


@dataclass(frozen=True)
class PairRead:
    """A pair or a single image as read from its files, before calibration and rectification.

    Attributes:
        views: both views, cut out of their pictures.
        notes: remarks for the user on the files and their layout.
        layouts: that the user can choose for the pictures; the first is in use.
        tone: the mapping of 16-bit pixels, for the next frames of the source; None: linear.
        deep: 16-bit pixels of the views; None if a view has 8 bits.
        georeference: of a left view that is a whole picture; None: it has none.
    """

    views: RawViews
    notes: Notes
    layouts: tuple[str, ...]
    tone: Tone | None
    deep: DeepViews | None
    georeference: Georeference | None

    def frame(self, maker: FrameMaker, truth: Truth | None, note: str = "") -> ReadFrame:
        """Make the frame, which is calibrated and rectified; return it with all notes.

        Args:
            note: a remark on the ground truth.

        Raises:
            OSError, ValueError: see ``FrameMaker``.
        """
        frame, notes = maker.frame(self.views.with_truth(truth))
        frame.deep, frame.exchange = self.deep, exchange_of(self.layouts)
        frame.georeference = None if frame.raw else self.georeference
        return frame, tuple(filter(None, (*self.notes, note, *notes)))


def read_pair(
    files: tuple[Path, Path | None], spec: SourceSpec, tone: Tone | None = None, index: int = 0
) -> PairRead:
    """Read a pair or a single image from its files, and cut its views out of the pictures.

    Args:
        files: of the left and the right view; the right one is None if one file holds both views,
            or for a single image.
        spec: has the layout of the views, which is detected if it is None; and the rule for 16-bit
            pixels.
        tone: the mapping of 16-bit pixels, from the source's first frame; None: by ``spec``.
        index: position in the source, from 0.

    Raises:
        OSError, ValueError: see ``read_image``; or the sizes differ, or the views do not fit the
            layout.
    """
    read = read_views(*files, tone, spec.tone)
    layout = views_of(spec.layout, read.left, read.right, files[0])
    left, right = layout.split(str(files[0]), read.left, read.right)
    return PairRead(
        RawViews(files, left, right, index, layout=layout.layout),
        (*read.notes, layout.note),
        layout.choices(read.right),
        read.tone,
        read.deep_views(layout),
        read.georeference if left is read.left else None,
    )


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

    def deep_views(self, views: LayoutViews) -> DeepViews | None:
        """Return the 16-bit pixels of both views, cut by a layout; None if a view has 8 bits."""
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
