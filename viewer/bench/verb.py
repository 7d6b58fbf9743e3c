"""``bench``: every variant's result against the reference's, then its times."""

import argparse
import gc
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from gpu import Unavailable
from gpu.cold_start import cold_start
from gpu.comparison import Difference, compare
from gpu.device import Device, why_unavailable
from gpu.execution import Execution, prepare
from gpu.measurement import copy_bandwidth, measure
from gpu.pipeline import Variant
from viewer.bench.baseline import Verdict, check_matched, judge, read_baseline
from viewer.bench.files import write_files
from viewer.bench.inputs import Inputs, upload_views
from viewer.bench.progress import Progress
from viewer.bench.results import Results
from viewer.bench.rows import Identity, Row
from viewer.bench.sweep import REFERENCE, Configuration, configurations
from viewer.bench.tables import tables
from viewer.bench.terminal import print_tables
from viewer.output import check_files

Images = dict[str, NDArray[Any]]


def bench(options: argparse.Namespace) -> int:
    """Measure what a command line asks for; returns the exit code."""
    check_files(json=options.json, markdown=options.markdown, csv=options.csv)
    inputs = Inputs(options)
    plan = configurations(options, inputs.sizes, inputs.words)
    before = read_baseline(options.baseline) if options.baseline else None
    results = Results(shlex.join(["wheatstone", *options.words]))
    try:
        with Progress(sum(not absence(one, v) for one in plan for v in one.variants)) as progress:
            bench = Bench(options, inputs, progress, results.copies)
            for one in plan:
                results.rows.extend(bench.rows(one))
    except KeyboardInterrupt:
        print_tables(tables(results))
        print("wheatstone: interrupted; no file is written", file=sys.stderr)
        return 130
    except Exception:
        print_tables(tables(results))
        raise
    verdicts = judge(before, results.rows) if before else []
    print_tables(tables(results, before, verdicts))
    write_files(options, results, before, verdicts)
    check_matched(verdicts)
    return exit_code(results.rows, options.variants or (), verdicts)


class Bench:
    """Measures one variant after the other.

    Args:
        copies: where the bandwidth of a plain copy is kept, by kind of device.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        inputs: Inputs,
        progress: Progress,
        copies: dict[str, float],
    ) -> None:
        self._options, self._inputs, self._progress = options, inputs, progress
        self._copies = copies

    def rows(self, one: Configuration) -> Iterator[Row]:
        """The rows of one configuration, each as soon as it is measured."""
        expected: Images | None = None
        for variant in one.variants:
            if why := absence(one, variant):
                yield Row(one, variant, "unknown", why=why)
                continue
            what = f"{one.title}: {variant.name}"
            self._progress.begin(what)
            row, images = self._row(one, variant, expected)
            if variant.name == REFERENCE:
                expected = images
            gc.collect()  # executions refer to themselves; the next one may need their memory
            self._progress.done(what, said(row))
            yield row

    def _row(
        self, one: Configuration, variant: Variant, expected: Images | None
    ) -> tuple[Row, Images | None]:
        try:
            return self._measured(one, variant, expected)
        except (Unavailable, MemoryError) as error:
            return Row(one, variant, "unknown", why=str(error) or "out of memory"), None

    def _measured(
        self, one: Configuration, variant: Variant, expected: Images | None
    ) -> tuple[Row, Images]:
        options, size = self._options, (one.height, one.width)
        execution = prepare(one.pipeline, variant.name, one.params, *size)
        upload_views(execution, self._inputs.grey(one.width, one.height))
        execution.run()
        images = results_of(execution)
        identity, differences = compared(variant, images, expected)
        found = measure(execution, options.repeat, options.seconds, stages=options.stages)
        cold = cold_start(one.pipeline, variant.name, one.params, *size) if options.cold else None
        return Row(
            one,
            variant,
            identity,
            differences,
            found,
            cold=cold,
            copy=self._copy(execution.device),
            command=one.command(variant.name, options.repeat, options.seconds),
        ), images

    def _copy(self, device: Device) -> float:
        if device.kind not in self._copies:
            self._copies[device.kind] = copy_bandwidth(device)
        return self._copies[device.kind]


def absence(one: Configuration, variant: Variant) -> str:
    """Why a variant cannot run here, or refuses the configuration; empty if it does neither."""
    return why_unavailable(variant.device) or variant.refuses(one.params, one.height, one.width)


def results_of(execution: Execution) -> Images:
    """What is compared: the output, and images that are tables."""
    pipeline = execution.pipeline
    names = [pipeline.output, *(image.name for image in pipeline.images if image.columns)]
    return {name: execution.download(name) for name in names if execution.keeps(name)}


def compared(
    variant: Variant, images: Images, expected: Images | None
) -> tuple[Identity, tuple[Difference, ...]]:
    """How a variant's images compare with the reference's, where both have them."""
    if variant.peer:
        return "peer", ()
    if variant.name == REFERENCE:
        return "reference", ()
    if expected is None:
        return "unknown", ()
    common = [name for name in images if name in expected]
    found = [compare(name, images[name], expected[name]) for name in common]
    differences = tuple(difference for difference in found if difference)
    return ("different" if differences else "identical"), differences


def said(row: Row) -> str:
    """A row in a few words, for the progress."""
    if not row.measurement:
        return f"not measured: {row.why}"
    times = row.measurement.device
    return f"{row.identity}, {times.median:.3f} ms ({times.frames} frames)"


def exit_code(rows: Sequence[Row], named: Sequence[str], verdicts: Sequence[Verdict]) -> int:
    """1 for a wrong result or a regression, 3 if something asked for cannot be had, else 0."""
    if any(row.identity == "different" for row in rows):
        return 1
    if any(verdict.failed for verdict in verdicts):
        return 1
    return 3 if any(lacks(row, named) for row in rows) else 0


def lacks(row: Row, named: Sequence[str]) -> bool:
    """Whether the machine lacks what a row needs: its variant, if named, or its reference."""
    if row.measurement:
        return row.identity == "unknown"
    one = row.configuration
    refused = row.variant.refuses(one.params, one.height, one.width)
    return not refused and row.variant.name in (*named, REFERENCE)
