"""``wheatstone submit``: compute the pairs of a benchmark, and write the archive for its server.

Finished pairs are kept in a folder next to the archive until the archive is complete, so that a
stopped run continues.
"""

import re
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.batch.folder import BatchState
from wheatstone.viewer.cli.batch.plan import JOURNAL
from wheatstone.viewer.cli.batch.work import BatchJob, Outputs
from wheatstone.viewer.cli.carry_request import ComputeRequest, WorkerOptions
from wheatstone.viewer.cli.requests import PresetOption
from wheatstone.viewer.io.files.folders import own_folder
from wheatstone.viewer.io.files.output import check_outputs, remove_unfinished, whole_file
from wheatstone.viewer.io.files.run_folder import RunDefinition, RunFolder
from wheatstone.viewer.io.files.sole_writer import sole_writer
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.sources.data_set_layouts import pair_of
from wheatstone.viewer.io.sources.data_sets import SIZES, SUBMISSIONS, Submission
from wheatstone.viewer.io.sources.listing import natural_order
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.io.sources.stated_range import stated_disparities
from wheatstone.viewer.io.sources.value_files import read_values
from wheatstone.viewer.options import (
    choice_option,
    flag_option,
    parameter_options,
    path_option,
    pipeline_option,
    text_option,
)
from wheatstone.viewer.run.carry import report_stop, run_frame, run_jobs, with_worker
from wheatstone.viewer.run.engine import telling_bands
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.workers import SharedFiles
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import Measures, Row, is_judgeable, range_of

METHOD = re.compile(r"[A-Za-z0-9-]{1,40}")
DATE = (1980, 1, 1, 0, 0, 0)  # of every file, so that equal results give equal archives
FAILED = 1  # exit code


def method_name(text: str) -> str:
    """Return a stereo method's name; raise ``ValueError`` if it is unsuitable for file names."""
    if not METHOD.fullmatch(text):
        raise ValueError(f"must have 1 to 40 letters, digits and hyphens (got {text!r})")
    return text


@dataclass(frozen=True, kw_only=True)
class SubmitRequest(PresetOption, ComputeRequest):
    """The options of ``submit``, which writes the archive for a benchmark's server."""

    verb: ClassVar[str] = "submit"
    usage: ClassVar[str] = "wheatstone submit SET DIR --out FILE.zip [options]"
    epilog: ClassVar[str] = """\
DIR is the unpacked folder of the data set. The archive is checked against the benchmark's
definition before it is written: names, number and size of the results, and their values. The same
command continues an interrupted run.
Exit codes: 0 done; 1 a pair failed; 2 bad input or arguments; 3 this machine cannot run the
variant."""
    headings: ClassVar[tuple[str, ...]] = ("", WorkerOptions.heading)

    benchmark: str = choice_option(
        SUBMISSIONS, f"benchmark: {', '.join(SUBMISSIONS)}", "SET", positional=True, required=True
    )
    folder: Path = path_option("folder of the data set", "DIR", positional=True, required=True)
    pipeline: Pipeline = pipeline_option(
        {name: one for name, one in PIPELINES.items() if is_judgeable(one)}
    )
    out: Path = path_option("archive to write", "FILE.zip", required=True)
    method: str = text_option(
        "name of the method in the archive, if the benchmark requires one",
        "NAME",
        read=method_name,
        default="Wheatstone",
    )
    size: str | None = choice_option(SIZES, "resolution; default: the only one in DIR", "SIZE")
    restart: bool = flag_option("compute again the pairs that an earlier run finished")
    params: Mapping[str, Any] = parameter_options("parameters of {}")


@dataclass(frozen=True)
class SubmittedPair:
    """A stereo pair of a benchmark whose result is submitted.

    Attributes:
        folder: of the left views, below that of the data set.
        pair: its name in the archive.
    """

    folder: str
    pair: str
    ref: FrameRef


def submit(request: SubmitRequest) -> int:
    """Run ``wheatstone submit``: compute pairs and write the archive; return the exit code."""
    form = SUBMISSIONS[request.benchmark]
    pairs = list_pairs(request.folder, form, request.size)
    if request.out.suffix.lower() != ".zip":
        raise ValueError(f"{request.out}: the archive is a .zip file")
    add_inputs([path for each in pairs for path in each.ref.files])
    check_outputs([request.out])
    jobs = _jobs(request, form, pairs)
    work = jobs[0].out
    if not work.is_dir():
        own_folder(work)
    with sole_writer(work):
        folder = _work_folder(work, request, jobs)
        rows = _compute(request, jobs, folder)
        if len(rows) < len(jobs):
            say(f"{len(jobs) - len(rows)} of {len(jobs)} pairs failed: no archive is written")
            return FAILED
        write_archive(request.out, form, request.method, pairs, jobs, rows)
        folder.clear()
    _remove(work)
    say(f"wrote {request.out}: {len(jobs)} results of {request.benchmark}")
    return 0


def list_pairs(folder: Path, form: Submission, size: str | None) -> list[SubmittedPair]:
    """List the pairs to submit, given the unpacked folder of the benchmark's data set.

    Raises:
        FileNotFoundError: there is no such pair.
        ValueError: there are several resolutions, or other pairs than the benchmark has.
    """
    sizes = [one for one in form.sizes if any(_left_views(folder, form, one).values())]
    if size and not form.sizes:
        raise ValueError(f"{form.name} has one resolution: omit --size")
    if len(sizes) > 1 and not size:
        raise ValueError(f"{folder} has the resolutions {', '.join(sizes)}: give --size")
    views = _left_views(folder, form, size or next(iter(sizes), ""))
    if not any(views.values()):
        expected = " or ".join(f"{place}/{form.left}" for place in form.folders)
        raise FileNotFoundError(f"{folder}: no pairs of {form.name}; expected {expected}")
    pairs = []
    for (place, lefts), count in zip(views.items(), form.folders.values(), strict=True):
        if lefts and len(lefts) != count:
            raise ValueError(
                f"{folder / place}: {form.name} has {count} pairs (found {len(lefts)})"
            )
        pairs += [_pair(place, left, form) for left in lefts]
    return pairs


