"""Send pairs to workers without shared storage, and write the files that they send back.

A worker puts the files that it receives into a temporary folder, each below the path that it has
here, so that files next to a picture, such as a calibration, are next to it there, too.
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
    """A pair whose files are read only when it is sent."""

    job: BatchJob

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the pair with its files' contents, or with the reason why they are unreadable."""
        try:
            return ArrivedJob, (self.job, contents_of(self.job), "")
        except OSError as error:
            return ArrivedJob, (self.job, {}, visible(str(error)))


@dataclass(frozen=True)
class ArrivedJob:
    """A pair as received by a worker.

    Attributes:
        contents: the contents of its files, by their original paths.
        why: why they could not be read; empty if they could.
    """

    job: BatchJob
    contents: Contents
    why: str


@dataclass(frozen=True)
class SentResult:
    """The result of a pair as a worker sends it back.

    Attributes:
        contents: the contents of the files written, by their names in the output folder.
    """

    result: PairResult
    contents: Contents


def sent_results(
    jobs: Sequence[BatchJob], force: Workforce
) -> Iterator[Done[BatchJob, PairResult]]:
    """Run pairs on cluster workers without access to files here, and write the files they return.

    Raises:
        ValueError: there is a video: each of its frames would need the whole file.
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
        OSError: a file cannot be read.
    """
    beside = set(places_beside(job.pair.left))  # of which few are there
    paths = [path for path in job.inputs if path not in beside or path.is_file()]
    return {os.path.abspath(path): path.read_bytes() for path in paths}


def done_elsewhere(job: SentJob | ArrivedJob) -> SentResult:
    """Run a pair in a worker, with the files that were sent with it."""
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
    """Change all paths that a job reads from and writes to."""
    pair, setting = job.pair, job.setting
    left, right = Path(moved(pair.left)), Path(moved(pair.right)) if pair.right else None
    first = pair.first
    if first:
        first = Path(moved(first[0])), Path(moved(first[1])) if first[1] else None
    names = ("calibration", "calibration_right")
    files = {name: moved(file) for name in names if (file := getattr(setting.spec, name))}
    spec, out = setting.spec.changed(**files), Path(moved(setting.out))
    return replace(
        job,
        pair=replace(pair, left=left, right=right, first=first),
        setting=replace(setting, spec=spec, out=out),
    )


def _written(out: Path, name: str, content: bytes) -> os.stat_result:
    path = out / name
    folder_below(out, path.parent)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)
    return path.stat()
