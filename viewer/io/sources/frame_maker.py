"""Creation of frames from the views read: with calibration, and rectified if needed."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import Finding, about
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration, assumed
from wheatstone.viewer.io.cameras.calibration_files import (
    FoundCalibration,
    calibration_of,
    digest_of,
)
from wheatstone.viewer.io.cameras.facts import rig_facts, summary
from wheatstone.viewer.io.cameras.levelling import rectify_rig
from wheatstone.viewer.io.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.io.cameras.uncalibrated import divisor, rectify_uncalibrated, scaled_down
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.footage.planes import AnyView, pixels_of
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stated_range import (
    AskedCount,
    disparities_of_truth,
    possible,
    stated_disparities,
)
from wheatstone.viewer.io.sources.truth import Truth
from wheatstone.viewer.io.sources.truth_places import truth_of

Notes = tuple[str, ...]


@dataclass(frozen=True)
class RawViews:
    """The views of one frame as they were read, and their files.

    Attributes:
        files: of the left and the right view; None for a right view that has no file of its own.
        left, right: the views: pixels or decoded planes; ``right`` is None for a single image.
        index: position in the source, from 0.
        truth, occluded: as for ``Frame``; of the rectified pair.
        layout: of the views in their pictures, one of ``LAYOUTS``.
    """

    files: tuple[Path, Path | None]
    left: AnyView
    right: AnyView | None
    index: int
    truth: NDArray[np.float32] | None = None
    occluded: NDArray[np.bool_] | None = None
    layout: str = "pair"

    def with_truth(self, truth: Truth | None) -> "RawViews":
        """Return a copy with the ground truth of the rectified pair; unchanged for None."""
        return replace(self, truth=truth.disparity, occluded=~truth.seen) if truth else self

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of the frame's views."""
        return self.left.shape[1], self.left.shape[0]


def frame_maker(
    spec: SourceSpec, recorded: FoundCalibration | None = None, *, named: bool = False
) -> "FrameMaker":
    """Return an object that makes a source's frames, rectified as its specification requests.

    Args:
        recorded: the calibration that the source contains, which one in the spec replaces.
        named: leave the summary of the calibration out of the notes.
    """
    if spec.rectify == "auto":
        return FeatureRectification(spec.baseline)
    return Calibrations(spec, None if spec.calibrations else recorded, named=named)


def calibration_notes(spec: SourceSpec, calibration: FoundCalibration) -> Notes:
    """List notes on a calibration: its summary, whether its files changed, and warnings."""
    remarks = (
        about(calibration.name, each) for each in calibration.remarks if isinstance(each, Finding)
    )
    saved = spec.calibration_sha256
    if saved and saved != digest_of(calibration.files):
        changed = f"{label(calibration.name)} has changed since its picture or settings were saved"
        return summary(calibration), changed, *remarks
    return summary(calibration), *remarks


def in_metres(known: Calibration, baseline: float | None) -> Calibration:
    """Return a calibration with a given baseline in metres, if its own lengths are relative."""
    if baseline is None or known.unit != RELATIVE:
        return known
    return replace(known, baseline=baseline, unit="m")


class Calibrations:
    """A maker of frames that uses the calibration of the cameras, and rectifies with it.

    The maps of a rig are computed once. With ``rectify`` off, a pair that needs rectification is
    shown as it was taken.
    """

    def __init__(
        self, spec: SourceSpec, recorded: FoundCalibration | None = None, *, named: bool = False
    ) -> None:
        self._spec, self._named = spec, named
        self._given = recorded
        self._last: tuple[object, FoundCalibration | None] = (None, None)  # that of an image
        self._given_notes: set[str] = set()
        self._maps: dict[tuple[tuple[Path, ...], tuple[int, int]], Rectification] = {}

    def frame(self, views: RawViews) -> tuple[Frame, Notes]:
        """Make a frame from views, with the calibration of their cameras and notes on it."""
        calibration, notes = self._calibration(views.files[0], views.size)
        if calibration is None or calibration.calibration:
            known = calibration.calibration if calibration else None
            if known is None and self._spec.baseline:
                known, more = assumed(*views.size), self._note_of_assumed(views.size[0])
                notes += more
            known = known and in_metres(known, self._spec.baseline)
            rest = views.index, views.truth, views.occluded, known
            frame = Frame(views.left, views.right, *rest)
            frame.calibration_files = calibration.files if calibration else ()
            return frame, notes
        if views.right is None:
            words = f"{calibration.name} describes two cameras: give LEFT RIGHT ({views.files[0]})"
            raise ValueError(words)
        if self._spec.rectify == "off":
            plain = Frame(views.left, views.right, views.index)
            return plain, (*notes, "shown as it was taken: not rectified")
        raw = RawPair(views.left, views.right, self._rectification(calibration))
        frame = Frame.of_raw(raw, views.index, views.truth, views.occluded)
        frame.calibration_files = calibration.files
        return frame, notes

    def _calibration(
        self, left: Path, size: tuple[int, int]
    ) -> tuple[FoundCalibration | None, Notes]:
        """Return the calibration for a left image, or None, and notes for the user.

        Files given by the user are read once, and so are files next to a video.
        """
        if self._given and self._given.size == size:
            return self._given, ()
        if self._last[0] == (left, size):
            return self._last[1], ()
        calibration, notes = self._read(left, size)
        self._last = (left, size), calibration
        if calibration and self._spec.calibrations:
            notes += () if self._given else self._notes_on(calibration)
            self._given = calibration
        return calibration, notes

    def _read(self, left: Path, size: tuple[int, int]) -> tuple[FoundCalibration | None, Notes]:
        """Read the calibration of an image; return notes only if they were not returned before.

        Of a data set's files the first is summarized, because they may be one per image.
        """
        calibration, notes = calibration_of(
            left, size, self._spec.calibrations, self._spec.calibration_choices
        )
        if calibration and not self._spec.calibrations:
            try:
                notes = self._notes_on(calibration)
            except ValueError as error:  # a rig that cannot be rectified
                calibration, notes = None, (f"calibration ignored: {error}",)
        new = tuple(note for note in notes if note not in self._given_notes)
        self._given_notes.update(new)
        return calibration, new

    def _notes_on(self, calibration: FoundCalibration) -> Notes:
        """Return the notes on a calibration, with its summary the first time only."""
        first, *rest = calibration_notes(self._spec, calibration)
        named, self._named = self._named, True
        return tuple(rest) if named else (first, *rest)

    def _note_of_assumed(self, focal: int) -> Notes:
        """Return a note on an assumed focal length in pixels, the first time only."""
        note = Finding("assumed focal", baseline=self._spec.baseline, focal=focal)
        new = () if note in self._given_notes else (note,)
        self._given_notes.add(note)
        return new

    def _rectification(self, calibration: FoundCalibration) -> Rectification:
        assert calibration.rig and calibration.size
        key = calibration.files, calibration.size
        if key not in self._maps:
            maps = rectify_rig(calibration.rig, *calibration.size, origin=label(calibration.name))
            known = in_metres(maps.calibration, self._spec.baseline)
            maps = replace(maps, facts=tuple(rig_facts(calibration.rig)), calibration=known)
            self._maps = {key: maps}  # the last alone, for maps are large
            return maps
        return self._maps[key]


