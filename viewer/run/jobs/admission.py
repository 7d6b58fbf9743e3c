"""Checks whether the workers of a cluster can run the jobs, before the first job and later.

Workers that join later, or are restarted, are asked in the background while jobs run. A worker that
runs a job checks the program once more, because it may have joined late.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.files.journal import whole_program
from wheatstone.viewer.io.files.locks import hold
from wheatstone.viewer.io.files.output import UNFINISHED
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label, visible
from wheatstone.viewer.run.jobs.workers import SharedFiles

WORKER_WAIT = 30  # seconds for the first worker
ANSWER_WAIT = 1.0  # seconds for an answer that has arrived


@dataclass(frozen=True)
class Needs:
    """The requirements for a cluster worker: program version, device, files and output folder.

    Attributes:
        version, program: of the program here.
        device: kind of device that computes.
        digests: files that it must read, each with the digest of its content here.
        token: a file in the folder that it must write to; empty: it writes nothing.
    """

    version: str
    program: str
    device: str
    digests: tuple[tuple[str, str], ...]
    token: str


class WorkerAdmission:
    """The cluster workers that may run jobs, because they meet the requirements.

    Args:
        client: of Dask.
        needs: the requirements for every worker.
        admitted: addresses of workers that were asked before.

    Attributes:
        admitted: addresses of the workers that meet them.
    """

    def __init__(self, client: Any, needs: Needs, admitted: Iterable[str]) -> None:
        self.admitted = set(admitted)
        self._client, self._needs = client, needs
        self._asked: dict[str, Any] = {}
        self._refused: set[str] = set()

    def update(self, workers: Mapping[str, Any]) -> None:
        """Process the answers of queried workers, and query new workers, without waiting.

        Args:
            workers: the scheduler's information on each worker, by its address.
        """
        self.admitted &= workers.keys()
        self._refused &= workers.keys()
        self._asked = {place: asked for place, asked in self._asked.items() if place in workers}
        for place in [place for place, asked in self._asked.items() if asked.done()]:
            self._note_answer(place, str(workers[place].get("name", place)))
        for place in workers.keys() - self.admitted - self._refused - self._asked.keys():
            self._asked[place] = self._client.submit(
                complaint, self._needs, key=f"wheatstone-{uuid4()}", workers=[place], pure=False
            )

    def _note_answer(self, place: str, name: str) -> None:
        asked = self._asked[place]
        try:
            answer = asked.exception(ANSWER_WAIT) or asked.result(ANSWER_WAIT)
        except (TimeoutError, CancelledError):
            return  # the worker died with its answer
        del self._asked[place]
        if why := _reason(answer):
            self._refused.add(place)
            say(f"worker {label(name)} at {label(place)}: {why}; it is not used")
        else:
            self.admitted.add(place)


@contextmanager
def admitted_workers(client: Any, device: str, shared: SharedFiles) -> Iterator[WorkerAdmission]:
    """Check every worker of a cluster, and print a line for each that is unsuitable.

    Args:
        client: of Dask.
        device: kind of device that computes.

    Yields:
        The admitted workers; those that join while this context is entered are asked the same.

    Raises:
        Unavailable: a worker does not meet the requirements.
        OSError: a file cannot be read here.
    """
    _check_scheduler(client)
    digests = tuple((str(resolved(path)), _digest(path)) for path in shared.read)
    with _token(shared.out) as token:
        needs = Needs(VERSION, whole_program(), device, digests, token)
        answers = client.run(complaint, needs, on_error="return")
        workers = client.scheduler_info(n_workers=-1)["workers"]
        lacking = {place: why for place, answer in answers.items() if (why := _reason(answer))}
        for place, why in lacking.items():
            name = workers.get(place, {}).get("name", place)
            say(f"worker {label(str(name))} at {label(place)}: {why}")
        if lacking:
            raise Unavailable(
                f"{len(lacking)} of {len(answers)} workers cannot compute these pairs"
            )
        yield WorkerAdmission(client, needs, answers)


def _check_scheduler(client: Any) -> None:
    """Check that the scheduler has the same program. Raises ``Unavailable`` if it does not.

    The scheduler unpickles the jobs as well.
    """
    try:
        answer = client.run_on_scheduler(unlike, VERSION, whole_program())
    except Exception as error:  # whatever reading a function of another program raises
        answer = error
    if why := _reason(answer):
        raise Unavailable(f"the scheduler {why}")


def _reason(answer: Any) -> str:
    """Return the reason why a worker cannot run jobs, from its answer or from an error."""
    if isinstance(answer, BaseException):
        answer = f"cannot be asked ({type(answer).__name__}: {answer}): is the program there?"
    return visible(str(answer))


def complaint(needs: Needs) -> str:
    """Return which requirement for jobs this worker does not meet; empty if it meets all."""
    if why := unlike(needs.version, needs.program):
        return why
    try:
        open_device(needs.device)
    except Unavailable as error:
        return str(error)
    try:
        for path, digest in needs.digests:
            if _digest(Path(path)) != digest:
                return f"{path} is another file there"
    except OSError as error:
        return f"cannot read {error.filename or ''} ({error.strerror or error})"
    return _why_unwritable(needs.token)


def unlike(version: str, program: str) -> str:
    """Describe how this worker's program differs from the client's; empty if they are the same."""
    if version != VERSION:
        return f"has wheatstone {VERSION}, not {version}"
    if program != whole_program():
        return "has another state of the program, under the same version"
    return ""


def _why_unwritable(token: str) -> str:
    """Return why this worker cannot write to the client's output folder; empty if it can."""
    if not token:
        return ""
    folder = os.path.dirname(token)
    if not os.path.isfile(token):
        return f"does not see what is written to {folder}: it is no shared folder"
    try:
        with tempfile.NamedTemporaryFile(prefix=UNFINISHED, dir=folder) as file:
            hold(file.fileno())
            return ""
    except OSError as error:
        return f"cannot write to {folder} ({error.strerror})"


@contextmanager
def _token(out: Path | None) -> Iterator[str]:
    """Create a file by which workers check the output folder; delete it after the ``with``.

    Yields its path; empty without a folder.
    """
    if out is None:
        yield ""
        return
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=out)
    hold(handle)
    try:
        yield str(resolved(name))
    finally:
        Path(name).unlink(missing_ok=True)
        os.close(handle)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Remote:
    """The function that cluster workers run for every job, with the required device and program.

    Attributes:
        work: a function of a module.
        device: kind of device that computes.
        program: digest of the program that sends the jobs.
    """

    work: Callable[[Any], Any]
    device: str
    program: str


@dataclass(frozen=True)
class RemoteResult:
    """The result of a job, with the names of the worker and of its device."""

    result: Any
    worker: str
    device: str


def run_remotely(remote: Remote, job: Any) -> RemoteResult:
    """Run a job in this worker. Raises ``Unavailable`` if its program is another version."""
    from distributed import get_worker

    worker = label(str(get_worker().name))
    if whole_program() != remote.program:
        raise Unavailable(f"worker {worker} has another version of the program")
    return RemoteResult(remote.work(job), worker, _device_name(remote.device))


@cache
def _device_name(kind: str) -> str:
    return label(open_device(kind).name)
