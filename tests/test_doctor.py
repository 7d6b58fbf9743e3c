"""What ``doctor`` says of a machine, and which of CUDA's compilers is taken."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

from wheatstone.gpu import Unavailable
from wheatstone.gpu.cuda import open_cuda
from wheatstone.gpu.emulation.compiler import gxx_version
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.cli import doctor
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.doctor import ABSENT, BROKEN, FINE, DoctorCheck
from wheatstone.viewer.cli.package_imports import (
    BASE,
    EXTRAS,
    MODULES,
    declared_packages,
    import_packages,
)

ROOT = Path(__file__).resolve().parent.parent
BROKEN_CUPY = r"""
try:
    raise ImportError("libcudart.so.12: cannot open [bold]shared[/] file\nmore")
except ImportError as error:
    said = "\n=====\nFailed to import CuPy.\n[red]Read[/] the manual."
    raise ImportError(said) from error
"""


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wheatstone.gpu.cuda.driver", lambda: object())


@pytest.fixture
def broken_cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: None) -> None:
    (tmp_path / "cupy").mkdir()
    (tmp_path / "cupy" / "__init__.py").write_text(BROKEN_CUPY)
    for name in [name for name in sys.modules if name.split(".")[0] == "cupy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_cupy_that_does_not_load_is_distinguished_from_none(broken_cupy: None) -> None:
    message = "CuPy is installed, but does not load: libcudart.so.12: cannot open"
    with pytest.raises(Unavailable, match=message) as raised:
        open_cuda()
    assert "\n" not in str(raised.value) and "'wheatstone[cuda]'" in str(raised.value)


def test_two_cupys_are_refused_in_one_line(broken_cupy: None, tmp_path: Path) -> None:
    # Neither what an update left nor a package for CuPy is a second CuPy.
    others = ("cupy_cuda12x-14.1.0", "cupy_xarray-0.1.4")
    for name in ("cupy_cuda12x-14.0.0", "cupy_cuda13x-14.0.0", *others):
        (tmp_path / f"{name}.dist-info").mkdir()
    with pytest.raises(Unavailable, match=r"^cupy_cuda12x and cupy_cuda13x exclude each") as raised:
        open_cuda()
    assert "\n" not in str(raised.value)


def test_a_cupy_that_is_not_there_is_reported(
    driver: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.gpu.cuda.importlib.util.find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"^CuPy is not installed; .*'wheatstone\[cuda13\]'"):
        open_cuda()


def test_the_table_has_a_line_and_all_the_rest_stands_below(
    broken_cupy: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("wheatstone.viewer.cli.doctor.open_device", lambda kind: open_cuda())
    monkeypatch.setenv("COLUMNS", "200")
    (gpu,) = doctor._gpu()
    assert gpu.state == ABSENT
    monkeypatch.setattr("wheatstone.viewer.cli.doctor.examine", lambda: [gpu])
    assert main(["doctor"]) == 0
    table, below = capsys.readouterr().out.split("\n\n", 1)
    for words in ("cannot open [bold]shared[/] file", "'wheatstone[cuda]'", "'wheatstone[cuda13]'"):
        assert words in table.replace(" │\n│            │        │ ", " ")
    assert "Failed to import" not in table and "more" not in table
    assert below == "GPU:\n=====\nFailed to import CuPy.\n[red]Read[/] the manual.\n"


def test_what_stands_in_brackets_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [
        DoctorCheck("[red]it", FINE, "pip install 'wheatstone[cuda]' \x1b[31m", "[dim]details")
    ]
    monkeypatch.setattr("wheatstone.viewer.cli.doctor.examine", lambda: listed)
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "[red]it" in printed and "[dim]details" in printed
    assert r"pip install 'wheatstone[cuda]' \x1b[31m" in printed


def test_the_compiler_of_a_major_version_is_taken_whatever_else_is_there() -> None:
    pytest.importorskip("cuda.pathfinder", reason="comes with the extra nvrtc")
    if not find_spec("nvidia.cuda_nvrtc"):
        pytest.skip("the compiler of CUDA 12 is not installed by pip here")
    script = (
        "from cuda.pathfinder import load_nvidia_dynamic_lib\n"
        "from wheatstone.gpu.nvidia import load_compiler, loaded_from\n"
        "before = loaded_from(); load_compiler(11); none = loaded_from(); load_compiler(12)\n"
        "found = load_nvidia_dynamic_lib('nvrtc')\n"
        "print(repr(before + none), loaded_from(), found.abs_path, sep='\\n')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    before, ours, theirs = ran.stdout.splitlines()
    assert before == "''" and ours == theirs
    assert Path(ours).name.startswith("libnvrtc.so.12")


def test_the_compiler_of_kernels_on_the_cpu_is_found_or_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gxx_version.cache_clear()
    compiler = tmp_path / "g++"
    compiler.write_text("#!/bin/sh\necho 99.1.2\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        assert doctor._emulation().state == FINE
        assert doctor._emulation().description.startswith("99.1.2;")
        gxx_version.cache_clear()
        compiler.unlink()
        finding = doctor._emulation()
    finally:
        gxx_version.cache_clear()
    assert finding.state == ABSENT and "apt-get install g++" in finding.description
    assert "`wheatstone kernel`" in finding.description


def test_every_declared_package_is_imported_by_the_name_of_its_module() -> None:
    groups = declared_packages()
    assert {BASE, *EXTRAS} == set(groups)
    names = {name for group in groups.values() for name in group}
    for name in names:
        try:
            modules = {path.parts[0] for path in distribution(name).files or ()}
        except PackageNotFoundError:
            continue
        assert {MODULES.get(name, name), f"{MODULES.get(name, name)}.py"} & modules, name


def test_an_import_that_fails_or_crashes_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (
        ("cv2", "raise ImportError('libGL.so.1: cannot open shared object file: No such file')"),
        ("aiohttp", "raise RuntimeError('of another ABI\\nmore')"),
        ("yaml", "import os; print('noise'); os._exit(9)"),
        ("xxhash", "print('it works')"),
    ):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    ended: list[str] = []
    names = ["opencv-python-headless", "aiohttp", "pyyaml", "xxhash", "there-is-none"]
    results = import_packages(names, ended.append)
    assert [results[name].problem for name in names] == [
        "libGL.so.1: cannot open shared object file: No such file",
        "of another ABI",
        "its import ends Python with exit code 9",
        "",
        "No module named 'there_is_none'",
    ]
    assert ended == ["opencv-python-headless", "aiohttp", "xxhash", "there-is-none"]
    base = doctor.base_check([results["opencv-python-headless"], results["xxhash"]])
    assert base.state == BROKEN and "does not import: libGL.so.1" in base.description
    assert "apt-get install libegl1" in base.description
    serve = doctor.extra_check("serve", [results["aiohttp"]])
    assert serve.state == BROKEN and "--force-reinstall aiohttp" in serve.description
    absent = doctor.extra_check("serve", [results["there-is-none"]])
    assert absent.state == ABSENT and absent.description.endswith(install_command("serve"))
    assert EXTRAS["serve"] in absent.description
    assert doctor.extra_check("x", [results["xxhash"]]).state == FINE


def test_a_package_without_which_nothing_starts_is_named_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "platformdirs.py").write_text("raise ImportError('broken', name='platformdirs')")
    run = subprocess.run(
        [sys.executable, "-m", "wheatstone", "doctor"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'src'}"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 3 and run.stderr.count("\n") == 1
    assert ": broken; install it again with:" in run.stderr


@pytest.mark.parametrize(("display", "state"), [("", ABSENT), (":4093", BROKEN)])
def test_no_display_is_absent_and_one_that_does_not_open_is_broken(
    display: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    finding = doctor.probe("window")
    assert finding.state == state
    assert "`wheatstone serve` shows the window in a browser" in finding.description


@pytest.mark.cuda
def test_the_compiler_is_of_the_runtimes_major_version() -> None:
    from wheatstone.gpu.analysis.environment import check_compiler
    from wheatstone.gpu.cuda import runtime_version

    major = runtime_version().partition(".")[0]
    assert check_compiler().startswith(f"NVRTC {major}.")
