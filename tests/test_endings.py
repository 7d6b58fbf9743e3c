"""How the program ends: closed and full outputs, signals; it leaves no half a file behind."""

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import wheatstone.__main__
from tests.patience import wait_until
from tests.programs import descendants, environment
from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.viewer.io.files.film import write_film
from wheatstone.viewer.io.files.journal import Journal
from wheatstone.viewer.io.files.output import UNFINISHED, remove_unfinished, whole_file
from wheatstone.viewer.io.files.values import write_values
from wheatstone.viewer.run.measuring.result_files import write_json
from wheatstone.viewer.settings.screenshot import write_screenshot

pytestmark = pytest.mark.usefixtures("heeded_signals")
ROOT = Path(__file__).resolve().parent.parent
BENCH = ("bench", "mean", "--variants", "cpu", "--size", "64x48", "--repeat", "2")
MANY = tuple(str(radius) for radius in range(1, 8))
LONG = ("bench", "mean", "--repeat", "1000000", "--seconds", "1", "--radius", *MANY)
SMALLEST = 16  # bytes that a process may write where its disk is full
NOISE = np.random.default_rng(3).integers(0, 256, (64, 80, 3), np.uint8)


def shell(line: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, in which ``"$@"`` is the program with words; wait until it ends."""
    program = [sys.executable, "-m", "wheatstone", *words]
    return subprocess.run(
        ["bash", "-c", line, "bash", *program],
        env=environment(PYTHONUNBUFFERED=""),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("words", [BENCH, ("--help",)])
def test_output_that_nobody_reads_is_no_error(words: Sequence[str]) -> None:
    ended = shell('"$@" | true; echo "${PIPESTATUS[0]}"', *words)
    assert ended.stdout == "141\n", ended.stderr
    assert "Traceback" not in ended.stderr and "Exception" not in ended.stderr


class Pressed:
    """A finder of modules that finds none; Ctrl+C is pressed where one is looked for."""

    def find_spec(self, name: str, *_: object) -> None:
        raise KeyboardInterrupt


def test_ctrl_c_while_the_program_loads_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "wheatstone.viewer.cli.cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Pressed(), *sys.meta_path])
    assert wheatstone.__main__.main() == 130


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_change_nothing(closed: str, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    ended = shell(f'"$@" {closed}', *BENCH, "--json", str(path))
    assert ended.returncode == 0, ended.stderr
    rows = re.findall(r"^wheatstone: \[", ended.stderr, re.M)  # a line may tell of compiling
    assert len(rows) == (2 if closed == ">&-" else 0)
    assert path.read_text().startswith("{")


def test_what_full_outputs_lose_is_reported_where_it_can_be() -> None:
    ended = shell('"$@" >/dev/full', *BENCH)
    assert ended.returncode == 2
    assert ended.stderr.endswith(
        "wheatstone: standard output cannot be written to (No space left on device)\n"
    )
    assert shell('"$@" 2>/dev/full', *BENCH).returncode == 0
    assert shell('"$@" 2>/dev/full', "render", "absent.png", "--out", "a.png").returncode == 2


def test_a_signal_ends_a_run_as_ctrl_c_does(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    with started(*LONG, "--json", str(path)) as run:
        assert run.stderr and b"reference" in run.stderr.readline()  # the first row is measured
        run.send_signal(signal.SIGTERM)
        _, output = run.communicate(timeout=60)
    assert run.returncode == 143
    assert b"the same command continues" in output and b"Traceback" not in output
    assert [file.name for file in tmp_path.iterdir()] == ["b.json.part"]


def started(*words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "wheatstone", *words],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_nohup_outlives_its_terminal() -> None:
    line = "trap '' HUP; \"$@\" & p=$!; sleep 2; kill -HUP $p; kill -TERM $p; wait $p"
    assert shell(line, *LONG).returncode == 143


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are listed in /proc")
def test_the_processes_of_evaluate_end_with_it(tmp_path: Path) -> None:
    words = ("--variant", "reference", "--scene", "orbit", "basket", "--size", "1280x960")
    state = tmp_path / "state.jsonl"
    with started("evaluate", *words, "--processes", "2", "--state", str(state)) as run:
        # Two that compute, the one that they are forks of, and one that tracks what they share.
        wait_until(lambda: len(descendants(run.pid)) >= 4)
        children = descendants(run.pid)
        begun = time.monotonic()
        run.send_signal(signal.SIGHUP)
        run.communicate(timeout=60)
    assert run.returncode == 129
    assert time.monotonic() - begun < 20  # a pair takes longer
    wait_until(lambda: not any(Path(f"/proc/{child}/fd").is_dir() for child in children))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_in_a_destructor_ends_the_program(number: signal.Signals) -> None:
    script = (
        "import os, sys, time\n"
        "from wheatstone.viewer.cli.signals import raised_signals\n"
        "class Dropped:\n"
        "    def __del__(self): os.kill(os.getpid(), int(sys.argv[1])); time.sleep(0.01)\n"
        "with raised_signals():\n"
        "    try: Dropped(); time.sleep(60)\n"
        "    except KeyboardInterrupt as raised: print(raised)\n"
    )
    command = [sys.executable, "-c", script, str(number.value)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert ended.stdout.strip() == ("" if number == signal.SIGINT else f"ended by {number.name}")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_no_temporary_file(number: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from wheatstone.viewer.cli.signals import raised_signals\n"
        "from wheatstone.viewer.io.files.output import whole_file\n"
        "with raised_signals(), whole_file(Path(sys.argv[1])) as unfinished:\n"
        "    unfinished.write_text('half'); print(flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "a.txt")]
    with subprocess.Popen(command, cwd=ROOT, stdout=-1, stderr=-1) as run:
        assert run.stdout and run.stdout.readline() == b"\n"
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.name.startswith(UNFINISHED) and unfinished.suffix == ".txt"
        run.send_signal(number)
        run.communicate(timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_deleted_and_what_is_being_written_is_not(
    tmp_path: Path,
) -> None:
    killed, within = tmp_path / f"{UNFINISHED}killed.json", tmp_path / "pictures"
    within.mkdir()
    (within / f"{UNFINISHED}too.png").touch()
    (tmp_path / f"{UNFINISHED}folder").mkdir()
    killed.touch()
    with whole_file(within / "a.txt") as unfinished:
        remove_unfinished((tmp_path, within, tmp_path / "absent"))
        assert list(within.iterdir()) == [unfinished] and not killed.exists()
    assert [path.name for path in within.iterdir()] == ["a.txt"]


def film(path: Path) -> None:
    pytest.importorskip("av", reason="comes with the extra video")
    write_film(path, iter([NOISE] * 3), 24.0)


def journal(path: Path) -> None:
    Journal(path, "toy", 1, "toy").add("key", "outcome " * 4)


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.png": lambda path: write_screenshot(path, NOISE, {"wheatstone": "1"}),
    "a.npy": lambda path: write_values(path, NOISE[..., 0], MEAN.images[-1], MEAN.params()),
    "a.tiff": lambda path: write_values(path, NOISE[..., 0], MEAN.images[-1], MEAN.params()),
    "a.pfm": lambda path: write_values(path, NOISE[..., 0], MEAN.images[-1], MEAN.params()),
    "v.png": lambda path: write_values(path, NOISE[..., 0], MEAN.images[-1], MEAN.params()),
    "a.json": lambda path: write_json(path, {"numbers": list(range(99))}),
    "a.mp4": film,
    "a.jsonl": journal,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_named_and_left_clean(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALLEST, limit[1]))  # Python ignores SIGXFSZ
        with pytest.raises(OSError, match="cannot be written") as raised:
            WRITERS[name](path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert str(raised.value).startswith(f"{path}: cannot be written (File too large); choose ")
    assert list(tmp_path.iterdir()) == []


def test_a_journal_keeps_what_it_had_when_the_disk_fills(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    journal(path)
    before = path.read_bytes()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + SMALLEST, limit[1]))
        with pytest.raises(OSError, match="cannot be written"):
            journal(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert path.read_bytes() == before


def test_errors_of_other_files_keep_their_names(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="other"):
        with whole_file(tmp_path / "a.txt"):
            (tmp_path / "other").read_text()
    with pytest.raises(OSError, match=r"^a message$"):
        with whole_file(tmp_path / "a.txt"):
            raise OSError("a message")
    long = tmp_path / f"{'n' * 300}.txt"
    with pytest.raises(OSError, match=r"nnn\.txt: cannot be written"):
        with whole_file(long):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "new.npy") as temporary:
            temporary.write_bytes(b"values")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.npy").stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["new.npy"]
