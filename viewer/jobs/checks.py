"""Ask the workers of a cluster whether they can do what is wanted: before the first job, and later.

Those that come later, or are begun anew, are asked beside the jobs.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import open_device
from wheatstone.viewer import VERSION
from wheatstone.viewer.files.held import hold
from wheatstone.viewer.files.journal import whole_program
from wheatstone.viewer.files.output import UNFINISHED
from wheatstone.viewer.files.streams import say
from wheatstone.viewer.jobs.force import Shared
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.reading.plain_text import label, visible

WORKER_WAIT = 30  # seconds for the first worker
ANSWER_WAIT = 1.0  # seconds for an answer that is there already


@dataclass(frozen=True)
class Needs:
    """What a worker must be able to do.

    Attributes:
        version, program: of the program here.
        device: kind of device that computes.
        digests: files that it must read, and what they hold here.
        token: a file in the folder that it must write to; empty: it writes nothing.
    """

    version: str
    program: str
    device: str
    digests: tuple[tuple[str, str], ...]
    token: str


class Admission:
    """The workers that may do jobs: those that were asked, and can.

    Args:
        client: of Dask.
        needs: what every worker is asked for.
        admitted: addresses of workers that were asked before.

    Attributes:
        admitted: addresses of the workers that can.
    """

    def __init__(self, client: Any, needs: Needs, admitted: Iterable[str]) -> None:
        self.admitted = set(admitted)
        self._client, self._needs = client, needs
        self._asked: dict[str, Any] = {}
        self._left_out: set[str] = set()

    def update(self, workers: Mapping[str, Any]) -> None:
        """Take in what was answered, and ask the workers that are new; this does not wait.

        Args:
            workers: what the scheduler knows of each worker, by its address.
        """
        self.admitted &= workers.keys()
        self._left_out &= workers.keys()
        self._asked = {place: asked for place, asked in self._asked.items() if place in workers}
        for place in [place for place, asked in self._asked.items() if asked.done()]:
            self._take_in(place, str(workers[place].get("name", place)))
        for place in workers.keys() - self.admitted - self._left_out - self._asked.keys():
            self._asked[place] = self._client.submit(
                complaint, self._needs, key=f"wheatstone-{uuid4()}", workers=[place], pure=False
            )

    def _take_in(self, place: str, name: str) -> None:
        asked = self._asked[place]
        try:
            answer = asked.exception(ANSWER_WAIT) or asked.result(ANSWER_WAIT)
        except (TimeoutError, CancelledError):
            return  # the worker died with its answer
        del self._asked[place]
        if why := _said(answer):
            self._left_out.add(place)
            say(f"worker {label(name)} at {label(place)}: {why}; it is left out")
        else:
            self.admitted.add(place)


@contextmanager
def asked_workers(client: Any, device: str, shared: Shared) -> Iterator[Admission]:
    """Ask every worker; say a line for each that cannot do what is wanted.

    Args:
        client: of Dask.
        device: kind of device that computes.

    Yields:
        Who may do jobs; workers that come later are asked the same while this is entered.

    Raises:
        Unavailable: there is a worker that cannot.
        OSError: a file cannot be read here.
    """
    _ask_scheduler(client)
    digests = tuple((str(resolved(path)), _digest(path)) for path in shared.read)
    with _token(shared.out) as token:
        needs = Needs(VERSION, whole_program(), device, digests, token)
        answers = client.run(complaint, needs, on_error="return")
        workers = client.scheduler_info(n_workers=-1)["workers"]
        lacking = {place: why for place, answer in answers.items() if (why := _said(answer))}
        for place, why in lacking.items():
            name = workers.get(place, {}).get("name", place)
            say(f"worker {label(str(name))} at {label(place)}: {why}")
        if lacking:
            raise Unavailable(
                f"{len(lacking)} of {len(answers)} workers cannot compute these pairs"
            )
        yield Admission(client, needs, answers)


def _ask_scheduler(client: Any) -> None:
    """Ask the scheduler, which reads jobs as workers do; raise ``Unavailable`` if it cannot."""
    try:
        answer = client.run_on_scheduler(unlike, VERSION, whole_program())
    except Exception as error:  # whatever reading a function of another program raises
        answer = error
    if why := _said(answer):
        raise Unavailable(f"the scheduler {why}")


def _said(answer: Any) -> str:
    """Say what keeps a worker from the jobs, by its answer or why there is none."""
    if isinstance(answer, BaseException):
        answer = f"cannot be asked ({type(answer).__name__}: {answer}): is the program there?"
    return visible(str(answer))


def complaint(needs: Needs) -> str:
    """Say, in a worker, what keeps it from the jobs; empty if nothing does."""
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
    """Say in which way the program here is another one; empty if it is the same."""
    if version != VERSION:
        return f"has wheatstone {VERSION}, not {version}"
    if program != whole_program():
        return "has another state of the program, under the same version"
    return ""


def _why_unwritable(token: str) -> str:
    """Say why the folder of a file that the client wrote cannot be written to."""
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
    """Write a file into a folder for as long as workers look for it."""
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
    """Compute a digest of what a file holds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