def _left_views(folder: Path, form: Submission, size: str) -> dict[str, list[Path]]:
    """List the left views in each folder of a benchmark."""
    places = [place.format(size=size) for place in form.folders]
    return {
        place: sorted((folder / place).glob(form.left), key=lambda path: natural_order(str(path)))
        for place in places
    }


def _pair(place: str, left: Path, form: Submission) -> SubmittedPair:
    views = pair_of(left)
    if not views or views[0] != left:
        raise FileNotFoundError(f"{left}: its right view is missing")
    name = left.stem if left.parent.name == Path(place).name else left.parent.name
    disparities = stated_disparities(left) or form.disparities
    ref = FrameRef(f"{place}/{name}".replace("/", "-"), *views, disparities=disparities)
    return SubmittedPair(place, name, ref.with_paths(Path.absolute))


def _jobs(request: SubmitRequest, form: Submission, pairs: list[SubmittedPair]) -> list[BatchJob]:
    chosen = request.chosen_variant, request.parameters(request.preset)
    run = Run(request.pipeline, *chosen, bands=request.bands)
    work = resolved(request.out.with_name(f"{request.out.name}.parts"))
    outputs = Outputs(request.pipeline.output, (form.suffix,))
    measures = Measures(rows=0, confidence=False)
    jobs = []
    for each in pairs:
        own = replace(run, params=range_of(each.ref, run.params, request.params, cut=True))
        job = BatchJob(own, NO_SOURCE, None, measures, ref=each.ref, outputs=outputs, out=work)
        jobs.append(job)
    return jobs


def _work_folder(work: Path, request: SubmitRequest, jobs: list[BatchJob]) -> RunFolder:
    """Open the folder of finished pairs; raise ``ValueError`` if it belongs to another run."""
    run = jobs[0].run
    facts = {
        "benchmark": request.benchmark,
        "source": str(resolved(request.folder)),
        "pipeline": run.pipeline.name,
        "variant": run.variant,
        "params": request.parameters(request.preset).values(),
    }
    folder = RunFolder(work, RunDefinition("submit", facts, "--restart"))
    if request.restart and folder.begun:
        folder.clear()
    folder.check()
    files = [JOURNAL, *(name for job in jobs for name in job.outputs.names(job.name))]
    folder.check_foreign(files)
    folder.claim(files)
    remove_unfinished(folder.folders)
    return folder


def _compute(request: SubmitRequest, jobs: list[BatchJob], folder: RunFolder) -> dict[str, Row]:
    """Compute the pairs that no earlier run finished; return the rows of all that succeeded."""
    state = BatchState(folder.path)
    rows = {job.name: row for job in jobs if (row := state.finished(job))}
    if rows:
        say(f"{len(rows)} of {len(jobs)} pairs were done before; --restart computes them again")
    remaining = [job for job in jobs if job.name not in rows]
    pool = request.worker_pool(jobs[0].run.declaration.device, len(remaining))
    ends = tuple(path for job in (*jobs[:1], *jobs[-1:]) for path in job.ref.files)
    with (
        ExitStack() as stack,
        report_stop(lambda: len(rows), len(jobs)),
        ProgressBar(len(remaining)) as progress,
        telling_bands(progress.within),
    ):
        stack.callback(state.flush)
        for done in run_jobs(remaining, run_frame, pool, SharedFiles(ends, folder.path)):
            result = with_worker(done)
            if result.stops:
                raise OSError(result.why)
            if not result.why:
                state.add(done.job, result.row, result.inputs)
                rows[done.job.name] = result.row
            progress.done(done.job.name, f"FAILED: {result.why}" if result.why else "done")
    return rows


def write_archive(
    path: Path,
    form: Submission,
    method: str,
    pairs: list[SubmittedPair],
    jobs: list[BatchJob],
    rows: Mapping[str, Row],
) -> None:
    """Check every result, and write the archive completely or not at all.

    Raises:
        OSError, ValueError: a result cannot be read, or is not as the benchmark defines it.
    """
    files = [job.out / job.outputs.names(job.name)[0] for job in jobs]
    whole = [
        check_result(file, (rows[job.name]["height"], rows[job.name]["width"]))
        for job, file in zip(jobs, files, strict=True)
    ]
    sparse = "" if all(whole) else form.sparse
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for each, job, file in zip(pairs, jobs, files, strict=True):
            names = {"folder": each.folder, "pair": each.pair, "method": method, "sparse": sparse}
            _add(archive, form.results.format(**names), file.read_bytes())
            if form.times:
                seconds = f"{max(rows[job.name]['compute_ms'], 0.001) / 1000:.6f}"
                _add(
                    archive, form.times.format(**names), form.time.format(seconds=seconds).encode()
                )


def check_result(file: Path, size: tuple[int, int]) -> bool:
    """Return whether every pixel of a result has a disparity.

    Raises:
        OSError, ValueError: it cannot be read, has another size than the view, no disparity at all
            or a negative one.
    """
    values = read_values(file, expected=size).pixels
    known = values[np.isfinite(values)]
    if not known.size or known.min() < 0:
        raise ValueError(f"{file}: a result must have disparities, all 0 or more")
    return known.size == values.size


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    archive.writestr(entry, content)


def _remove(work: Path) -> None:
    """Remove the folder of finished pairs, unless it holds other files."""
    with suppress(OSError):
        work.rmdir()
