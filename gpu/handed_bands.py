"""Compute the costs of an image in bands of rows, with the same result as of the whole image.

Only volumes, the images with a value for each disparity, exist of one band at a time; all other
images are whole. Path costs are handed over from band to band, in two passes: of the paths up from
the last band to the first, then of the paths down, where the volumes are complete. Stages that need
volumes after a stage that needs whole images, such as rejection reasons, take two more passes.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.steps import Setup, Step, module_of

AGGREGATION = "path_aggregation"
"""The stage that hands over; ``HANDED`` of its module is the class that does that."""
VOLUME = ("height", "width", "disparities")


class Rows(NamedTuple):
    """A band: its number, its first row, and its end."""

    number: int
    first: int
    end: int


class HandedSetup(Setup):
    """The setup of a variant whose volumes have the rows of one band.

    Attributes:
        rows: rows of a band; the last one may have fewer.
        handing: the class that hands path costs over.
    """

    rows: int
    handing: Any

    @classmethod
    def of(cls, setup: Setup, count: int) -> "HandedSetup":
        """Divide the rows of a setup's images into at most ``count`` bands."""
        handed = cls(*setup)
        handed.rows, handed.handing = -(-setup.height // count), hands_over(setup)
        return handed

    @property
    def bands(self) -> list[Rows]:
        """List the bands from the top."""
        starts = range(0, self.height, self.rows)
        return [Rows(n, y, min(y + self.rows, self.height)) for n, y in enumerate(starts)]

    def is_volume(self, name: str) -> bool:
        """Return whether an image has a value for each disparity."""
        return self.pipeline.image(name).dims == VOLUME

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an image; of a volume, that of a band."""
        height, *others = super().shape(name)
        return (self.rows if self.is_volume(name) else height, *others)

    def nbytes(self, names: Iterable[str]) -> int:
        """Compute the memory that images and handed path costs take."""
        handed: int = self.handing.nbytes(self.width, self.params, len(self.bands))
        return super().nbytes(names) + handed

    def plan(self, wanted: Iterable[str] = ()) -> list[Step]:
        """List the calls of one frame, those of volumes for each band."""
        handed, planned = self.handing(), list[Step]()
        for step in self._loops(super().plan(wanted)):
            if isinstance(step, Step):
                planned.append(step)
            else:
                planned += self._in_bands(step, handed)
        return planned

    def _loops(self, steps: Iterable[Step]) -> list[Step | list[Step]]:
        """List the steps on whole images, and between them those that are called in every band.

        A step joins an earlier list unless that comes before what it needs. Each list begins with
        the steps that write volumes.
        """
        loops: list[Step | list[Step]] = []
        loop: list[Step] | None = None
        makers: list[Step] = []
        later = set[str]()  # images of steps after the loop
        for step in steps:
            if not any(map(self.is_volume, step.images)):
                loops.append(step)
                later.update(step.images)
                continue
            written = step.images[len(step.stage.reads) :]
            whole = {name for name in step.images if not self.is_volume(name)}
            if loop is None or later & (whole - set(self.pipeline.inputs)):
                loop, later = [*makers], set()
                loops.append(loop)
            loop.append(step)
            if any(map(self.is_volume, written)):
                makers.append(step)
        return loops

    def _in_bands(self, loop: Sequence[Step], handed: Any) -> Iterator[Step]:
        needed = {name for step in loop if _hands_over(step) for name in step.images}
        for band in reversed(self.bands):
            for step in loop:
                if _hands_over(step):
                    yield self._of_band(step, band, handed.go_up)
                elif needed.intersection(step.images[len(step.stage.reads) :]):
                    yield self._of_band(step, band)
        for band in self.bands:
            for step in loop:
                yield self._of_band(step, band, handed.aggregate if _hands_over(step) else None)

    def _of_band(self, step: Step, band: Rows, handing: Callable[..., None] | None = None) -> Step:
        """Return a step's call on the rows of a band.

        Args:
            handing: replaces the step's function; it takes whole images, and rows of volumes only.
        """
        volume, rows = slice(0, band.end - band.first), slice(band.first, band.end)
        cuts = []
        for name in step.images:
            by_rows = self.pipeline.image(name).dims[0] == "height" and not handing
            cuts.append(volume if self.is_volume(name) else rows if by_rows else slice(None))
        function = step.function
        if handing:
            function = partial(handing, band=band.number, first=band.first)
        return Step(step.stage, step.images, step.arguments, partial(_on_rows, function, cuts))


def _hands_over(step: Step) -> bool:
    return step.stage.name == AGGREGATION


def _on_rows(function: Callable[..., None], cuts: Sequence[slice], *arguments: Any) -> None:
    images = (image[cut] for image, cut in zip(arguments, cuts, strict=False))
    function(*images, *arguments[len(cuts) :])


def hands_over(setup: Setup) -> Any:
    """Return the class that hands path costs over for a variant; None if it has no such class."""
    variant = setup.variant
    if AGGREGATION in variant.functions or AGGREGATION not in {
        step.stage.name for step in setup.plan()
    }:
        return None
    module = importlib.import_module(module_of(variant.package, AGGREGATION))
    return getattr(module, "HANDED", None)


class HandedExecution(Execution):
    """An execution that computes volumes band by band, and all other images as a whole."""

    setup: HandedSetup

    def __init__(self, setup: HandedSetup, *more: Any) -> None:
        super().__init__(setup, *more)
        self._held -= {name for name in self._held if setup.is_volume(name)}

    @property
    def bands(self) -> int:
        return len(self.setup.bands)

    @property
    def separate_bands(self) -> int:
        return 1

    @property
    def computed_rows(self) -> int:
        return self.setup.rows
