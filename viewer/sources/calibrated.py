"""Calibration of a source's cameras: given by the user, or read from files next to the images."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.cameras.calibration_files import FoundCalibration, calibration_of, digest_of
from wheatstone.viewer.cameras.facts import rig_facts, summary
from wheatstone.viewer.cameras.levelling import rectify_rig
from wheatstone.viewer.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.taken import Taken

WORDS = ("calibration", "calibration_right", "calibration_sha256")
"""Words of a recipe's source about a calibration that the user named."""


@dataclass(frozen=True)
class GivenCalibration:
    """The files of a calibration that the user named.

    Attributes:
        files: one, or two that belong together; none: nothing was named.
        sha256: their ``digest_of`` when a recipe was saved with them; empty: not known.
    """

    files: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def recipe(self) -> Mapping[str, str]:
        """Return the recipe entries that name the same files again, with their present digest.

        Raises:
            OSError, ValueError: a file cannot be read.
        """
        paths = [str(resolved(file)) for file in self.files]
        digest = [digest_of([Path(path) for path in paths])] if paths else []
        words = WORDS[: len(paths)] + WORDS[-1:]
        return dict(zip(words, paths + digest, strict=False)) if paths else {}

    def notes(self, found: FoundCalibration) -> tuple[str, ...]:
        """Return a summary of the calibration, and a note if its files differ from the recipe's."""
        changed = self.sha256 and self.sha256 != digest_of(found.files)
        said = f"{label(found.name)} has changed since its picture or settings were saved"
        return (summary(found), *((said,) if changed else ()))


NOTHING_GIVEN = GivenCalibration()


class Calibrations:
    """The calibrations of a source's pairs; the maps of a rig are made once."""

    def __init__(self, given: GivenCalibration) -> None:
        self._given = given
        self._found: FoundCalibration | None = None
        self._beside: tuple[object, FoundCalibration | None] = (None, None)  # the last image's
        self._maps: dict[tuple[tuple[Path, ...], tuple[int, int]], Rectification] = {}

    def frame(self, taken: Taken) -> tuple[Frame, tuple[str, ...]]:
        """Make a frame from the views that were read, with the calibration of its cameras.

        Returns:
            The frame, and notes on its calibration.

        Raises:
            OSError, ValueError: the calibration given cannot be used.
        """
        index, truth, occluded = taken.index, taken.truth, taken.occluded
        found, notes = self._of(taken.files[0], taken.size)
        if found is None or found.calibration:
            known = found.calibration if found else None
            return Frame(taken.left, taken.right, index, truth, occluded, known), notes
        if taken.right is None:
            said = f"{found.name} describes two cameras: give LEFT RIGHT ({taken.files[0]})"
            raise ValueError(said)
        raw = RawPair(taken.left, taken.right, self._rectification(found))
        return Frame.of_raw(raw, index, truth, occluded), notes

    def _of(
        self, left: Path, size: tuple[int, int]
    ) -> tuple[FoundCalibration | None, tuple[str, ...]]:
        """Return the calibration of an image, with notes on it.

        Files given by the user are read once, and so are files next to a video.
        """
        if self._found and self._found.size == size:
            return self._found, ()
        if self._beside[0] == (left, size):
            return self._beside[1], ()
        found, remarks = calibration_of(left, size, self._given.files)
        self._beside = (left, size), found
        if found and self._given.files:
            remarks += () if self._found else self._given.notes(found)
            self._found = found
        return found, remarks

    def _rectification(self, found: FoundCalibration) -> Rectification:
        assert found.rig and found.size
        key = found.files, found.size
        if key not in self._maps:
            maps = rectify_rig(found.rig, *found.size, origin=label(found.name))
            maps = replace(maps, facts=tuple(rig_facts(found.rig)))
            self._maps = {key: maps}  # the last alone, for maps are large
            return maps
        return self._maps[key]
