"""Jobs that workers of Dask do in tests, and the clusters that do them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import wait_until
from tests.programs import ROOT, environment

SCRIPT = """\
import sys
from benchmarks.local_cluster import local_cluster
if __name__ == "__main__":
    with local_cluster([{}] * int(sys.argv[1]), 1) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
UNWATCHED = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "False",
}
"""Variables under which an idle cluster leaves the cores to the tests."""


@dataclass(frozen=True)
class Toy:
    """A job: a number, and a folder in which its worker leaves a trace of it."""

    number: int
    folder: Path
    seconds: float = 0.0


def squared(job: Toy) -> int:
    """Square the number; the trace names the process, and grows with every time it is done."""
    with (job.folder / str(job.number)).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(job.seconds)
    return job.number**2


def deadly(job: Toy) -> int:
    """Square the number; the number 7 kills its process."""
    result = squared(job)
    if job.number == 7:
        os._exit(9)
    return result


def deadly_last(job: Toy) -> int:
    """Square the number; the number 7 kills its process after the number 1 is done."""
    if job.number == 7:
        wait_until((job.folder / "1").exists)
        time.sleep(0.3)
    return deadly(job)


def among_three(job: Toy) -> int:
    """Square the number, from the fourth on once three processes have done such jobs."""
    result = squared(job)
    if job.number > 3:
        wait_until(lambda: len(_processes(job.folder)) > 2)
    return result


def _processes(folder: Path) -> set[str]:
    return {pid for trace in folder.iterdir() for pid in trace.read_text().split()}


def with_other_program() -> None:
    """Let the worker that calls this have another version of the program."""
    import wheatstone.viewer.run.jobs.admission as checks

    vars(checks)["VERSION"] = "0.0.1"


@contextmanager
def cluster_program(
    workers: int, **variables: str
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run a cluster as another program, as those of others are; yield its address and itself."""
    command = [sys.executable, "-c", SCRIPT, str(workers)]
    pipe, variables = subprocess.PIPE, UNWATCHED | variables
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, cwd=ROOT, env=environment(**variables), text=True
    ) as program:
        assert program.stdin and program.stdout
        try:
            yield program.stdout.readline().strip(), program
        finally:
            program.stdin.close()  # which ends it
            try:
                program.wait(timeout=20)
            except subprocess.TimeoutExpired:
                program.kill()
