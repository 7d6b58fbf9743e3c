"""Compute the costs of an image in bands of rows, with the same result as for the whole image.

Only volumes, the images with a value for each disparity, exist of one band at a time; all other
images are whole. Path costs are handed over from band to band, in two passes: of the paths up from
the last band to the first, then of the paths down, where the volumes are complete. Stages that need
volumes after a stage that needs whole images, such as rejection reasons, take two more passes.
"""

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from wheatstone.gpu.execution import Execution
from wheatstone.gpu.image import Array
from wheatstone.gpu.steps import Setup, Step, module_of

AGGREGATIONS = ("path_aggregation", "packed_aggregation")
"""The stages that hand over; ``HANDED`` of their modules maps them to the classes that do."""


class Rows(NamedTuple):
    """A band of rows: its number, its first row, and the row after its last."""

    number: int
    first: int
    end: int


class HandedSetup(Setup):
    """A setup whose volumes (arrays with a disparity axis) store only one band of rows at a time.

    Attributes:
        rows: rows of a band; the last one may have fewer.
        handing: the class that hands path costs over.
    """

    rows: int
    handing: Any

    @classmethod
    def of(cls, setup: Setup, count: int) -> "HandedSetup":
        """Return a setup that divides a variant's images into at most ``count`` bands of rows."""
        handed = cls(*setup)
        handed.rows, handed.handing = -(-setup.height // count), hands_over(setup)
        return handed

    @property
    def bands(self) -> list[Rows]:
        """List the bands of rows from the top of the image."""
        starts = range(0, self.height, self.rows)
        return [Rows(n, y, min(y + self.rows, self.height)) for n, y in enumerate(starts)]

    def is_volume(self, name: str) -> bool:
        """Return whether an image has a value for each disparity."""
        return {"height", "disparities"} <= set(self.pipeline.image(name).dims)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an image: a volume has one band's rows, any other image all rows."""
        return self._shape(name, self.rows)

    def _shape(self, name: str, rows: int) -> tuple[int, ...]:
        """Return the shape of an image; a cost volume gets the given number of rows."""
        shape = list(self.handing.shape(name, super().shape(name), self))
        if self.is_volume(name):
            shape[self.pipeline.image(name).dims.index("height")] = rows
        return tuple(shape)

    def nbytes(self, names: Iterable[str]) -> int:
        """Compute the bytes of images, plus those of the path costs handed between bands."""
        handed: int = self.handing.nbytes(self, len(self.bands))
        return super().nbytes(names) + handed

    def plan(self, wanted: Iterable[str] = ()) -> list[Step]:
        """List the calls that compute a frame; calls on cost volumes are repeated for each band."""
        handed, planned = self.handing(), list[Step]()
        for step in self._loops(super().plan(wanted)):
            if isinstance(step, Step):
                planned.append(step)
            else:
                planned += self._in_bands(step, handed)
        return planned

    def _loops(self, steps: Iterable[Step]) -> list[Step | list[Step]]:
        """Group the calls of a frame: those made once, and lists of those repeated for every band.

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
        """Return a version of a call that computes only the rows of a band.

        Args:
            handing: replaces the step's function; it takes whole images, and rows of volumes only.
        """
        parts: list[Callable[[Array], Array]] = []
        for name in step.images:
            if self.is_volume(name):
                parts.append(partial(_volume, self._shape(name, band.end - band.first)))
            elif self.pipeline.image(name).dims[0] == "height" and not handing:
                parts.append(itemgetter(slice(band.first, band.end)))
            else:
                parts.append(_whole)
        function = step.function
        if handing:
            function = partial(handing, band=band.number, first=band.first)
        return Step(step.stage, step.images, step.arguments, partial(_on_parts, function, parts))


def _hands_over(step: Step) -> bool:
    return step.stage.name in AGGREGATIONS


def _volume(shape: tuple[int, ...], array: Array) -> Array:
    """Return the beginning of an array, reshaped to a volume of the given shape."""
    return array.reshape(-1)[: math.prod(shape)].reshape(shape)


def _whole(array: Array) -> Array:
    return array


def _on_parts(
    function: Callable[..., None], parts: Sequence[Callable[[Array], Array]], *arguments: Any
) -> None:
    images = (part(image) for part, image in zip(parts, arguments, strict=False))
    function(*images, *arguments[len(parts) :])


def hands_over(setup: Setup) -> Any:
    """Return the class that passes a variant's path costs from band to band; None without one."""
    variant = setup.variant
    for step in filter(_hands_over, setup.plan()):
        name = step.stage.name
        if name in variant.functions or (variant.functions and variant.device != "cpu"):
            return None  # a kernel of the user's own takes whole images
        module = importlib.import_module(module_of(variant.package, name))
        return getattr(module, "HANDED", {}).get(name)
    return None


class HandedExecution(Execution):
    """A prepared variant that computes cost volumes in bands of rows, other images as a whole."""

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

    def run(
        self,
        out: Mapping[str, Array] | None = None,
        *,
        stages: bool = False,
        timed: bool = True,
        after: Callable[[int], None] | None = None,
    ) -> None:
        """Compute one frame; arguments as for ``Execution.run``.

        With ``after`` it waits for the device after every step, so that an exception that is raised
        there ends the frame soon.
        """

        def waiting(done: int) -> None:
            self.device.wait()
            assert after
            after(done)

        super().run(out, stages=stages, timed=timed, after=waiting if after else None)
