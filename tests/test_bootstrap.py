"""A bare machine gets one list of everything missing and one question; long work shows progress."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = (
    "sh",
    "dirname",
    "tr",
    "sed",
    "cat",
    "cksum",
    "head",
    "sort",
    "date",
    "sleep",
    "rm",
    "du",
    "cut",
)
APT = """case "$*" in
*--assume-no*) echo "After this operation, 229 MB of additional disk space will be used." ;;
*) echo "$*" >>"$LOG" ;;
esac"""
PYTHON = """case "$*" in
*sys.version_info*|*ensurepip*) exit 1 ;;
--version) echo "Python 3.9.9" ;;
esac"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A Debian without the program's libraries and without a new Python, used by no root."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "tools").mkdir()
    for script in ("bootstrap.sh", "announced.sh"):
        shutil.copy(ROOT / "tools" / script, tmp_path / "tools")
    (tmp_path / "pyproject.toml").touch()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    for name, text in {
        "id": "echo 1000",
        "dpkg-query": "exit 1",
        "apt-get": APT,
        "python3": PYTHON,
        "env": 'for word; do shift; case $word in *=*) ;; *) exec "$word" "$@" ;; esac; done',
        "sudo": 'case $1 in -n) exit 1 ;; *) echo sudo >>"$LOG"; "$@" ;; esac',
    }.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!{shutil.which('sh')}\n{text}\n")
        program.chmod(0o755)
    return tmp_path


def bootstrap(
    machine: Path, stdin: int | None = None, profile: str = "run", **environment: str
) -> tuple[int, str, list[str]]:
    """Run it; return its exit code, its messages, and what apt and sudo were asked for."""
    log = machine / "log"
    run = subprocess.run(
        [str(shutil.which("sh")), machine / "tools" / "bootstrap.sh", profile],
        env={"PATH": str(machine / "bin"), "LOG": str(log)} | environment,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stderr, log.read_text().splitlines() if log.exists() else []


def test_everything_missing_is_one_line_that_says_its_size(machine: Path) -> None:
    code, messages, asked = bootstrap(machine)
    assert code == 1 and asked == []
    assert messages.count("sudo apt-get install") == 1
    (line,) = [line for line in messages.splitlines() if "sudo apt-get install" in line]
    for package in ("python3 ", "python3-venv", "libegl1", "libgl1 ", "libxi6"):
        assert package in line + " "
    assert "missing, to be installed with apt (229 MB):" in messages
    assert "Python 3.11 or newer is needed" in messages and "Python 3.9.9" in messages


def test_without_sudo_the_line_to_run_needs_none(machine: Path) -> None:
    (machine / "bin" / "sudo").unlink()
    code, messages, asked = bootstrap(machine)
    assert code == 1 and asked == [] and "sudo" not in messages
    assert "Run:  su - -c 'apt-get install --no-install-recommends python3 " in messages


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_user_with_sudo_is_asked_once(machine: Path, answer: str) -> None:
    try:
        ours, theirs = os.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo terminal: {error}")
    os.write(ours, f"{answer}\n".encode())
    try:
        code, messages, asked = bootstrap(machine, theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert code == 1 and messages.count("[Y/n]") == 1
    assert asked.count("sudo") == (answer == "y")
    installed = [line for line in asked if " install -y " in f"{line} "]
    assert len(installed) == (answer == "y")
    assert all("python3-venv" in line and "libegl1" in line for line in installed)


def test_an_extra_that_cannot_be_installed_leaves_out_its_tests_only(machine: Path) -> None:
    python = machine / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    pip = 'case "$*" in *docs*) exit 1 ;; *install*) echo "$*" >>"$LOG" ;; esac'
    python.write_text(f"#!{shutil.which('sh')}\n{pip}\n")
    python.chmod(0o755)
    code, messages, asked = bootstrap(machine, profile="test", PYTHON=sys.executable)
    assert code == 0 and "not every extra can be installed here" in messages
    (installed,) = asked
    assert re.fullmatch(r"-m pip install --editable \.\[test,dev,(nvrtc|cuda|cuda13)\]", installed)


def test_a_command_keeps_its_output_and_exit_code() -> None:
    script = "import sys; print('done'); sys.exit(7)"
    announced = [str(shutil.which("sh")), str(ROOT / "tools" / "announced.sh"), "waiting"]
    run = subprocess.run([*announced, sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (7, "done\n")


@pytest.mark.parametrize("profile", [None, 'PATH="$HOME/.local/bin:$PATH"'])
def test_make_install_says_how_the_command_gets_into_path(
    profile: str | None, tmp_path: Path
) -> None:
    if not (make := shutil.which("make")):
        pytest.skip("make is missing")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "bootstrap.sh").touch()  # nothing is missing
    if profile:
        (tmp_path / ".profile").write_text(profile)
    folders = os.environ["PATH"]
    for path, warned in ((folders, True), (f"{tmp_path}/.local/bin:{folders}", False)):
        environment = {"HOME": str(tmp_path), "PATH": path}
        run = subprocess.run(
            [make, "install"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        assert (tmp_path / ".local/bin/wheatstone").readlink() == tmp_path / ".venv/bin/wheatstone"
        assert ("export PATH=" in run.stdout) is warned
        assert ("next login" in run.stdout) is (warned and profile is not None)
