"""Numbered output files of a sequence, which are kept if made with the same settings."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.cli.view_request import RenderRequest
from wheatstone.viewer.display.frames.latest import begin_cloud
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.io.cameras.calibration_files import places_beside, unit_file
from wheatstone.viewer.io.files.cloud import write_cloud
from wheatstone.viewer.io.files.journal import Journal, digest, fingerprint, program
from wheatstone.viewer.io.files.output import is_numbered, numbered
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.files.values import write_values, writer_for
from wheatstone.viewer.settings.recipe import dumps, loads, recipe_of
from wheatstone.viewer.settings.screenshot import read_recipe, write_screenshot

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.io.sources.frame import Source

RECORD = ".done"
"""The suffix that a series' record adds to the name of the series: ``disp-%04d.npy.done``."""
INPUTS = "inputs"
"""The key of a picture's recipe, under ``made``, with the digest of the picture's inputs."""
UNCOMPARED = ("made", "seal")  # of recipes: they differ between runs that give the same

Recipe = Mapping[str, Any]


@dataclass(frozen=True)
class ValueOutput:
    """An output file of values, and the image whose values are written to it.

    Attributes:
        image: the image's name; empty: the image that the view shows.
    """

    path: Path
    image: str = ""

    def write(self, session: "Session", path: Path) -> str:
        """Write the values of the frame computed last to a file; return a note for the user.

        Args:
            path: the file, whose name may contain a frame number.

        Raises:
            OSError, ValueError: it cannot be written.
        """
        slot = session.state.slot
        image = slot.image(self.image or chosen(session.state).written)
        frame = session.frame_of(chosen(session.state))
        values, place = session.values(image.name), frame.georeference
        return write_values(path, values, image, slot.params, georeference=place)


def value_outputs(request: RenderRequest) -> list[ValueOutput]:
    """List the output files of values with their images, in the order of the options.

    Raises:
        ValueError: their numbers do not match, or a suffix is not a format of values.
    """
    paths: Sequence[Path] = request.values
    images = request.image or ("",)
    if request.image and not paths:
        raise ValueError("--image selects the image of --values: give --values FILE as well")
    if len(images) not in (1, len(paths) or 1):
        many = f"{len(images)} times --image, {len(paths)} times --values"
        raise ValueError(f"--image is given once for all files of --values, or for each ({many})")
    for path in paths:
        writer_for(path)
    every = images * len(paths) if len(images) == 1 else images
    return [ValueOutput(path, image) for path, image in zip(paths, every, strict=True)]


def check_images(request: RenderRequest, pipeline: Pipeline) -> None:
    """Raise ``ValueError`` unless every image that options choose has one value per pixel."""
    for name in request.image:
        if pipeline.image(name).dims != ("height", "width"):
            raise ValueError(f"--image {name} is not an image with one value per pixel")


def write_value_files(request: RenderRequest, session: "Session") -> None:
    """Write all requested files of values for the last computed frame, and print their names.

    Raises:
        OSError, ValueError: a file cannot be written.
    """
    for output in value_outputs(request):
        note = output.write(session, output.path)
        say(f"wrote {output.path}: {note}" if note else f"wrote {output.path}")


class Series(ABC):
    """Base class of series: numbered output files of one kind, one for each frame.

    Attributes:
        pattern: their name, with a placeholder for the number.
    """

    def __init__(self, pattern: Path) -> None:
        self.pattern = pattern

    @abstractmethod
    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        """Return whether a frame's file exists, is complete and was made with the same settings.

        Args:
            inputs: digest of the files that the frame is read from, as made by ``inputs_of``.

        Raises:
            OSError: it cannot be read.
        """

    @abstractmethod
    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        """Write the file of the frame drawn last; return a note for the user, or an empty text.

        Raises:
            OSError, ValueError: it cannot be written.
        """


class PictureSeries(Series):
    """A series of rendered images, each stored with the settings that restore it.

    Args:
        size: width and height in pixels.
    """

    def __init__(self, pattern: Path, size: tuple[int, int]) -> None:
        super().__init__(pattern)
        self._size = size

    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        path = numbered(self.pattern, number)
        try:
            made = read_recipe(path)
        except ValueError:
            return False
        if not made or made.get("made", {}).get(INPUTS) != inputs:
            return False
        return _compared(made) == _compared(loads(dumps(recipe))) and _whole(path, self._size)

    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        made = recipe_of(session)
        made["made"] = {**made["made"], INPUTS: inputs}
        write_screenshot(numbered(self.pattern, number), session.display.read(), made)
        return ""


class Made(TypedDict):
    """The size and digest of a written file, by which later changes are detected."""

    bytes: int
    sha256: str


class RecordedSeries(Series):
    """A series of files with a separate record of the settings with which they were made.

    Args:
        write: writes a file; returns a note for the user, or nothing.
        what: further facts that determine the content of the files.
    """

    def __init__(self, pattern: Path, write: "Callable[[Session, Path], str]", what: str) -> None:
        super().__init__(pattern)
        self._write, self._what = write, what
        self._record = Journal(
            record_of(pattern), "wheatstone-series", 1, "record of numbered files", Made
        )

    def has(self, number: int, recipe: Recipe, inputs: str) -> bool:
        path = numbered(self.pattern, number)
        return path.is_file() and self._record.find(self._key(path, recipe, inputs)) == _made(path)

    def write(self, number: int, recipe: Recipe, inputs: str, session: "Session") -> str:
        path = numbered(self.pattern, number)
        note = self._write(session, path)
        self._record.add(self._key(path, recipe, inputs), _made(path))
        return note

    def _key(self, path: Path, recipe: Recipe, inputs: str) -> str:
        return digest([path.name, _compared(recipe), inputs, (self._what,), program()])


def record_of(pattern: Path) -> Path:
    """Return the path of the record with the settings of a series of files."""
    return pattern.with_name(pattern.name + RECORD)


def series_of(request: RenderRequest, size: tuple[int, int]) -> list[Series]:
    """List the series of numbered files that a command line requests.

    Args:
        size: width and height of pictures, in pixels.

    Raises:
        OSError, ValueError: a record cannot be read, or is another kind of file.
    """
    listed: list[Series] = []
    if request.out and is_numbered(request.out):
        listed.append(PictureSeries(request.out, size))
    for output in value_outputs(request):
        listed.append(RecordedSeries(output.path, output.write, output.image))
    if request.cloud:  # whose visible part depends on the size
        listed.append(RecordedSeries(request.cloud, _write_cloud, f"{size[0]}x{size[1]}"))
    return listed


def _write_cloud(session: "Session", path: Path) -> str:
    """Write the visible points of run A's disparity map to a file; return a summary."""
    cloud = begin_cloud(session).result()
    write_cloud(path, cloud)
    return cloud.summary


def _compared(recipe: Recipe) -> dict[str, Any]:
    return {name: value for name, value in recipe.items() if name not in UNCOMPARED}


def inputs_of(source: "Source", numbers: Iterable[int]) -> str:
    """Return a digest of the files that frames are read from, and of their calibrations."""
    files = dict.fromkeys(path for number in numbers for path in source.frame_files(number))
    calibrations = dict.fromkeys(place for path in files for place in places_beside(path))
    every = *map(str, files), *calibrations, *map(unit_file, calibrations)
    return digest([(path, fingerprint(path)) for path in every])


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
