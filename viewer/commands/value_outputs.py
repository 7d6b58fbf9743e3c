"""Write the value files of ``render``: each ``--values`` with its ``--image``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.commands.view_request import RenderRequest
from wheatstone.viewer.files.streams import say
from wheatstone.viewer.files.values import write_values, writer_for
from wheatstone.viewer.picture.shown import chosen

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session


@dataclass(frozen=True)
class ValueOutput:
    """A file of values, and the image that it stores.

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
        return write_values(path, session.values(image.name), image, slot.params)


def value_outputs(request: RenderRequest) -> list[ValueOutput]:
    """Pair the value files that options name with their images, in the order given.

    Raises:
        ValueError: their numbers do not match, or a suffix is not a format of values.
    """
    paths: Sequence[Path] = request.values
    images = request.image or ("",)
    if request.image and not paths:
        raise ValueError("--image chooses what --values writes: give --values FILE, too")
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
            raise ValueError(f"--image {name} is no image of a value a pixel")


def write_value_files(request: RenderRequest, session: "Session") -> None:
    """Write all value files of the frame computed last, and print their names.

    Raises:
        OSError, ValueError: a file cannot be written.
    """
    for output in value_outputs(request):
        said = output.write(session, output.path)
        say(f"wrote {output.path}: {said}" if said else f"wrote {output.path}")
