"""Kill ``wheatstone batch`` at random moments, resume it, and check all files that it writes.

Pairs of noise are first computed without an interruption. The same command then runs again and
again with another output folder, and its whole process group is killed (SIGKILL) each time, at a
random time after the start or after the first change of a file. Once all files exist, the next run
starts from the beginning with ``--restart``. After each kill, every file must have the content that
the uninterrupted run wrote. A last run must complete the folder: all files, a table of all pairs,
and nothing else. The exit code is 1 if one of these checks fails.
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
OWN = (*SUMMARIES, JOURNAL, NAME)  # files of a folder that belong to no pair
POLLING = 0.005  # seconds between two looks at the folder


@dataclass
class Killer:
    """A command line that is run and killed repeatedly.

    Attributes:
        expected: content of the files of all pairs, by name.
        ended: number of runs that ended before they were killed.
        wrong: the checks that failed, one sentence each.
    """

    words: list[str]
    out: Path
    expected: dict[str, bytes]
    ended: int = 0
    wrong: list[str] = field(default_factory=list)

    def kill(self, seconds: float, *, writing: bool) -> bool:
        """Run the command line, kill it after some seconds, and check the files.

        Args:
            seconds: time from the start; with ``writing``, from the first change of a file.

        Returns:
            Whether the program was still running.
        """
        restart = ["--restart"] if self.is_complete else []
        program = _start([*self.words, *restart])
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
        """Whether the files of all pairs exist."""
        return files_of(self.out).keys() == self.expected.keys()

    def finish(self) -> None:
        """Run the command line to its end, and check the whole folder."""
        code = _start(self.words).wait()
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
            self._expect(
                content == self.expected.get(name), f"{name} differs from the uninterrupted run"
            )

    def _expect(self, fine: bool, wrong: str) -> None:
        if not fine:
            self.wrong.append(wrong)


def main(*, kills: Count = 20, pairs: Count = 24, processes: Count = 2, seed: int = 0) -> bool:
    """Kill runs and resume them; return whether all files were complete every time."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        killer, starting, writing = _prepare(Path(folder), pairs, processes)
        print(f"uninterrupted: {starting:.1f} s to the first file, then {writing:.1f} s to the end")
        done = 0
        while done < kills:
            late = random.random() < 0.7
            moment = random.uniform(0, writing if late else starting)
            done += killer.kill(moment, writing=late)
            when = f"{moment:.2f} s after {'the first file' if late else 'the start'}"
            print(f"{done} kills, {when}: {_state(killer)}", flush=True)
        killer.finish()
        print(f"{done} kills, {killer.ended} runs ended before: {_state(killer)}")
        print("\n".join(killer.wrong) or "no file is half written, lost or mixed")
    return not killer.wrong


def _state(killer: Killer) -> str:
    temporary = sum(path.name.startswith((UNFINISHED, LOCK)) for path in killer.out.rglob("*"))
    return f"{len(files_of(killer.out))} of {len(killer.expected)} files, {temporary} temporary"


def _prepare(folder: Path, pairs: int, processes: int) -> tuple[Killer, float, float]:
    """Write pairs, and compute them once without an interruption.

    Returns:
        The killer of further runs, the seconds to the first file, and from there to the end.
    """
    _write_pairs(folder / "pairs", pairs)
    many = ("--processes", str(processes))
    words = ["batch", str(folder / "pairs"), *OUTPUTS, *many, "--out"]
    begin, whole, out = time.monotonic(), folder / "whole", folder / "killed"
    program = _start([*words, str(whole)])
    _wait_for_change(program, whole)
    first = time.monotonic()
    if code := program.wait():
        raise ValueError(f"exit code {code} of the uninterrupted run")
    killer = Killer([*words, str(out)], out, files_of(whole))
    return killer, first - begin, time.monotonic() - first


def _wait_for_change(program: "subprocess.Popen[bytes]", out: Path) -> None:
    """Wait until a program adds or removes files of pairs, or ends."""
    before = set(_names(out))
    with suppress(FileNotFoundError):  # folders are removed while they are listed
        while program.poll() is None and set(_names(out)) == before:
            time.sleep(POLLING)


def _write_pairs(folder: Path, count: int) -> None:
    random, (width, height) = np.random.default_rng(1), SIZE
    for number in range(count):
        noise = random.integers(0, 256, (height, width + SHIFT), np.uint8)
        for side, pixels in (("left", noise[:, :width]), ("right", noise[:, SHIFT:])):
            (folder / side).mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(folder / side / f"{number:03}.png"), pixels)


def _start(words: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Start the program as the leader of a new process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "wheatstone", *words],
        env=environment(),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def files_of(out: Path) -> dict[str, bytes]:
    """Return the content of the files of all pairs in a folder, by name."""
    return {name: (out / name).read_bytes() for name in _names(out)}


def _names(out: Path) -> Iterator[str]:
    for path in out.rglob("*"):
        if path.is_file() and path.parent != out and not path.name.startswith(UNFINISHED):
            yield str(path.relative_to(out))
