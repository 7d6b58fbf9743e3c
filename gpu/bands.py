"""Compute images in bands of rows, if the arrays of the whole image exceed the memory.

Path costs are handed over from band to band, see ``gpu.handed_bands``: a result is that of the
whole image. In a hierarchical search, and with kernels of the user's own, bands overlap by a rule
that is part of the specification: the rows of a result are those of the pipeline applied to bands
of the views, so variants agree to the bit with the same number of bands. It is::

    rows taken of a band   S = 16 ceil(H / (16 count))
    rows of a band         B = S + 2 MARGIN + H mod 16, where H > 2 S
                           B = S + MARGIN + H mod 16, where H <= 2 S
                           if B >= H, the image is computed as a whole
    band i                 takes rows i S to min((i + 1) S, H) - 1, i = 0, 1, ... while i S < H,
                           of rows begin to begin + B - 1, begin = min(max(i S - MARGIN, 0), H - B)

So all bands have the same size, each begins at a multiple of 16 rows, and has ``MARGIN`` rows or
more beyond a seam: two neighbours overlap by at least ``2 MARGIN`` rows around their seam.

Near a seam, and in areas without texture anywhere, a result differs from that of the whole image,
as paths come from rows that the band lacks: the farther, the higher the resolution of a scene.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from wheatstone.gpu import MEMORY_SHARERS
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution, check_fit, check_memory, device_of
from wheatstone.gpu.handed_bands import HandedExecution, HandedSetup, hands_over
from wheatstone.gpu.kernels.programs import Program
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Array, Pipeline
from wheatstone.gpu.pipelines.ahead import after_rectification, rectifying_variant
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.gpu.recording import Memory, Moment
from wheatstone.gpu.steps import Setup, passed_on

MARGIN = 128
"""Rows of a band beyond those that are taken, on either side."""
STEP = 16
"""Bands begin at multiples of so many rows; blocks of decimation lie as in the whole image."""
SHARE = 7 / 8
"""The share of the free memory that bands take: rounding to rows and temporary arrays take some."""


class Band(NamedTuple):
    """A band of image rows: the first row computed, and the rows copied to the result.

    Attributes:
        begin: the first row of the image that is computed.
        first, end: the rows of the image that are taken, without ``end``.
    """

    begin: int
    first: int
    end: int


def rows_taken(height: int, count: int) -> int:
    """Return the number of result rows that each band contributes to the image."""
    return STEP * -(-height // (STEP * count))


def band_height(height: int, count: int) -> int:
    """Return the number of computed rows per band, including the margins.

    One band has all rows of the image.
    """
    taken = rows_taken(height, count)
    sides = 2 if height > 2 * taken else 1
    return min(taken + sides * MARGIN + height % STEP, height)


def bands_of(height: int, count: int) -> list[Band]:
    """Divide the rows of an image into at most ``count`` bands, which overlap by margins."""
    rows = band_height(height, count)
    if rows == height:
        return [Band(0, 0, height)]
    taken = rows_taken(height, count)
    return [
        Band(min(max(first - MARGIN, 0), height - rows), first, min(first + taken, height))
        for first in range(0, height, taken)
    ]


def whole_images(pipeline: Pipeline, wanted: Iterable[str]) -> list[str]:
    """List the images with one value per pixel: the output, and the wanted ones."""
    names = dict.fromkeys((pipeline.output, *wanted))
    return [name for name in names if pipeline.image(name).dims == ("height", "width")]


class BandPlan(NamedTuple):
    """The division of an image into bands, and its memory use.

    Attributes:
        bands: the number of bands; 1: the image is computed as a whole.
        rows: rows of a band.
        nbytes: bytes of all arrays.
    """

    bands: int
    rows: int
    nbytes: int

    @property
    def words(self) -> str:
        """Describe the division into bands as text; empty if the image is computed as a whole."""
        return f" in {self.bands} bands of {self.rows} rows" if self.bands > 1 else ""


class Planner:
    """A calculator of a variant's memory use for an image size, as a whole or in bands.

    Args:
        wanted: images needed besides the output.
    """

    def __init__(self, setup: Setup, wanted: Iterable[str] = ()) -> None:
        pipeline, variant = setup.pipeline, setup.variant
        self._setup, self._tail = setup, setup._replace(pipeline=after_rectification(pipeline))
        self._used = setup.used(setup.plan(wanted))
        self._of_band = self._tail.used(self._tail.plan(wanted))
        names = passed_on(pipeline, variant, setup.params)
        taken = (names.get(name, name) for name in whole_images(pipeline, wanted))
        self._whole = {*pipeline.inputs, *variant.inputs, *taken}
        self._wanted = {names.get(name, name) for name in wanted}
        self.hands_over = hands_over(setup) is not None

    def plan(self, count: int) -> BandPlan:
        """Return the division of the image into at most ``count`` bands, with its memory use."""
        height = self._setup.height
        if count > 1 and self.hands_over:
            bands = HandedSetup.of(self._setup, count)
            return BandPlan(len(bands.bands), bands.rows, bands.nbytes(self._used))
        rows, count = band_height(height, count), len(bands_of(height, count))
        if rows == height:
            return BandPlan(1, height, self._setup.nbytes(self._used))
        whole = self._setup.nbytes({*self._whole, *self._rectified})
        return BandPlan(count, rows, self.band(rows).nbytes(self._of_band) + whole)

    def band(self, rows: int) -> Setup:
        """Return the setup (variant and size) that computes ``rows`` rows from rectified views."""
        return self._tail._replace(height=rows)

    @property
    def _rectified(self) -> set[str]:
        """Return the names of images that rectification, done before the bands, reads or writes."""
        return self.ahead.used(self.ahead.plan(self.colours)) if self.ahead else set()

    @property
    def ahead(self) -> Setup | None:
        """Return the setup that rectifies the whole views before the bands; None if not needed."""
        if self._tail.pipeline is self._setup.pipeline:
            return None
        variant = rectifying_variant(self._setup.variant)
        return self._setup._replace(pipeline=RECTIFY, variant=variant, params=RECTIFY.params())

    @property
    def colours(self) -> list[str]:
        """List the rectified colour views that the bands read or the caller wants."""
        return [n for n in RECTIFY.on_demand if n in self._of_band or n in self._wanted]

    def fitting(self, free: int | None) -> BandPlan:
        """Return the division with the fewest bands that fits into free memory, else the smallest.

        Args:
            free: None: unknown; then the image is computed as a whole.
        """
        whole = self.plan(1)
        if free is None or whole.nbytes <= free or not self._setup.pipeline.in_bands:
            return whole
        height = self._setup.height
        counts = {rows_taken(height, n): n for n in range(-(-height // STEP), 1, -1)}
        plans = [whole, *map(self.plan, sorted(counts.values()))]
        fitting = (each for each in plans if each.nbytes <= SHARE * free)
        return next(fitting, min(plans, key=lambda each: each.nbytes))


class BandedExecution(Execution):
    """A prepared variant that computes an image band by band, with the arrays of one band.

    It holds the whole inputs, the output and the images that were wanted; of other images only
    parts ever exist.

    Args:
        pipeline: perhaps one that rectifies its views first; that is done for the whole image.
        band: prepared for the size of a band, without rectification.
        ahead: rectifies the views; None if they are rectified already.
        height: of the image.
        count: bands of the image, as for ``bands_of``.
        wanted: images needed besides the output.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        band: Execution,
        ahead: Execution | None,
        height: int,
        count: int,
        wanted: Iterable[str],
    ) -> None:
        setup = band.setup._replace(pipeline=pipeline, height=height)
        self._describe(setup, band.device)
        self._band, self._ahead, self._places = band, ahead, bands_of(height, count)
        self.steps = [*(ahead.steps if ahead else ()), *band.steps * len(self._places)]
        names = [name for name in whole_images(pipeline, wanted) if band.keeps(name)]
        stored = dict.fromkeys(self._names.get(name, name) for name in names)
        self._taken = [name for name in stored if name not in band.inputs]
        known = ahead.images if ahead else {}
        self._held = {*self._taken, *self.inputs, *known}
        own = sorted(self._held - known.keys())
        check_memory("the whole image", setup.nbytes(own), self.device)
        self.nbytes = band.nbytes + setup.nbytes(own) + (ahead.nbytes if ahead else 0)
        with self.device.active():
            self.images = {n: self.device.zeros(setup.shape(n), self.dtype(n)) for n in own}
            parts = [band.memory, *(band.memory.copy() for _ in self._places[1:])]
        self.images |= known
        read = {name for step in band.steps for name in step.images}
        self._fed = [name for name in self.images if name in {*band.inputs, *(read & known.keys())}]
        self.memory = self._memories = BandMemories(parts)
        self._whole = self.device.clock(2)
        self._stage_times: dict[str, float] = {}

    @property
    def bands(self) -> int:
        return len(self._places)

    @property
    def computed_rows(self) -> int:
        return self._band.height

    @property
    def textures(self) -> tuple[str, ...]:
        return ()

    @property
    def inputs_read(self) -> set[str]:
        first = self._ahead.inputs_read if self._ahead else set()
        return (self._band.inputs_read | first) & set(self.inputs)

    @property
    def uncompiled(self) -> list[Program]:
        return [*(self._ahead.uncompiled if self._ahead else ()), *self._band.uncompiled]

    def go_on_with(self, memory: Memory) -> None:
        if isinstance(memory, BandMemories) and memory.fits(self._memories):
            self.memory = self._memories = memory

    def run(
        self,
        out: Mapping[str, Array] | None = None,
        *,
        stages: bool = False,
        timed: bool = True,
        after: Callable[[int], None] | None = None,
    ) -> None:
        """Compute one frame; arguments as for ``Execution.run``.

        After each band it waits for the device, so that Ctrl+C and an exception of ``after`` end
        the frame soon.
        """
        given = {self._names.get(name, name): array for name, array in (out or {}).items()}
        self._memories.begin(self._moment)
        self._stage_times = {}
        if timed := timed and not stages:
            with self.device.active():
                self._whole.mark(0)
        self._rectify(given, stages=stages, after=after)
        for number, band in enumerate(self._places):
            with self.device.active():
                self._feed(band)
            self._band.memory = self._memories.parts[number]
            self._band.follow(self._moment)
            before = len(self.steps) - (self.bands - number) * len(self._band.steps)
            self._band.run(stages=stages, timed=False, after=_counting(after, before))
            with self.device.active():
                self._take(band, self.images | given)
            self._add_stages(self._band, stages)
            self.device.wait()
        if timed:
            with self.device.active():
                self._whole.mark(1)
        self._memories.done = self._moment

    def _rectify(
        self, given: Mapping[str, Array], *, stages: bool, after: Callable[[int], None] | None
    ) -> None:
        """Rectify the whole views, unless they are rectified already.

        The rectified views that the caller wants are also copied to ``given``.
        """
        if not self._ahead:
            return
        self._ahead.images |= {name: self.images[name] for name in self._ahead.inputs}
        self._ahead.run(stages=stages, timed=False, after=after)
        with self.device.active():
            for name in given.keys() & self._ahead.images.keys():
                self.device.copy(given[name], self._ahead.images[name])
        self._add_stages(self._ahead, stages)

    def _feed(self, band: Band) -> None:
        """Copy the rows of a band to the input arrays of the variant that computes it."""
        for name in self._fed:
            array = self.images[name]
            if self.pipeline.image(name).dims[0] == "height":
                array = array[band.begin : band.begin + self._band.height]
            self.device.copy(self._band.images[name], array)

    def _take(self, band: Band, images: Mapping[str, Array]) -> None:
        """Copy the result rows of a band to the whole images."""
        for name in self._taken:
            rows = self._band.array(name)[band.first - band.begin : band.end - band.begin]
            self.device.copy(images[name][band.first : band.end], rows)

    def _add_stages(self, execution: Execution, stages: bool) -> None:
        for name, took in (execution.stage_milliseconds() if stages else {}).items():
            self._stage_times[name] = self._stage_times.get(name, 0.0) + took

    def stage_milliseconds(self, *, wait: bool = True) -> dict[str, float]:
        return dict(self._stage_times)


