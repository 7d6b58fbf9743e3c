"""Write the numbered files of a sequence; keep those made with the same settings and inputs."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.value_outputs import ValueOutput, value_outputs
from wheatstone.viewer.commands.view_request import RenderRequest
from wheatstone.viewer.files.cloud import write_cloud
from wheatstone.viewer.files.fingerprint import fingerprint
from wheatstone.viewer.files.journal import Journal, digest, program
from wheatstone.viewer.files.numbered import is_numbered, numbered
from wheatstone.viewer.frames.latest import begin_cloud
from wheatstone.viewer.settings.recipe import dumps, loads, recipe_of
from wheatstone.viewer.settings.screenshot import read_recipe, write_screenshot

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session
    from wheatstone.viewer.sources.frame import Source

RECORD = ".done"
"""The suffix that a series' record adds to the name of the series: ``disp-%04d.npy.done``."""
INPUTS = "inputs"
"""The key of a picture's recipe, under ``made``, with the digest of the picture's inputs."""
UNCOMPARED = ("made", "seal")  # of recipes: they differ between runs that give the same

Recipe = Mapping[str, Any]


class Series(Protocol):
    """Files of one kind, one for each frame."""

    @property
    def pattern(self) -> Path:
        """Return their name, which has a placeholder for the number."""

    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        """Return whether the file of a frame exists, is complete, and was made by this recipe.

        Args:
            inputs: digest of the files that the frame is read from, as made by ``inputs_of``.

        Raises:
            OSError: it cannot be read.
        """

    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        """Write the file of the frame drawn last; return a note for the user, or nothing.

        Raises:
            OSError, ValueError: it cannot be written.
        """


@dataclass(frozen=True)
class PictureSeries:
    """Pictures of a view, each with its recipe stored in it.

    Attributes:
        size: width and height in pixels.
    """

    pattern: Path
    size: tuple[int, int]

    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        """Return whether the picture is complete, and has this size, recipe and source."""
        path = numbered(self.pattern, number)
        try:
            made = read_recipe(path)
        except ValueError:
            return False
        if not made or made.get("made", {}).get(INPUTS) != inputs:
            return False
        return _compared(made) == _compared(loads(dumps(recipe))) and _whole(path, self.size)

    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        """Write the picture drawn last."""
        made = recipe_of(session)
        made["made"] = {**made["made"], INPUTS: inputs}
        write_screenshot(numbered(self.pattern, number), session.display.read(), made)
        return ""


class Made(TypedDict):
    """The size and digest of a file as written, which show whether it is still complete."""

    bytes: int
    sha256: str


class _Recorded(ABC):
    """Files that cannot store their recipe, so that a separate record describes how each was made.

    Args:
        what: further facts that determine the content of the files.
    """

    def __init__(self, pattern: Path, *what: str) -> None:
        self.pattern, self._what = pattern, what
        self._record = Journal(
            record_of(pattern), "wheatstone-series", 1, "record of numbered files", Made
        )

    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        """Return whether the file exists as it was written, and the source is unchanged."""
        path = numbered(self.pattern, number)
        return path.is_file() and self._record.find(self._key(path, recipe, inputs)) == _made(path)

    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        """Write the file, and add it to the record."""
        path = numbered(self.pattern, number)
        note = self._write(path, session)
        self._record.add(self._key(path, recipe, inputs), _made(path))
        return note

    def _key(self, path: Path, recipe: Recipe, inputs: str) -> str:
        facts = [path.name, _compared(recipe), inputs, self._what, program()]
        return digest(facts)

    @abstractmethod
    def _write(self, path: Path, session: "Session") -> str:
        """Write a file; return a note for the user, or nothing."""


class ValueFiles(_Recorded):
    """Files of values of an image of A."""

    def __init__(self, output: ValueOutput) -> None:
        super().__init__(output.path, output.image)
        self._output = output

    def _write(self, path: Path, session: "Session") -> str:
        return self._output.write(session, path)


class CloudSeries(_Recorded):
    """Files of the point clouds of A's disparity, from the visible part of the image."""

    def _write(self, path: Path, session: "Session") -> str:
        cloud = begin_cloud(session).result()
        write_cloud(path, cloud)
        return cloud.said


def record_of(pattern: Path) -> Path:
    """Return the path of the record of a series of values or clouds."""
    return pattern.with_name(pattern.name + RECORD)


def series_of(request: RenderRequest, size: tuple[int, int]) -> list[Series]:
    """List the series that a command line of ``render`` asks for.

    Args:
        size: width and height of pictures, in pixels.

    Raises:
        OSError, ValueError: a record cannot be read, or is another kind of file.
    """
    found: list[Series] = []
    if request.out and is_numbered(request.out):
        found.append(PictureSeries(request.out, size))
    found += map(ValueFiles, value_outputs(request))
    if request.cloud:
        found.append(
            CloudSeries(request.cloud, f"{size[0]}x{size[1]}")
        )  # what is seen depends on it
    return found


def _compared(recipe: Recipe) -> dict[str, Any]:
    return {name: value for name, value in recipe.items() if name not in UNCOMPARED}


def inputs_of(source: "Source", numbers: Iterable[int]) -> str:
    """Digest the files that frames are read from, and the calibrations next to these."""
    files = dict.fromkeys(path for number in numbers for path in source.frame_files(number))
    calibrations = dict.fromkeys(place for path in files for place in places_beside(path))
    return digest([(str(path), fingerprint(path)) for path in (*files, *calibrations)])


def _made(path: Path) -> Made:
    encoded = path.read_bytes()
    return {"bytes": len(encoded), "sha256": sha256(encoded).hexdigest()}


def _whole(path: Path, size: tuple[int, int]) -> bool:
    """Return whether a PNG is undamaged and has a given size."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            picture.verify()
            return picture.size == size
    except (OSError, ValueError, SyntaxError):  # verify raises the last one for a bad checksum
        return False
