"""Functions that send pairs to workers that lack this machine's files, and get files back.

A worker puts the files that it receives into a temporary folder, each below the path that it has
here, so that a calibration next to a picture is next to it there as well.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.cli.batch.work import BatchJob, enter_files
from wheatstone.viewer.io.cameras.calibration_files import places_beside, unit_file
from wheatstone.viewer.io.files.folders import folder_below
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.run.carry import run_frame, run_jobs
from wheatstone.viewer.run.jobs.workers import FinishedJob, WorkerPool
from wheatstone.viewer.run.run_job import FrameResult

Contents = dict[str, bytes]


@dataclass(frozen=True)
class SentJob:
    """A pair to send to a worker; its files are read only when it is pickled."""

    job: BatchJob

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the pair with its files' contents, or with the reason why a file is unreadable."""
        try:
            return ArrivedJob, (self.job, _contents(self.job), "")
        except OSError as error:
            return ArrivedJob, (self.job, {}, visible(str(error)))


@dataclass(frozen=True)
class ArrivedJob:
    """A pair with its files, as received by a worker.

    Attributes:
        contents: the contents of its files, by their original paths.
        why: why they could not be read; empty if they could.
    """

    job: BatchJob
    contents: Contents
    why: str


def send_jobs(
    jobs: Sequence[BatchJob], pool: WorkerPool
) -> Iterator[FinishedJob[BatchJob, FrameResult]]:
    """Send pairs to cluster workers, write the files that they return, and yield the results.

    Raises:
        ValueError: there is a video: each of its frames would need the whole file.
        OSError: a file cannot be written.
        Unavailable: a worker cannot compute them.
    """
    if videos := [job.ref.left for job in jobs if job.ref.index is not None]:
        how = "let workers read it, or send its pictures"
        raise ValueError(f"{videos[0]}: a video is not sent; {how}")
    for done in run_jobs([SentJob(job) for job in jobs], write_sent_frame, pool):
        job = done.job.job
        if not done.result:
            yield FinishedJob(job, None, done.why, done.place)
            continue
        result, contents = done.result
        files = {name: _write_returned(job.out, name, each) for name, each in contents.items()}
        enter_files(result.row, files)
        yield FinishedJob(job, result, "", done.place)


def _contents(job: BatchJob) -> Contents:
    """Read all input files of a pair, by their paths; raise ``OSError`` if one is unreadable."""
    calibrations = places_beside(job.ref.left)
    known = *calibrations, *job.options.calibrations
    optional = {*calibrations, *map(unit_file, known)}  # of which few exist
    paths = [path for path in job.inputs if path not in optional or os.path.isfile(path)]
    return {os.path.abspath(path): Path(path).read_bytes() for path in paths}


def write_sent_frame(sent: SentJob | ArrivedJob) -> tuple[FrameResult, Contents]:
    """Compute a pair in a worker from the files that were sent with it.

    Returns:
        Its result, and the contents of the files written, by their names in the output folder.
    """
    assert isinstance(sent, ArrivedJob), "pickling a SentJob makes an ArrivedJob"
    if sent.why:
        return FrameResult(sent.job.empty_row, sent.why), {}
    with tempfile.TemporaryDirectory() as folder:

        def moved(path: Path) -> Path:
            return Path(folder + os.path.abspath(path))

        for path, content in sent.contents.items():
            moved(Path(path)).parent.mkdir(parents=True, exist_ok=True)
            moved(Path(path)).write_bytes(content)
        options, out = sent.job.options, moved(sent.job.out)
        files = (*(str(moved(Path(file))) for file in options.calibrations), None, None)
        options = options.changed(calibration=files[0], calibration_right=files[1])
        out.mkdir(parents=True, exist_ok=True)
        ref = sent.job.ref.with_paths(moved)
        sequence = tuple(each.with_paths(moved) for each in sent.job.sequence)
        job = replace(sent.job, ref=ref, sequence=sequence, options=options, out=out)
        result = run_frame(job)
        contents = {name: (out / name).read_bytes() for name in result.row["files"]}
        row = result.row
        row["warnings"] = row["warnings"].replace(folder, "")
        if "calibration" in row:
            row["calibration"] = row["calibration"].replace(folder, "")
        return replace(result, why=result.why.replace(folder, "")), contents


def _write_returned(out: Path, name: str, content: bytes) -> os.stat_result:
    path = out / name
    folder_below(out, path.parent)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)
    return path.stat()
