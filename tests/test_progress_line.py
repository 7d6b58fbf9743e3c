"""What goes on is said on one line of a terminal, and now and then in a log."""

import os
import pty
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit

import wheatstone.gpu.compiled  # noqa: F401  so that compilations are told of
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.run.compiling import announced_compilations
from wheatstone.viewer.run.measuring import progress
from wheatstone.viewer.run.measuring.progress import (
    FrameBar,
    ProgressBar,
    ProgressLine,
)

ERASED = "\r\x1b[K"


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Make standard error a terminal, while entered; yield what reads what is drawn on it."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        pytest.skip(f"this machine has no pseudo-terminals: {error}")
    listed: list[bytes] = []
    reader = threading.Thread(target=_read, args=(master, listed), daemon=True)
    reader.start()  # a terminal that nobody reads holds the program up

    def drawn() -> str:
        """Read what was drawn since the last time."""
        os.write(slave, b"\0")
        while not b"".join(listed).endswith(b"\0"):
            time.sleep(0.001)
        text = b"".join(listed).decode().replace("\0", "")
        listed.clear()
        return text

    with os.fdopen(slave, "w") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        patch.setenv("TERM", "xterm")
        yield drawn
    reader.join()
    os.close(master)


def _read(master: int, chunks: list[bytes]) -> None:
    """Read a terminal until it is closed."""
    with suppress(OSError):
        while read := os.read(master, 4096):
            chunks.append(read)


def test_a_terminal_has_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as drawn:
        with ProgressLine(0.0) as line:
            line.show("cpu: matching cost", 0.25)
            line.show("not due yet", 0.3)
            say("wrote a.png")
            line.show("cpu: path aggregation", at_once=True)
        shown = drawn()
    first = f"\r[#####...............] cpu: matching cost, 25% after 0 s{ERASED[1:]}"
    then = f"\rcpu: path aggregation, 0 s so far{ERASED[1:]}{ERASED}"
    assert shown == f"{first}{ERASED}wheatstone: wrote a.png\r\n{then}"


def test_nothing_is_reported_about_what_takes_no_second(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as drawn:
        with ProgressLine() as line:
            line.show("quick", 0.5)
        say("done")
        assert drawn() == "wheatstone: done\r\n"


def test_a_long_line_is_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as drawn:
        with ProgressLine(0.0) as line:
            line.show("x" * 300 + "\n\x1b[31m")
        shown = drawn().removesuffix(ERASED)
    assert len(shown) == 79 + len(ERASED) and "\n" not in shown and "\x1b[31m" not in shown


def test_a_log_has_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProgressLine() as line:
        line.show("at the beginning", 0.1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "LOGGED", 0.0)
    with ProgressLine() as line:
        line.show("later", 0.5)
    assert capsys.readouterr().err == "wheatstone: later, 50% after 0 s\n"


def test_compiling_is_reported_once_above_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @njit
    def doubled(number: int) -> int:
        return 2 * number

    with terminal(monkeypatch) as drawn:
        with announced_compilations(), ProgressLine(0.0) as line:
            line.show("cpu: median", 0.5)
            drawn()
            assert doubled(np.int8(3)) == 6 and doubled(np.int16(3)) == 6
            text = drawn()
        assert doubled(np.int32(3)) == 6
        assert drawn() == ""  # after the end nothing is told
    words = "compiling code for this machine; later starts reuse it ..."
    assert text == f"{ERASED}wheatstone: {words}\r\n"


def test_rows_and_frames_are_counted_on_the_same_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as drawn:
        with ProgressBar(4) as bar:
            bar.begin("sgm: cpu")
            bar.done("sgm: cpu", "identical")
            bar.begin("sgm: reference")
        rows = drawn()
        with FrameBar(2) as frames:
            frames.done()
        counted = drawn()
    assert "1 of 4: sgm: cpu, 0%" in rows and "[#####...............] 2 of 4: sgm: ref" in rows
    assert rows.endswith(ERASED) and "identical" not in rows
    assert "[##########..........] 1 of 2 frames, 50% " in counted


def test_the_rate_leaves_out_the_results_that_waited_for_compilation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with FrameBar(6, "pairs", untimed=2) as bar:
        for now[0] in (14.0, 14.0, 20.0, 21.0):
            bar.done()
    first, then = capsys.readouterr().err.splitlines()
    assert first == "wheatstone: 1 of 6 pairs"
    assert then == "wheatstone: 3 of 6 pairs, 0.167 pairs/s, about 18 s more"


def test_work_after_the_last_row_is_no_further_row(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as drawn:
        with ProgressBar(2) as bar:
            bar.done("a", "read")
            bar.begin("b")
            bar.done("b", "read")
            bar.begin("calibrating")
        rows = drawn()
    assert "2 of 2: b, 50% " in rows and "3 of 2" not in rows
    assert "\rcalibrating, 0 s so far" in rows


def test_a_bar_shows_the_remaining_time_as_soon_as_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known: list[float | None] = [None]
    with ProgressBar(3, lambda: known[0]) as bar:
        bar.done("a", "drawn")
        known[0] = 3675.4
        bar.done("b", "drawn")
        bar.done("c", "drawn")
    lines = [line.removeprefix("wheatstone: ") for line in capsys.readouterr().err.splitlines()]
    assert lines == ["[1/3] a: drawn", "[2/3, about 1 h 1 min more] b: drawn", "[3/3] c: drawn"]
    with terminal(monkeypatch) as drawn:
        with ProgressBar(3, lambda: known[0]) as bar:
            bar.begin("a")
        assert "1 of 3, about 1 h 1 min more: a, 0%" in drawn()


@pytest.mark.opengl
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("render --variant reference --scene-size 400x300 --out a.png", "reference: "),
        ("render --variant cpu --scene-size 160x120 --script steps --out a.png", "line 2: settle"),
        ("compare sgm cpu reference --scene-size 160x120", "reference: "),
    ],
)
def test_verbs_say_how_far_they_are(
    words: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "steps").write_text("key V\nsettle\n")
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "AGAIN", 0.0)
    monkeypatch.setattr(ProgressLine.__init__, "__defaults__", (0.0,))
    with terminal(monkeypatch) as drawn:
        assert main([*words.split(), "--disparities", "32"]) == 0
        shown = drawn()
    assert text in shown and shown.count("\n") <= 4
