"""Ask the workers of a cluster, before the first job, whether they can do what is wanted."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu import Unavailable
from gpu.device import open_device
from viewer import VERSION
from viewer.files.journal import program
from viewer.files.output import UNFINISHED
from viewer.files.streams import say
from viewer.jobs.force import Shared
from viewer.reading.paths import resolved
from viewer.reading.plain_text import label, visible

WORKER_WAIT = 30  # seconds for the first worker


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


def check_workers(client: Any, device: str, shared: Shared) -> None:
    """Ask every worker; say a line for each that cannot do what is wanted.

    Args:
        client: of Dask.
        device: kind of device that computes.

    Raises:
        Unavailable: there is such a worker.
        OSError: a file cannot be read here.
    """
    digests = tuple((str(resolved(path)), _digest(path)) for path in shared.read)
    with _token(shared.out) as token:
        needs = Needs(VERSION, program(), device, digests, token)
        answers = client.run(complaint, needs, on_error="return")
    workers = client.scheduler_info(n_workers=-1)["workers"]
    lacking = 0
    for address, answer in answers.items():
        if isinstance(answer, BaseException):
            answer = f"cannot be asked ({type(answer).__name__}: {answer}): is the program there?"
        if answer:
            lacking += 1
            name = workers.get(address, {}).get("name", address)
            say(f"worker {label(str(name))} at {label(address)}: {visible(str(answer))}")
    if lacking:
        raise Unavailable(f"{lacking} of {len(answers)} workers cannot compute these pairs")


def complaint(needs: Needs) -> str:
    """Say, in a worker, what keeps it from the jobs; empty if nothing does."""
    if needs.version != VERSION:
        return f"has wheatstone {VERSION}, not {needs.version}"
    if needs.program != program():
        return "has another state of what computes, under the same version"
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


def _why_unwritable(token: str) -> str:
    """Say why the folder of a file that the client wrote cannot be written to."""
    if not token:
        return ""
    folder = os.path.dirname(token)
    if not os.path.isfile(token):
        return f"does not see what is written to {folder}: it is no shared folder"
    try:
        with tempfile.NamedTemporaryFile(prefix=UNFINISHED, dir=folder):
            return ""
    except OSError as error:
        return f"cannot write to {folder} ({error.strerror})"


@contextmanager
def _token(out: Path | None) -> Iterator[str]:
    """Write a file into a folder for as long as workers look for it."""
    if out is None:
        yield ""
        return
    with tempfile.NamedTemporaryFile(prefix=UNFINISHED, dir=out) as file:
        yield str(resolved(file.name))


def _digest(path: Path) -> str:
    """Compute a digest of what a file holds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
