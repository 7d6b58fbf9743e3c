"""Measure variants one after another: compare the result with the reference's, then time it."""

import gc
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.cold_start import cold_start
from wheatstone.gpu.analysis.comparison import Difference, compare
from wheatstone.gpu.analysis.measurement import copy_bandwidth, measure
from wheatstone.gpu.analysis.roofline import stage_points
from wheatstone.gpu.bands import SHARE
from wheatstone.gpu.device import Device, why_unavailable
from wheatstone.gpu.execution import Execution, check_memory, device_of
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.steps import Setup
from wheatstone.viewer.run import engine
from wheatstone.viewer.run.measuring.inputs import GreyPictures
from wheatstone.viewer.run.measuring.options import ExtentOptions
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.results import RowStore
from wheatstone.viewer.run.measuring.row_types import Identity
from wheatstone.viewer.run.measuring.rows import MeasuredRow
from wheatstone.viewer.run.measuring.sweep import REFERENCE, Configuration
from wheatstone.viewer.run.run import Run

Images = dict[str, NDArray[Any]]


class BenchmarkRunner:
    """A runner that measures the variants of each configuration one after another.

    Args:
        copies: gigabytes per second of a plain copy, by kind of device; filled in here.
        kept: rows measured before, which are not measured again.
    """

    def __init__(
        self,
        options: ExtentOptions,
        inputs: GreyPictures,
        progress: ProgressBar,
        copies: dict[str, float],
        kept: RowStore,
    ) -> None:
        self._options, self._inputs, self._progress = options, inputs, progress
        self._copies, self._kept = copies, kept
        self._flags = [f"--{name}" for name in ("stages", "cold") if getattr(options, name)]

    def rows(self, one: Configuration) -> Iterator[MeasuredRow]:
        """Measure the variants of a configuration; yield each measurement once it is complete."""
        expected = Expected(one, self._inputs)
        for variant in one.variants:
            if why := absence(one, variant):
                yield MeasuredRow(one, variant, "unknown", why=why)
                continue
            what = f"{one.title}: {variant.name}"
            self._progress.begin(what)
            before = self._kept.find(one, variant, self._command(one, variant))
            expected.measured_before |= before is not None and variant.name == REFERENCE
            row = before or self._row(one, variant, expected)
            if row.copy:
                self._copies.setdefault(variant.device, row.copy)
            gc.collect()  # executions refer to themselves; the next one may need their memory
            self._progress.done(what, f"{summed_up(row)}{', measured before' if before else ''}")
            yield row

    def _command(self, one: Configuration, variant: Variant) -> str:
        options = self._options
        return one.command(variant.name, options.repeat, options.seconds, self._flags)

    def _row(self, one: Configuration, variant: Variant, expected: "Expected") -> MeasuredRow:
        try:
            row = self._measured(one, variant, expected)
        except (Unavailable, MemoryError) as error:
            return MeasuredRow(one, variant, "unknown", why=str(error) or "out of memory")
        self._kept.add(row)
        return row

    def _measured(self, one: Configuration, variant: Variant, expected: "Expected") -> MeasuredRow:
        options, size = self._options, (one.height, one.width)
        reference = None if variant.name == REFERENCE or variant.peer else expected.images
        execution = first_frame(one, variant.name, self._inputs)
        images = results_of(execution)
        if variant.name == REFERENCE:
            expected.images = images
        identity, differences = compared(variant, images, reference)
        measurement = measure(execution, options.repeat, options.seconds, stages=options.stages)
        medians = {name: times.median for name, times in measurement.stages.items()}
        cold = cold_start(one.pipeline, variant.name, one.params, *size) if options.cold else None
        return MeasuredRow(
            one,
            variant,
            identity,
            differences,
            measurement,
            cold=cold,
            points=tuple(stage_points(execution, medians)),
            copy=self._copy(execution.device),
            memory=execution.nbytes,
            command=self._command(one, variant),
        )

    def _copy(self, device: Device) -> float:
        if device.kind not in self._copies:
            self._copies[device.kind] = copy_bandwidth(device)
        return self._copies[device.kind]


class Expected:
    """The reference's images at one configuration, computed when first needed for comparison.

    Attributes:
        measured_before: whether an earlier run measured the reference: then it runs again only
            when a variant is to be compared with it.
    """

    def __init__(self, one: Configuration, inputs: GreyPictures) -> None:
        self._one, self._inputs, self.measured_before = one, inputs, False
        self._images: Images | None = None

    @property
    def images(self) -> Images | None:
        """Return the reference's images, computed if needed; None if it could not run."""
        if self._images is None and self.measured_before:
            self._images = results_of(first_frame(self._one, REFERENCE, self._inputs))
        return self._images

    @images.setter
    def images(self, images: Images) -> None:
        self._images = images


def first_frame(one: Configuration, variant: str, inputs: GreyPictures) -> Execution:
    """Return a variant that is prepared for a configuration and has computed its first frame.

    Raises:
        Unavailable: as ``engine.first_frame``; or the host's memory would be nearly full.
    """
    device = device_of(declared := one.pipeline.variant(variant))
    if device.on_host:  # which gives memory that it lacks, until something is killed
        name = f"{one.pipeline.name}/{variant} at {one.width}x{one.height}"
        check_memory(name, memory_of(one, declared), device, SHARE)
    run = Run(one.pipeline, variant, one.params, bands=1)
    return engine.first_frame(run, inputs.grey(one.width, one.height))


def memory_of(one: Configuration, variant: Variant) -> int:
    """Return the bytes of all images that a variant keeps at a configuration."""
    setup = Setup(one.pipeline, variant, one.params, one.height, one.width)
    return setup.nbytes(setup.used(setup.plan()))


def absence(one: Configuration, variant: Variant) -> str:
    """Return the reason why a variant cannot run a configuration here; empty if it can."""
    return why_unavailable(variant.device) or variant.refuses(one.params, one.height, one.width)


def results_of(execution: Execution) -> Images:
    """Download the images to compare: the output, and images that hold tables of numbers."""
    pipeline = execution.pipeline
    names = [pipeline.output, *(image.name for image in pipeline.images if image.columns)]
    return {name: execution.download(name) for name in names if execution.keeps(name)}


def compared(
    variant: Variant, images: Images, expected: Images | None
) -> tuple[Identity, tuple[Difference, ...]]:
    """Compare a variant's images with the reference's; return the verdict and the differences.

    Images that only one of them has are not compared.
    """
    if variant.peer:
        return "peer", ()
    if variant.name == REFERENCE:
        return "reference", ()
    if expected is None:
        return "unknown", ()
    common = [name for name in images if name in expected]
    comparisons = [compare(name, images[name], expected[name]) for name in common]
    differences = tuple(difference for difference in comparisons if difference)
    return ("different" if differences else "identical"), differences


def summed_up(row: MeasuredRow) -> str:
    """Summarise a measurement in a few words, for the progress display."""
    if not row.measurement:
        return f"not measured: {row.why}"
    times = row.measurement.device
    return f"{row.identity}, {times.median:.3f} ms ({times.frames} frames)"
