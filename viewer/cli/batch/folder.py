"""The output folder of ``batch``, which belongs to one run and has one writer at a time.

The folder's journal keeps the row of every finished pair, so that a run continues where it stopped.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.cli.batch.plan import JOURNAL, SUMMARIES, BatchPlan
from wheatstone.viewer.cli.batch.request import BatchRequest
from wheatstone.viewer.cli.batch.sending import send_jobs
from wheatstone.viewer.cli.batch.summary import Results, write_summary
from wheatstone.viewer.cli.batch.work import PICTURE, BatchJob
from wheatstone.viewer.cli.pairs import ListedSource
from wheatstone.viewer.io.files.bag_output import BagResult, bag_output
from wheatstone.viewer.io.files.film import even, fitted, write_film
from wheatstone.viewer.io.files.folders import own_folder
from wheatstone.viewer.io.files.output import check_file
from wheatstone.viewer.io.files.run_folder import RunFolder, outside
from wheatstone.viewer.io.files.sole_writer import sole_writer
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.bags.messages import SECOND
from wheatstone.viewer.io.reading.plain_text import some, visible
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.times import time_of
from wheatstone.viewer.run.carry import report_stop, run_frame, run_jobs, say_alarms, with_worker
from wheatstone.viewer.run.engine import telling_bands
from wheatstone.viewer.run.frame_ref import opened_video
from wheatstone.viewer.run.jobs.workers import SharedFiles, WorkerPool
from wheatstone.viewer.run.measuring.progress import FrameBar
from wheatstone.viewer.run.run_job import FrameRecord, FrameResult, Row
from wheatstone.viewer.words import plural

SCHEMA, SCHEMA_VERSION = "wheatstone-batch-state", 1
UNKNOWN = "contains results of an earlier version, which has no definition of its run"
STALE = "made from pictures or settings that have changed since"
REMOVED = "the sources no longer have this pair"
FAILED = 1  # exit code
MOST_CALIBRATIONS = 3  # in a message


class BatchState(FrameRecord):
    """The journal of finished pairs in the output folder of ``batch``.

    A pair counts as finished only while its files are those that were written then: no other run or
    person has changed them since.

    Attributes:
        rows: the latest row of every pair, by name; the sources may no longer have the pair.
    """

    def __init__(self, out: Path) -> None:
        super().__init__(out / JOURNAL, SCHEMA, SCHEMA_VERSION, "record of wheatstone batch", Row)
        rows: list[Row] = [row for row in self.journal.outcomes() if _is_plain(row)]
        self.rows = {row["pair"]: row for row in rows}

    def finished(self, job: BatchJob) -> Row | None:
        """Return the table row of a pair from an earlier run; None if the pair must be computed."""
        row = self.rows.get(job.name)
        if not row or row["files"].keys() != set(job.outputs.names(job.name)):
            return None
        return None if self.changed_files(row) or self.find(job) is not row else row

    def changed_files(self, row: Row) -> list[str]:
        """List a finished pair's files, given its table row, that are missing or were changed."""
        noted = {n: (size, row["changed"].get(n)) for n, size in row["files"].items()}
        return [name for name, state in noted.items() if _state(self.path.parent / name) != state]

    def marked(self, row: Row, warning: str) -> Row:
        """Return a pair's table row with a further warning; empty: none."""
        return {**row, "warnings": "; ".join(filter(None, (row["warnings"], warning)))}


def _is_plain(row: Row) -> bool:
    """Return whether a journal entry names only files inside the folder and has printable texts."""
    words = (row["pair"], row["warnings"], row["worker"], row["device"], *row["files"])
    words += (row.get("calibration", ""), row.get("convention", ""), *row.get("figures", ()))
    return all(word == visible(word) for word in words) and not any(map(outside, row["files"]))