class BandMemories(Memory):
    """The stored states of the temporal filters of all bands.

    Attributes:
        parts: that of each band.
    """

    def __init__(self, parts: Sequence[Memory]) -> None:
        self.parts = parts
        super().__init__((), {})

    def begin(self, moment: Moment | None) -> None:
        """Restart the temporal filters of all bands if the last frame was not completed."""
        if self.done is None:
            for part in self.parts:
                part.done = None
        self.done = None

    def fits(self, other: Memory) -> bool:
        if not isinstance(other, BandMemories) or len(self.parts) != len(other.parts):
            return False
        return self.parts[0].fits(other.parts[0])

    def copy(self) -> "BandMemories":
        copied = BandMemories([part.copy() for part in self.parts])
        copied.done = self.done
        return copied


def _counting(after: Callable[[int], None] | None, before: int) -> Callable[[int], None] | None:
    """Return a progress function that adds the steps of earlier bands to the steps of this one."""
    return (lambda done: after(before + done)) if after else None


def _share_of_memory(device: Device) -> int | None:
    """Return this process's share of the free memory in bytes; None if unknown."""
    free = device.free_bytes()
    sharers = int(os.environ.get(MEMORY_SHARERS, "1")) if device.on_host else 1
    return None if free is None else free // sharers


def prepare_in_bands(
    pipeline: Pipeline,
    variant: str,
    params: Params,
    height: int,
    width: int,
    wanted: Sequence[str] = (),
    device: Device | None = None,
    count: int | None = None,
) -> Execution:
    """Prepare a variant for an image size, in bands if the memory requires it.

    Args:
        wanted, device: as for ``prepare``.
        count: the number of bands; None: as few as fit into the free memory.

    Raises:
        ValueError: as ``prepare``; or the pipeline is not computed in bands.
        Unavailable: the device is absent, or the memory does not suffice for the smallest bands.
    """
    declaration = pipeline.variant(variant)
    check_fit(pipeline, variant, params, height, width)
    device = device or device_of(declaration)
    setup = Setup(pipeline, declaration, params, height, width)
    planner = Planner(setup, wanted)
    if count is None:
        chosen = planner.fitting(_share_of_memory(device))
    elif count > 1 and not pipeline.in_bands:
        of = " from a video" if set(pipeline.inputs) & set(NV12.inputs) else ""
        raise ValueError(f"{pipeline.name}{of} is not computed in bands of rows")
    else:
        chosen = planner.plan(count)
    name = f"{pipeline.name}/{variant} at {width}x{height}"
    check_memory(f"{name}{chosen.words}", chosen.nbytes, device)
    if chosen.bands == 1:
        return Execution(setup, device, wanted)
    if planner.hands_over:
        return HandedExecution(HandedSetup.of(setup, chosen.bands), device, wanted)
    ahead = Execution(planner.ahead, device, planner.colours) if planner.ahead else None
    band = Execution(planner.band(chosen.rows), device, wanted)
    return BandedExecution(pipeline, band, ahead, height, chosen.bands, wanted)
