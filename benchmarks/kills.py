"""Kill ``wheatstone batch`` at random moments, resume it, and check that its folder stays whole.

Pairs of noise are computed once without a disturbance. Then the same command runs into another
folder, and its whole process group is killed (SIGKILL), over and over: a random time after it
began, or after it changed the first file. When all files are there, the next run begins again with
``--restart``. After every kill each file must be as the undisturbed run wrote it. At the end a last
run must complete the folder: with all files, a table of all pairs, and nothing else. The exit code
is 1 if something is not so.
"""

import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import cv2
import numpy as np

from benchmarks.runner import Count
from tests.programs import environment
from wheatstone.viewer.cli.batch.plan import JOURNAL, SUMMARIES
from wheatstone.viewer.io.files.output import UNFINISHED
from wheatstone.viewer.io.files.run_folder import NAME
from wheatstone.viewer.io.files.sole_writer import LOCK

SIZE, SHIFT = (160, 120), 7
OUTPUTS = ("--values", "npy", "--pictures", "--cloud", "ply", "--variant", "cpu")
OWN = (*SUMMARIES, JOURNAL, NAME)  # files of a folder besides those of its pairs
OFTEN = 0.005  # seconds between two looks


@dataclass
class Killer:
    """Runs a command line over and over, and kills it.

    Attributes:
        expected: what the files of the pairs hold, by name.
        ended: how many runs ended before they were killed.
        wrong: what is not as it must be.
    """

    words: list[str]
    out: Path
    expected: dict[str, bytes]
    ended: int = 0
    wrong: list[str] = field(default_factory=list)

    def kill(self, seconds: float, *, writing: bool) -> bool:
        """Run the command line, kill it after so many seconds, and check.

        Args:
            seconds: from its beginning, or if ``writing`` from when it changes the first file.

        Returns:
            Whether it still ran.
        """
        restart = ["--restart"] if self.is_complete else []
        program = _begun([*self.words, *restart])
        if writing:
            _wait_for_change(program, self.out)
        with suppress(subprocess.TimeoutExpired):
            program.wait(seconds)
        killed = program.poll() is None
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        if not killed:
            self.ended += 1
            self._expect(program.returncode == 0, f"exit code {program.returncode}")
        self._check_files()
        return killed

    @property
    def is_complete(self) -> bool:
        """Tell whether all files of the pairs are there."""
        return files_of(self.out).keys() == self.expected.keys()

    def finish(self) -> None:
        """Run the command line to its end, and check all that it leaves."""
        code = _begun(self.words).wait()
        self._expect(code == 0, f"exit code {code} of the last run")
        self._check_files()
        self._expect(self.is_complete, "files are missing")
        there = {path.name for path in self.out.iterdir() if path.is_file()}
        self._expect(there == set(OWN), f"other files than {sorted(OWN)}: {sorted(there)}")
        with (self.out / SUMMARIES[0]).open(newline="") as file:
            named = sorted(row["pair"] for row in csv.DictReader(file))
        pairs = sorted({Path(name).stem for name in self.expected})
        self._expect(named == pairs, f"the table names {named}")

    def _check_files(self) -> None:
        for name, content in files_of(self.out).items():
            self._expect(content == self.expected.get(name), f"{name} is not whole")

    def _expect(self, fine: bool, wrong: str) -> None:
        if not fine:
            self.wrong.append(wrong)


def main(*, kills: Count = 20, pairs: Count = 24, processes: Count = 2, seed: int = 0) -> bool:
    """Kill runs and resume them; return whether the folder was whole every time."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        killer, starting, writing = _prepared(Path(folder), pairs, processes)
        print(f"undisturbed: {starting:.1f} s to the first file, {writing:.1f} s to the last")
        done = 0
        while done < kills:
            late = random.random() < 0.7
            moment = random.uniform(0, writing if late else starting)
            done += killer.kill(moment, writing=late)
            when = f"{moment:.2f} s after {'the first file' if late else 'it began'}"
            print(f"{done} kills, {when}: {_state(killer)}", flush=True)
        killer.finish()
        print(f"{done} kills, {killer.ended} runs ended before: {_state(killer)}")
        print("\n".join(killer.wrong) or "no file is half written, lost or mixed")
    return not killer.wrong


def _state(killer: Killer) -> str:
    left = sum(path.name.startswith((UNFINISHED, LOCK)) for path in killer.out.rglob("*"))
    return f"{len(files_of(killer.out))} of {len(killer.expected)} files, {left} temporary"


def _prepared(folder: Path, pairs: int, processes: int) -> tuple[Killer, float, float]:
    """Write pairs, and compute them once.

    Returns:
        What kills other runs, the seconds to the first file, and from there to the end.
    """
    _write_pairs(folder / "pairs", pairs)
    many = ("--processes", str(processes))
    words = ["batch", str(folder / "pairs"), *OUTPUTS, *many, "--out"]
    begin, whole, out = time.monotonic(), folder / "whole", folder / "killed"
    program = _begun([*words, str(whole)])
    _wait_for_change(program, whole)
    first = time.monotonic()
    if code := program.wait():
        raise ValueError(f"exit code {code} of a run that nobody disturbed")
    killer = Killer([*words, str(out)], out, files_of(whole))
    return killer, first - begin, time.monotonic() - first


def _wait_for_change(program: "subprocess.Popen[bytes]", out: Path) -> None:
    """Wait until a program changes which files of pairs there are, or ends."""
    before = set(_names(out))
    with suppress(FileNotFoundError):  # folders are removed while they are looked at
        while program.poll() is None and set(_names(out)) == before:
            time.sleep(OFTEN)


def _write_pairs(folder: Path, count: int) -> None:
    random, (width, height) = np.random.default_rng(1), SIZE
    for number in range(count):
        noise = random.integers(0, 256, (height, width + SHIFT), np.uint8)
        for side, pixels in (("left", noise[:, :width]), ("right", noise[:, SHIFT:])):
            (folder / side).mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(folder / side / f"{number:03}.png"), pixels)


def _begun(words: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Begin the program as the leader of a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "wheatstone", *words],
        env=environment(),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def files_of(out: Path) -> dict[str, bytes]:
    """Read the files of all pairs in a folder, by name."""
    return {name: (out / name).read_bytes() for name in _names(out)}


def _names(out: Path) -> Iterator[str]:
    for path in out.rglob("*"):
        if path.is_file() and path.parent != out and not path.name.startswith(UNFINISHED):
            yield str(path.relative_to(out))
