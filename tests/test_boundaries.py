"""The laws that imports can break."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "viewer": {"cupy", "cupyx", "cuda", "numba"},
    "gpu": {"OpenGL", "glfw", "imgui_bundle", "viewer"},
}


@cache
def imports(file: Path) -> frozenset[str]:
    """Packages that a file imports, at any depth of its code; our own without ``wheatstone``."""
    modules = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name.removeprefix("wheatstone.").split(".")[0] for name in modules)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_gl_and_cuda_never_meet(package: str) -> None:
    breaches = {
        str(file.relative_to(ROOT)): result
        for file in (ROOT / package).rglob("*.py")
        if (result := imports(file) & FORBIDDEN[package])
    }
    assert not breaches


def test_only_the_bridge_shares_gl_buffers() -> None:
    users = [f.name for f in (ROOT / "gpu").rglob("*.py") if "GraphicsResource" in f.read_text()]
    assert users == ["interop.py"]


def test_only_one_room_compiles_cuda() -> None:
    users = {f.name for f in (ROOT / "gpu").rglob("*.py") if "RawModule(" in f.read_text()}
    assert users == {"programs.py"}


@pytest.mark.parametrize("package", ["reference", "cpu", "kernels", "pipelines"])
def test_stages_contain_no_timing(package: str) -> None:
    for file in (ROOT / "gpu" / package).rglob("*.py"):
        assert "time" not in imports(file), file
        assert "Event(" not in file.read_text(), file


def test_only_clocks_read_the_time() -> None:
    users = {f.name for f in (ROOT / "gpu").rglob("*.py") if "time" in imports(f)}
    assert users == {"clock.py", "host.py"}


def test_the_command_line_answers_without_heavy_imports() -> None:
    script = (
        "import sys; from wheatstone.viewer.cli import cli; "
        "cli.parse(['render', 'sgm', '--out', 'x.png']);"
        "print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    run = [sys.executable, "-c", script]
    loaded = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"cupy", "cv2", "numba", "OpenGL", "glfw", "imgui_bundle", "PIL", "imageio", "rich"}
    assert not heavy & set(loaded.stdout.split())


@pytest.mark.parametrize("name", ["viewer", "gpu.execution"])
def test_no_module_is_loaded_under_two_names(name: str) -> None:
    with pytest.raises(ImportError, match="wheatstone"):
        __import__(name)


PREPARING = {
    "wheatstone.gpu.execution": ("prepare", "compute"),
    "wheatstone.gpu.bands": ("prepare_in_bands", "BandedExecution"),
}
"""The modules that prepare executions, and the names of what does it."""


def test_only_run_prepares_and_computes() -> None:
    users = set()
    for file in (ROOT / "viewer").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module in PREPARING:
                if {alias.name for alias in node.names} & {*PREPARING[node.module], "*"}:
                    users.add(file.relative_to(ROOT).as_posix())
            elif isinstance(node, ast.Import | ast.ImportFrom):  # the module, under any name
                names = {alias.name for alias in node.names}
                assert not names & PREPARING.keys(), file
                whole = isinstance(node, ast.ImportFrom) and node.module == "wheatstone.gpu"
                assert not (whole and names & {"execution", "bands"}), file
    assert users == {"viewer/run/engine.py"}
