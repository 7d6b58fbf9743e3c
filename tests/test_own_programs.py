"""Programs of the user's as variants of ``sgm``: files in and out, failures, time."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.offscreen_app import keys, running_app
from tests.patience import wait_until
from tests.programs import environment
from tests.test_opencv_sgbm import shifted_pair
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.run.peers.own_peer import peer
from wheatstone.viewer.run.run import Run

MATCH = """
import sys
import cv2, numpy as np
left, right = (cv2.imread(path, cv2.IMREAD_GRAYSCALE) for path in sys.argv[1:3])
disparity = cv2.StereoBM.create(32, 9).compute(left, right)
found = disparity >= 0
values = np.where(found, disparity / 16, np.inf).astype(np.float32)
out = sys.argv[3]
if "pfm" in out: cv2.imwrite(out, values)
elif "png" in out: cv2.imwrite(out, np.where(found, disparity * 16, 0).astype(np.uint16))
else: np.save(out, values)
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs write their records into the current folder."""
    monkeypatch.chdir(tmp_path)


def command(folder: Path, text: str, out: str = "{out}") -> str:
    script = folder / "match.py"
    script.write_text(text)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {{left}} {{right}} {out}"


@pytest.mark.parametrize("out", ["{out}", "{out}.npy", "{out}.pfm", "{out}.png"])
def test_a_program_is_a_variant(tmp_path: Path, out: str) -> None:
    run = Run("sgm", variant=peer(f"cmd:{command(tmp_path, MATCH, out)}"), disparities=32)
    result = run(*shifted_pair(height=60, width=160, disparity=9))
    assert np.nanmedian(result.disparity) == 9
    assert np.isnan(result.disparity[:, :20]).any()


def test_a_verb_takes_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"cmd:{command(tmp_path, MATCH)}"
    words = ("--scene", "garden", "--size", "160x120", "--disparities", "32")
    assert main(["evaluate", "--variant", name, *words]) == 0
    assert "In short" in capsys.readouterr().out


EMPTY = """import sys, numpy
from PIL import Image
numpy.save(sys.argv[3], numpy.full(numpy.shape(Image.open(sys.argv[1]))[:2], numpy.nan))
"""


def test_an_empty_result_of_a_program_is_no_matter_of_its_range(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"cmd:{command(tmp_path, EMPTY)}"
    main(["render", "--variant", name, "--size", "96x64", "--out", "new.png"])
    said = capsys.readouterr().err
    assert "fails on these views" in said and "--disparities" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('no such weights')", "exit code 1: no such weights"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9 (SIGKILL)"),
        ("", "it wrote no file {out}"),
        ("import sys, numpy; numpy.save(sys.argv[3], numpy.zeros((2, 3)))", ": out.npy: must have"),
    ],
)
def test_a_failure_is_told_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    run = Run("sgm", variant=peer(f"cmd:{command(tmp_path, text)}"))
    with pytest.raises(ValueError) as error:
        run(*shifted_pair(48, 64, 3))
    assert message in str(error.value) and "\n" not in str(error.value)
    assert "wheatstone-" not in str(error.value)  # the temporary folder, which is gone


HANGS = "import subprocess; subprocess.run(['sleep', '1000'])"


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    run = Run("sgm", variant=peer(f"cmd:{command(tmp_path, HANGS)}", seconds=0.2))
    with pytest.raises(ValueError, match=r"did not end within 0\.2 s, the time limit of programs"):
        run(*shifted_pair(48, 64, 3))


def test_the_time_limit_is_an_option_of_every_verb_that_the_message_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", "--variant", f"cmd:{command(tmp_path, HANGS)}", "--program-seconds"]
    main([*words, "0.2", "--scene", "garden", "--size", "64x48"])
    said = capsys.readouterr().err
    assert "within 0.2 s, the time limit of programs" in said
    assert "; --program-seconds changes the limit" in said
    with pytest.raises(SystemExit):
        main([*words, "soon"])
    assert "--program-seconds: must be a number" in capsys.readouterr().err


LEAVE = """
import sys, threading, time
from pathlib import Path
import numpy as np
from wheatstone.gpu.peers.command import ExternalProgram
program = ExternalProgram(sys.argv[1], lambda path, shape: np.zeros(shape, np.float32), 1000)
views = (np.zeros((8, 9, 4), np.uint8),) * 2
arguments = *views, np.zeros((8, 9), np.int16), 0
threading.Thread(target=program.match, args=arguments, daemon=True).start()
while not Path(sys.argv[2]).exists(): time.sleep(0.01)
"""


def sleeping(folder: Path) -> tuple[str, Path]:
    """Write a program that sleeps; return its command, and the file for its process number."""
    pid = folder / "pid"
    text = f"""
import os, time
from pathlib import Path
Path({str(folder / "now")!r}).write_text(str(os.getpid()))
os.rename({str(folder / "now")!r}, {str(pid)!r})
time.sleep(1000)
"""
    return command(folder, text), pid


def has_ended(pid: Path) -> bool:
    return not Path(f"/proc/{pid.read_text()}/cwd").exists()


def test_a_program_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    text, pid = sleeping(tmp_path)
    words = [sys.executable, "-c", LEAVE, text, str(pid)]
    subprocess.run(words, check=True, env=environment(), timeout=60)
    wait_until(lambda: has_ended(pid))


@pytest.mark.opengl
def test_escape_ends_a_program(tmp_path: Path, offscreen: OffscreenContext) -> None:
    text, pid = sleeping(tmp_path)
    words = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--fresh")
    with running_app(*words, "--variant", peer(f"cmd:{text}"), first=False) as app:
        wait_until(lambda: pid.exists() and app.waiting.notice, app.step)
        keys(app, "Esc")
        wait_until(lambda: has_ended(pid), app.step)
        wait_until(lambda: not app.session.worker.running, app.step)
        assert "cancelled" in app.state.message


@pytest.mark.parametrize(
    "name", ["cmd:prog {left} {right}", "cmd:", "cmd:prog '{left} {right} {out}"]
)
def test_an_incomplete_command_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--variant", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("program", ["no-such-program", "/tmp", "./match.py"])
def test_a_program_that_does_not_exist_is_named_before_anything_is_computed(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("match.py").write_text("")  # not executable
    assert main(["evaluate", "--variant", f"cmd:{program} {{left}} {{right}} {{out}}"]) == 2
    said = capsys.readouterr().err
    assert f"no such program, or not executable: {program}" in said and said.count("\n") == 1


def test_a_program_that_the_system_cannot_start_is_named(tmp_path: Path) -> None:
    script = tmp_path / "match"
    script.write_bytes(b"\x7fELF, but no program")
    script.chmod(0o755)
    run = Run("sgm", variant=peer(f"cmd:{script} {{left}} {{right}} {{out}}"))
    with pytest.raises(OSError, match="match does not start: Exec format error"):
        run(*shifted_pair(48, 64, 3))