class FeatureRectification:
    """A maker of frames that rectifies all pairs of a source by features of the first pair.

    Args:
        baseline: metres between the cameras; None: depth is relative.
    """

    def __init__(self, baseline: float | None = None) -> None:
        self._baseline = baseline
        self._rectification: Rectification | None = None
        self._divisor = 1

    def frame(self, views: RawViews) -> tuple[Frame, Notes]:
        """Make a frame that is rectified by features, with notes for the first pair.

        Truth and calibration are ignored, because rectification moves the pixels.

        Raises:
            ValueError: the views do not determine a rectification.
        """
        if views.right is None:
            return Frame(views.left, None, views.index), ()
        by = self._divisor if self._rectification else divisor(*views.size)
        left, right = (scaled_down(pixels_of(view), by) for view in (views.left, views.right))
        notes: Notes = ()
        if not self._rectification:
            rectified = rectify_uncalibrated(grey_levels(left), grey_levels(right))
            known = in_metres(rectified.rectification.calibration, self._baseline)
            self._rectification = replace(rectified.rectification, calibration=known)
            self._divisor = by
            unused = calibration_of(views.files[0], views.size)[0]
            relative = rectified.notes if self._baseline is None else rectified.notes[:1]
            height, width = left.shape[:2]
            scaled = f"views scaled down by {by} to {width}x{height}, to be matched live"
            notes = (*(scaled,) * (by > 1), *relative, *_ignored(views.truth, unused))
        return Frame.of_raw(RawPair(left, right, self._rectification), views.index), notes


FrameMaker = Calibrations | FeatureRectification
"""Makes the frames of a source from the views that were read. ``frame`` raises ``OSError`` or
``ValueError`` if a calibration cannot be used, or views cannot be rectified."""


def expected_range(source: Source, known: Iterable[str]) -> dict[str, int]:
    """Return the parameters for the range of disparities expected in a rectified pair.

    They are expected where a pair is rectified by its features, or its calibration says them.

    Args:
        known: names of the parameters that exist.

    Returns:
        ``min_disparity`` and ``disparities`` if known; empty if no range is expected.
    """
    with suppress(OSError, ValueError):  # told where the frame is shown
        raw = source.frame(0).raw
        if raw and raw.rectification.disparities:
            first, count = raw.rectification.disparities
            expected = {"min_disparity": first, "disparities": count}
            return {name: expected[name] for name in known if name in expected}
    stated = stated_by(source)
    return {"disparities": possible(stated)} if stated and "disparities" in known else {}


def stated_by(source: Source) -> AskedCount | None:
    """Return how many disparities calibration, data set or truth require for a source, if known."""
    spec = source.spec
    if not spec.left or is_live(spec.left) or spec.rectify == "auto":
        return None
    first = next(iter(source.files), Path(spec.left))
    if stated := stated_disparities(first, spec.calibrations):
        return stated
    truth = truth_of(first, spec.truth, spec.truth_scale)
    return disparities_of_truth([truth] if truth else [])


def _ignored(truth: object, calibration: object) -> Notes:
    lost = {"ground truth": truth, "calibration": calibration}
    names = " and ".join(name for name, unused in lost.items() if unused is not None)
    return (f"{names} ignored: that of views that are not rectified again",) if names else ()