def _state(path: Path) -> tuple[int, int] | None:
    """Return a file's size in bytes and modification time in ns; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        try:
            os.listdir(path.parent)  # lets a network file system look again
            status = os.stat(path)
        except OSError:
            return None
    return status.st_size, status.st_mtime_ns


@dataclass
class BatchRun:
    """A run of ``batch``: the settings, the output folder, and the results of the pairs so far.

    Attributes:
        results: the results of the requested pairs so far, by name.
        announced: the kinds of warnings that were printed, each for its first pair.
    """

    plan: BatchPlan
    folder: RunFolder
    state: BatchState
    results: dict[str, FrameResult] = field(default_factory=dict)
    announced: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Collect the results of the pairs that an earlier run has finished."""
        rows = ((job.name, self.state.finished(job)) for job in self.plan.jobs)
        self.results = {name: FrameResult(row) for name, row in rows if row}
        self._earlier = len(self.results)

    @property
    def remaining(self) -> list[BatchJob]:
        """List the pairs that are still to be computed."""
        return [job for job in self.plan.jobs if job.name not in self.results]

    @property
    def _all(self) -> Results:
        """List every pair that failed or has files in the output folder, with its result.

        The pair is None if the sources no longer have it.
        """
        listed: list[tuple[BatchJob | None, FrameResult]] = []
        for job in self.plan.all_jobs:
            if job.name in self.results:
                listed.append((job, self.results[job.name]))
            elif (row := self.state.rows.get(job.name)) and not self.state.changed_files(row):
                stale = not self.state.finished(job)
                listed.append((job, FrameResult(self.state.marked(row, STALE * stale))))
        whole = [row for row in self._removed if not self.state.changed_files(row)]
        rows = (self.state.marked(row, REMOVED) for row in whole)
        return [*listed, *((None, FrameResult(row)) for row in rows)]

    @property
    def _removed(self) -> list[Row]:
        """List the rows of earlier pairs that the sources no longer have."""
        names = {job.name for job in self.plan.all_jobs}
        return [row for name, row in self.state.rows.items() if name not in names]

    def compute(self, pool: WorkerPool, *, sends: bool) -> None:
        """Compute the remaining pairs; write the summary table even if an error ends this early.

        Args:
            sends: whether the files of a pair are sent to its worker, and back.

        Raises:
            OSError: files cannot be written, or the folder was removed.
        """
        jobs, shared = self.remaining, SharedFiles(self.plan.ends, self.plan.out)
        done = send_jobs(jobs, pool) if sends else run_jobs(jobs, run_frame, pool, shared)
        try:
            with (
                report_stop(self._count, len(self.plan.jobs)),
                FrameBar(len(jobs), "pairs", pool.parallel_jobs) as bar,
                telling_bands(bar.within),
            ):
                for each in done:
                    self._note(each.job, result := with_worker(each))
                    bar.done(made=not result.why)
        finally:
            if self.folder.intact:
                self.state.flush()
                write_summary(self.plan, self._all)

    def _count(self) -> int:
        return sum(not result.why for result in self.results.values())

    def _note(self, job: BatchJob, result: FrameResult) -> None:
        """Record the result of a pair in the journal, or print why it failed."""
        self.folder.check_intact()
        if result.stops:
            raise OSError(result.why)
        if not result.why:
            self.state.add(job, result.row, result.inputs)
            self.state.rows[job.name] = result.row
        else:
            say(f"{job.name}: {result.why}")
        say_alarms(result, self.announced)
        self.results[job.name] = result

    def finish(self) -> int:
        """Check the written files, write films, and print a summary; return the exit code."""
        self.folder.check_intact()
        missing = self._missing()
        if missing:
            write_summary(self.plan, self._all)
        films = self._write_films() if self.plan.film else []
        if self.plan.bag:
            self._write_bag(self.plan.bag)
        names = (job.name for job in self.plan.jobs)
        failed = [name for name in names if name in self.results and self.results[name].why]
        folders = dict.fromkeys(f"{folder}/" for folder, _ in self.plan.outputs.kinds)
        listed = ", ".join((*folders, *SUMMARIES, *(film.name for film in films)))
        many = f"{len(self.results) - len(failed)} of {len(self.plan.jobs)} pairs"
        before = f", {self._earlier} of them in earlier runs" if self._earlier else ""
        say(f"wrote {many} to {self.plan.out}{before}: {listed}")
        for remark in self._remarks():
            say(remark)
        if missing:
            say(f"{counted(len(missing), 'file')} missing or changed: {some(missing)}")
        if failed:
            say(f"{plural(len(failed), 'pair')} failed: {some(failed)}")
        return FAILED if failed else 0

    def _remarks(self) -> Iterator[str]:
        """Yield remarks: the calibrations used, and the files of pairs that the sources lack."""
        rows = [result.row for result in self.results.values() if not result.why]
        if used := [row["calibration"] for row in rows if "calibration" in row]:
            paths = some(list(dict.fromkeys(used)), MOST_CALIBRATIONS)
            yield f"calibration of {plural(len(used), 'pair')}: {paths}"
        names = [name for row in self._removed for name in row["files"]]
        if files := [name for name in names if _state(self.plan.out / name)]:
            of_pairs = f"{plural(len(files), 'file')} of pairs that are no longer in the sources"
            yield f"{of_pairs}, not deleted: {some(files)}"

    def _missing(self) -> list[str]:
        """List the written files that are missing or were changed; mark their pairs as failed."""
        missing = []
        for name, result in self.results.items():
            if names := self.state.changed_files(result.row):
                why = f"{some(names)}: removed or changed during the run"
                self.results[name] = replace(result, why=why)
                missing += names
        return missing

    def _write_films(self) -> list[Path]:
        """Write the pictures of each source as a film; skip the pairs that failed.

        Raises:
            OSError, ValueError: a picture cannot be read, or a film cannot be written.
        """
        films, out = [], self.plan.out
        whole = {job.name for job, result in self._all if job and not result.why}
        for each in self.plan.sources:
            if names := [pair.name for pair in each.pairs if pair.name in whole]:
                film = out / f"{each.name}.{self.plan.film}"
                pictures = _pictures([out / PICTURE / f"{name}.png" for name in names])
                write_film(film, pictures, each.rate)
                films.append(film)
        return films

    def _write_bag(self, path: Path) -> None:
        """Write the disparities and points of all pairs that did not fail as an MCAP file.

        Raises:
            OSError, ValueError: a file cannot be read or written.
        """
        whole = {job.name: job for job, result in self._all if job and not result.why}
        unknown = 0
        with bag_output(path) as bag:
            for each in self.plan.sources:
                for number, pair in enumerate(each.pairs):
                    if job := whole.get(pair.name):
                        result = self._bag_result(job, each, number)
                        unknown += result.metric is None
                        bag.add(result)
        if unknown:
            say(f"{path.name}: no points of {plural(unknown, 'pair')} without a baseline in metres")
        say(f"wrote {path}")

    def _bag_result(self, job: BatchJob, source: ListedSource, number: int) -> BagResult:
        """Read the result of a pair from its files, to write it to an MCAP file.

        ``number`` is the pair's index in its source.
        """
        ref, options = job.ref, self.plan.options
        stamp = round(number / source.rate * SECOND) if source.rate else 0
        if ref.index is not None:
            opened = opened_video(ref.left, ref.right, options)
            stamp = opened.begun + round(time_of(opened, ref.index) * SECOND)
        frame = ref.read(options)[0]
        disparity = np.load(self.plan.out / self.plan.outputs.image / f"{job.name}.npy")
        searched = job.run.params.values()
        first = searched["min_disparity"]
        last = first + searched["disparities"] - 1
        known = frame.calibration
        return BagResult(source.name, stamp, disparity, frame.left, known, (first, last))


