"""Recordings of a program that is killed at any moment hold all that was written until then."""

import mmap
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.patience import wait_until
from tests.programs import environment
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

av = pytest.importorskip("av", reason="comes with the extra video")
KILLS = 7  # of each kind of recording

RECORD = """
import mmap, os, struct, sys
from pathlib import Path
import numpy as np
import av, cv2, imageio.v3
from wheatstone.viewer.io.files.film import RecordedFilm
from wheatstone.viewer.io.files.png_pairs import PngPairs
from wheatstone.viewer.io.footage.recording import PairVideo

def record(path, seen):
    film = path.suffix == ".mp4"
    pairs = PairVideo(path, 20.0) if path.suffix == ".mkv" else None
    writer = RecordedFilm(path, 20.0) if film else pairs or PngPairs(path)
    for number in range(1_000_000):
        view = np.full((32, 48, 4 if film else 3), 2 * number % 200, np.uint8)
        writer.add(view if film else (view, view), number / 20)
        seen[:4] = struct.pack("i", number + 1)

for line in sys.stdin:
    path, count = map(Path, line.split())
    child = os.fork()
    if not child:
        with count.open("rb+") as file:
            record(path, mmap.mmap(file.fileno(), 4))
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", RECORD]
    with subprocess.Popen(command, env=environment(), stdin=-1, stdout=-1, text=True) as run:
        yield run
        assert run.stdin
        run.stdin.close()


def killed_after(run: "subprocess.Popen[str]", path: Path, seconds: float) -> int:
    """Record until a moment; return how many pictures were written when the program was killed."""
    assert run.stdin and run.stdout
    count = path.with_name("count")
    count.write_bytes(bytes(4))
    print(path, count, file=run.stdin, flush=True)
    child = int(run.stdout.readline())
    with count.open("rb") as file:
        seen = mmap.mmap(file.fileno(), 4, access=mmap.ACCESS_READ)
        wait_until(lambda: seen[:4] != bytes(4))
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        assert run.stdout.readline() == "ended\n"
        return int.from_bytes(seen[:4], sys.byteorder)


def recorded(path: Path) -> list[NDArray[np.uint8]]:
    with closing(open_source(SourceSpec(str(path)))) as source:
        return [source.frame(number).left for number in range(source.length)]


@pytest.mark.parametrize(("name", "lost"), [("p.mkv", 0), ("folder", 0), ("f.mp4", 1)])
def test_what_was_written_is_there(
    recorder: "subprocess.Popen[str]", name: str, lost: int, tmp_path: Path
) -> None:
    moments, most = random.Random(name), 0
    for number in range(KILLS):
        path = tmp_path / str(number) / name
        path.parent.mkdir()
        written = killed_after(recorder, path, moments.uniform(0, 0.15))
        if written <= lost:
            continue
        views = recorded(path)
        most = max(most, len(views))
        assert written - lost <= len(views) <= written + 1
        for at, view in enumerate(views):
            assert abs(float(view.mean()) - 2 * at % 200) < (0.1 if lost == 0 else 4)
    assert most > 1
