"""Pairs for workers that share no storage: pictures are sent to them, and files come back.

A worker lays the files that it gets into a folder of its own, each at the path that it has here, so
that what lies beside a picture is found there, too.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.batch.work import (
    BatchJob,
    PairResult,
    done_pair,
    empty_row,
    note_files,
)
from wheatstone.viewer.files.folders import folder_below
from wheatstone.viewer.files.output import whole_file
from wheatstone.viewer.jobs.carrying import carried_out
from wheatstone.viewer.jobs.done import Done
from wheatstone.viewer.jobs.force import Workforce
from wheatstone.viewer.reading.plain_text import visible

Contents = dict[str, bytes]


@dataclass(frozen=True)
class SentJob:
    """A pair whose files are read when it is sent, no earlier."""

    job: BatchJob

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the pair with what its files hold, or with why they cannot be read."""
        try:
            return ArrivedJob, (self.job, contents_of(self.job), "")
        except OSError as error:
            return ArrivedJob, (self.job, {}, visible(str(error)))


@dataclass(frozen=True)
class ArrivedJob:
    """A pair in the worker that it was sent to.

    Attributes:
        contents: what its files hold, by their paths where they come from.
        why: why they could not be read; empty if they could.
    """

    job: BatchJob
    contents: Contents
    why: str


@dataclass(frozen=True)
class SentResult:
    """What comes back of a pair.

    Attributes:
        contents: what the files hold that were made, by their names in the output folder.
    """

    result: PairResult
    contents: Contents


def sent_results(
    jobs: Sequence[BatchJob], force: Workforce
) -> Iterator[Done[BatchJob, PairResult]]:
    """Do pairs by workers of a cluster that read no file of this machine, and write what comes.

    Raises:
        ValueError: there is a video: each of its frames would need all of it.
        OSError: a file cannot be written.
        Unavailable: a worker cannot compute them.
    """
    if videos := [job for job in jobs if job.pair.index is not None]:
        path = videos[0].pair.left
        raise ValueError(f"{path}: a video is not sent; let workers read it, or send its pictures")
    for done in carried_out([SentJob(job) for job in jobs], done_elsewhere, force):
        job = done.job.job
        if not done.result:
            yield Done(job, None, done.why, done.place)
            continue
        contents, out = done.result.contents, job.setting.out
        note_files(
            done.result.result.row,
            {name: _written(out, name, content) for name, content in contents.items()},
        )
        yield Done(job, done.result.result, "", done.place)


def contents_of(job: BatchJob) -> Contents:
    """Read all files that a pair is computed from, by their paths.

    Raises:
        OSError: one cannot be read.
    """
    beside = set(places_beside(job.pair.left))  # of which few are there
    paths = [path for path in job.inputs if path not in beside or path.is_file()]
    return {os.path.abspath(path): path.read_bytes() for path in paths}


def done_elsewhere(job: SentJob | ArrivedJob) -> SentResult:
    """Do a pair, in a worker, with the files that came with it."""
    assert isinstance(job, ArrivedJob), "what is sent arrives as that"
    if job.why:
        return SentResult(PairResult(empty_row(job.job), job.why), {})
    with tempfile.TemporaryDirectory() as folder:
        for path, content in job.contents.items():
            place = Path(_moved(folder, path))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        moved = _moved_job(job.job, lambda path: _moved(folder, path))
        out = moved.setting.out
        out.mkdir(parents=True, exist_ok=True)
        result = done_pair(moved)
        contents = {name: (out / name).read_bytes() for name in result.row["files"]}
        return SentResult(replace(result, why=result.why.replace(folder, "")), contents)


def _moved(folder: str, path: str | Path) -> str:
    return folder + os.path.abspath(path)


def _moved_job(job: BatchJob, moved: Callable[[str | Path], str]) -> BatchJob:
    """Let a job read and write elsewhere."""
    pair, setting = job.pair, job.setting
    left, right = Path(moved(pair.left)), Path(moved(pair.right)) if pair.right else None
    first = pair.first
    if first:
        first = Path(moved(first[0])), Path(moved(first[1])) if first[1] else None
    given = setting.said.calibration
    given = replace(given, files=tuple(moved(file) for file in given.files))
    said, out = replace(setting.said, calibration=given), Path(moved(setting.out))
    return replace(
        job,
        pair=replace(pair, left=left, right=right, first=first),
        setting=replace(setting, said=said, out=out),
    )


def _written(out: Path, name: str, content: bytes) -> os.stat_result:
    path = out / name
    folder_below(out, path.parent)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)
    return path.stat()
