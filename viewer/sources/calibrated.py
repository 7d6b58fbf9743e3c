"""What a source knows of its cameras: the calibration given, or what lies beside the images."""

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
        sha256: what they were when a recipe named them, as ``digest_of`` tells; empty: not known.
    """

    files: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def recipe(self) -> Mapping[str, str]:
        """Write down what names the same files again, and what they are now.

        Raises:
            OSError, ValueError: one cannot be read.
        """
        paths = [str(resolved(file)) for file in self.files]
        digest = [digest_of([Path(path) for path in paths])] if paths else []
        words = WORDS[: len(paths)] + WORDS[-1:]
        return dict(zip(words, paths + digest, strict=False)) if paths else {}

    def notes(self, found: FoundCalibration) -> tuple[str, ...]:
        """Say what was read from the files, and whether they are those that a recipe named."""
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
        """Make a frame of what was read, with what is known of the cameras.

        Returns:
            The frame, and notes on its calibration.

        Raises:
            OSError, ValueError: the calibration given does not serve.
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
        """Look up the calibration of an image, with notes on it.

        What was given is read once, and so is what lies beside a video.
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
