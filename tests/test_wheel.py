"""The wheel holds all that the program needs, and works away from the checkout."""

import ctypes.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path, **environment: str) -> None:
    result = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("build", reason="comes with the extra dev")
    pytest.importorskip("hatchling", reason="comes with the extra dev")
    folder = tmp_path_factory.mktemp("wheel")
    # Without an option for its kind, the wheel is built from the source archive.
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    run(*build, cwd=folder)
    (path,) = folder.glob("wheatstone-*.whl")
    return path


@pytest.fixture(scope="module")
def files(wheel: Path) -> set[PurePosixPath]:
    with zipfile.ZipFile(wheel) as archive:
        return {PurePosixPath(name) for name in archive.namelist()}


@pytest.mark.parametrize("folder", ["viewer", "gpu", "shaders", "assets"])
def test_wheel_holds_every_source_of(folder: str, files: set[PurePosixPath]) -> None:
    sources = {
        "wheatstone" / PurePosixPath(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources
    assert sources <= files


def test_wheel_holds_kernels_and_shaders(files: set[PurePosixPath]) -> None:
    suffixes = {(path.parent.as_posix(), path.suffix) for path in files}
    kernels, shaders = "wheatstone/gpu/kernels", "wheatstone/shaders"
    assert {(kernels, ".cu"), (shaders, ".frag"), (shaders, ".vert")} <= suffixes


def test_wheel_ships_its_types(files: set[PurePosixPath]) -> None:
    assert PurePosixPath("wheatstone/py.typed") in files


def test_wheel_installs_what_desktops_and_man_look_for(files: set[PurePosixPath]) -> None:
    (share,) = {PurePosixPath(*path.parts[:3]) for path in files if ".data" in path.parts[0]}
    unique = {path.relative_to(share).as_posix() for path in files if path.is_relative_to(share)}
    assert (share.parts[1:], unique) == (
        ("data", "share"),
        {
            "man/man1/wheatstone.1",
            "applications/wheatstone.desktop",
            "icons/hicolor/scalable/apps/wheatstone.svg",
            "icons/hicolor/256x256/apps/wheatstone.png",
        },
    )


def test_wheel_holds_nothing_else(files: set[PurePosixPath]) -> None:
    meta = (".dist-info", ".data")
    tops = {path.parts[0] for path in files if not path.parts[0].endswith(meta)}
    assert tops == {"wheatstone"}
    assert not [path for path in files if any(part.startswith(".") for part in path.parts)]
    assert not [path for path in files if "__pycache__" in path.parts]


@pytest.mark.parametrize("command", ["twine check --strict", "check_wheel_contents"])
def test_packages_pass_the_checks_of_a_release(wheel: Path, command: str) -> None:
    module, *options = command.split()
    pytest.importorskip(module, reason="comes with the extra release")
    archives = [wheel] if module == "check_wheel_contents" else [*wheel.parent.iterdir()]
    run(sys.executable, "-m", module, *options, *archives, cwd=ROOT)


@pytest.mark.opengl
def test_installed_wheel_renders(wheel: Path, tmp_path: Path) -> None:
    if ctypes.util.find_library("EGL") is None:
        pytest.skip("libEGL is missing (Debian and Ubuntu: apt-get install libegl1)")
    installed = tmp_path / "installed"
    pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", installed)
    run(*pip, wheel, cwd=tmp_path)

    # -S leaves out the .pth files of site-packages: an editable install sees the checkout by one.
    # Nothing is compiled yet for these files, and sgm would take half a minute.
    program = (sys.executable, "-S", "-m", "wheatstone", "render", "invert")
    options = ("--size", "96x64", "--out", "x.png")
    libraries = [path for path in sys.path if path and Path(path).resolve() != ROOT]
    path = os.pathsep.join([str(installed), *libraries])
    run(*program, *options, cwd=tmp_path, PYTHONPATH=path)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
