"""Calls in other processes: what comes back, and what ends those that take too long."""

import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.hanging import understood
from tests.patience import wait_until
from tests.programs import ROOT, environment
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.run.jobs.isolated import IsolatedCalls

KILLED = """\
import os, sys, tests.hanging
from wheatstone.viewer.run.jobs import isolated
from threading import Thread
isolated.GRACE = 0
if __name__ == "__main__":
    calls = isolated.IsolatedCalls(1.0)
    print(calls(os.getpid), flush=True)
    Thread(target=calls, args=(tests.hanging.understood, ()), daemon=True).start()
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def calls() -> Iterator[IsolatedCalls]:
    """Calls that may take a second."""
    with closing(IsolatedCalls(1.0)) as isolated:
        yield isolated


def test_a_call_returns_what_the_function_does_in_a_process_that_stays(
    calls: IsolatedCalls,
) -> None:
    assert calls(math.gcd, 12, 18) == 6
    process = calls(os.getpid)
    assert process == calls(os.getpid) != os.getpid()


def test_a_call_raises_what_the_function_does(calls: IsolatedCalls, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("a = 1\na = 2\n")
    with pytest.raises(ValueError, match=r"a\.toml: .*line 2"):
        calls(read_document, tmp_path / "a.toml", dict)
    with pytest.raises(FileNotFoundError, match="no such file"):
        calls(read_document, tmp_path / "b.toml", dict)
    with pytest.raises(re.error, match="nothing to repeat"):
        calls(re.compile, "*")


def test_a_call_that_holds_pythons_lock_for_ever_is_given_up_and_stops_nobody(
    calls: IsolatedCalls,
) -> None:
    process, errors = calls(os.getpid), list[BaseException]()

    def call() -> None:
        try:
            calls(understood, ())
        except TimeoutError as error:
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    longest, last = 0.0, time.perf_counter()
    while thread.is_alive():
        time.sleep(0.001)
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
    assert [str(error) for error in errors] == ["reading was cancelled after 1 s"]
    assert longest < 0.7
    assert not Path(f"/proc/{process}").exists()
    assert calls(math.gcd, 4, 6) == 2


def test_a_process_that_dies_is_an_error_and_another_takes_its_place(
    calls: IsolatedCalls,
) -> None:
    with pytest.raises(OSError, match="ended unexpectedly"):
        calls(os._exit, 3)
    assert calls(math.gcd, 4, 6) == 2


def test_a_process_that_was_killed_while_it_waited_is_replaced(calls: IsolatedCalls) -> None:
    process = calls(os.getpid)
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: not _runs(process))
    assert calls(os.getpid) != process


def test_closing_ends_the_calls_that_go_on() -> None:
    calls, errors = IsolatedCalls(1000.0), list[BaseException]()
    process = calls(os.getpid)

    def call() -> None:
        try:
            calls(understood, ())
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(0.2)
    calls.close()
    thread.join(30)
    assert [str(error) for error in errors] == [
        "the process that reads the file ended unexpectedly"
    ]
    assert not Path(f"/proc/{process}").exists()
    with pytest.raises(OSError, match="the program ends"):
        calls(math.gcd, 4, 6)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no alarm")
def test_a_process_whose_program_was_killed_ends_by_itself(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(KILLED)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, script], stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment()
    ) as program:
        assert program.stdout
        process = int(program.stdout.readline())
        time.sleep(0.3)  # it hangs
        program.kill()
        wait_until(lambda: not _runs(process))


def _runs(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
