"""A remedy fits the way in which the program was installed."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from wheatstone.gpu.installation import Installation, as_root, install_command, this_installation

ROOT = Path(__file__).resolve().parent.parent
VENV = Installation(
    Path("/opt/my env"), Path("/opt/my env/bin/python"), True, False, True, True, False, ""
)
SYSTEM = replace(
    VENV, prefix=Path("/usr"), python=Path("/usr/bin/python3"), isolated=False, managed=True
)
SERVE = "'wheatstone[serve]'"
FROM_CHECKOUT = "'wheatstone[serve] @ file:///checkout'"
INTO_NEW = "python3 -m venv ~/wheatstone-venv && ~/wheatstone-venv/bin/pip install"


@pytest.mark.parametrize(
    ("installation", "command"),
    [
        (VENV, f"'/opt/my env/bin/python' -m pip install {SERVE}"),
        (replace(VENV, has_pip=False, has_uv=True), f"uv pip install -p '/opt/my env' {SERVE}"),
        (
            replace(VENV, has_pip=False),
            "'/opt/my env/bin/python' -m ensurepip && "
            f"'/opt/my env/bin/python' -m pip install {SERVE}",
        ),
        (replace(SYSTEM, managed=False), f"/usr/bin/python3 -m pip install {SERVE}"),
        (SYSTEM, f"{INTO_NEW} {SERVE}"),
        (replace(SYSTEM, source="file:///checkout"), f"{INTO_NEW} {FROM_CHECKOUT}"),
        (
            replace(SYSTEM, managed=False, has_pip=False, has_venv=False),
            f"{as_root('apt install python3-venv')} && {INTO_NEW} {SERVE}",
        ),
        (
            replace(
                VENV, prefix=Path("/opt/cache/uv/archive-v0/x"), source="git+https://host/w.git"
            ),
            "uvx --from 'wheatstone[serve] @ git+https://host/w.git' wheatstone",
        ),
    ],
)
def test_the_command_fits(installation: Installation, command: str) -> None:
    assert installation.command("wheatstone[serve]") == command


@pytest.mark.parametrize(
    ("user", "sudo", "command"),
    [(0, True, "apt x"), (1000, True, "sudo apt x"), (1000, False, "su - -c 'apt x'")],
)
def test_root_needs_no_sudo_and_others_can_do_without(
    user: int, sudo: bool, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setenv("PATH", str(tmp_path))
    if sudo:
        (tmp_path / "sudo").touch(0o755)
    assert as_root("apt x") == command


def test_pipx_is_recognised_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "pipx_metadata.json").write_text("{}")
    made = replace(VENV, prefix=tmp_path, has_pip=False)
    assert made.command("wheatstone[serve]") == f"pipx runpip wheatstone install {SERVE}"


def test_a_package_of_its_own_needs_the_program_in_a_new_environment() -> None:
    assert (
        replace(SYSTEM, source="file:///checkout")
        .command("imgui-bundle")
        .endswith("/pip install 'wheatstone @ file:///checkout'")
    )


def test_a_virtual_environment_without_pip_is_described(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "v"], check=True)
    script = "from wheatstone.gpu.installation import *; print(this_installation())"
    run = subprocess.run(
        [tmp_path / "v" / "bin" / "python", "-c", script],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = Installation(
        tmp_path / "v",
        tmp_path / "v" / "bin" / "python",
        isolated=True,
        managed=this_installation().managed,
        has_pip=False,
        has_venv=True,
        has_uv=False,
        source=ROOT.as_uri(),
    )
    assert run.stdout.strip() == str(expected)


def test_the_command_works_with_the_python_that_runs() -> None:
    assert install_command("serve") == this_installation().command("wheatstone[serve]")
    assert re.search(r"'wheatstone\[serve\]( @ [^']+)?'", install_command("serve"))


def test_no_message_names_a_fixed_command() -> None:
    fixed = re.compile(r"pip install '?wheatstone")
    files = [path for name in ("viewer", "gpu", "src") for path in (ROOT / name).rglob("*.py")]
    assert [str(path) for path in files if fixed.search(path.read_text())] == []