def _pictures(files: Sequence[Path]) -> Iterator[NDArray[np.uint8]]:
    """Read image files one by one, each fitted to the size of the first."""
    size: tuple[int, int] | None = None
    for file in files:
        picture = even(read_image(file).pixels)
        size = size or (picture.shape[0], picture.shape[1])
        yield fitted(picture, *size)


@contextmanager
def open_run(plan: BatchPlan, request: BatchRequest) -> Iterator[BatchRun]:
    """Open a batch's output folder for one writer; raise ``ValueError`` if another run owns it."""
    if not plan.out.is_dir():
        check_file(plan.out)
        own_folder(plan.out)
    with sole_writer(plan.out):
        folder = RunFolder(plan.out, plan.definition)
        if request.restart:
            _remove(folder, plan, request)
        check_folder(folder, plan, request)
        state = BatchState(plan.out)
        if state.note:
            say(state.note)
        yield BatchRun(plan, folder, state)


def check_folder(folder: RunFolder, plan: BatchPlan, request: BatchRequest) -> None:
    """Raise an error if the output folder belongs to another run, or contains foreign files."""
    folder.check()
    if not folder.begun and (folder.path / JOURNAL).is_file():
        raise ValueError(f"{folder.path} {UNKNOWN}; choose another --out, or give --restart")
    if not request.force:
        folder.check_foreign(plan.files)


def _remove(folder: RunFolder, plan: BatchPlan, request: BatchRequest) -> None:
    """Remove the files that an earlier run wrote to the folder, except those changed since."""
    if not folder.begun and not (folder.path / JOURNAL).is_file():
        return
    state = BatchState(folder.path)
    if not folder.begun:
        written = (name for row in state.rows.values() for name in row["files"])
        folder.files = {*written, *SUMMARIES, JOURNAL}
    changed = {name for row in state.rows.values() for name in state.changed_files(row)}
    kept = sorted(name for name in changed if (folder.path / name).is_file())
    folder.files -= set(kept)
    if not request.force:
        folder.check_foreign(plan.files)
    folder.clear()
    if kept:
        say(f"{counted(len(kept), 'file')} kept, because the content has changed: {some(kept)}")


def counted(number: int, noun: str) -> str:
    """Format a count, noun and verb that begin a sentence, such as ``3 files are``."""
    return f"{plural(number, noun)} {'is' if number == 1 else 'are'}"
