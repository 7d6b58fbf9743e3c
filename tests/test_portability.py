"""The program needs Linux only where it must: the places are few, and known."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for name in ("viewer", "gpu") for path in (ROOT / name).rglob("*.py")]
SOURCES += (ROOT / "src" / "wheatstone").glob("*.py")
LINUX_ONLY = {"fcntl", "pty", "resource", "termios", "tty", "syslog"}
PLACES = {
    r"eglGetProcAddress|\begl\w*\(": {"viewer/display/screen/offscreen.py"},
    r"\bioctl\(": {"viewer/io/footage/cameras.py"},
    r"\bflock\(|\blockf\(": {"viewer/io/files/locks.py"},
    r"\bkillpg\(": {"gpu/interruption.py"},
    r'signal.SIGHUP|"SIGHUP"': {"viewer/cli/signals.py"},
    r"pthread_sigmask": {"viewer/run/jobs/processes.py"},
    r"signal\.signal\(": {
        "viewer/cli/signals.py",  # of the program
        "viewer/run/jobs/processes.py",  # of a worker, which ends without a word
        "viewer/run/kernels/grading.py",  # of a process that grades, which ends its kernels
    },
}
"""Uses of the system, and the only files with them."""
FAKED = """
import json, os, pkgutil, signal, sys
from importlib import import_module
{packages}
for name in {modules!r}:
    sys.modules[name] = None
for place, names in ((signal, {signals!r}), (os, {calls!r})):
    for name in names:
        if hasattr(place, name):
            delattr(place, name)
import wheatstone
failed = {{}}
for module in pkgutil.walk_packages(wheatstone.__path__, "wheatstone."):
    if not module.name.endswith("__main__"):
        try:
            import_module(module.name)
        except (AttributeError, ImportError) as error:
            failed[module.name] = str(error)
import numpy as np
pair = wheatstone.open(*np.random.default_rng(1).integers(0, 256, (2, 24, 40), np.uint8))
computed = wheatstone.Run("invert", variant="reference")(pair)
print(json.dumps([failed, type(computed).__name__]))
"""
SIGNALS = (
    *("SIGHUP", "SIGKILL", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGPIPE", "SIGCONT", "SIGTSTP"),
    *("alarm", "pthread_sigmask", "SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK"),
)
CALLS = (
    *("fork", "killpg", "setsid", "getpgid", "sched_getaffinity", "memfd_create", "mkfifo"),
    *("sysconf", "statvfs", "uname", "fchmod", "pread", "pwrite", "posix_fadvise", "sendfile"),
    *("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_NOFOLLOW", "O_DIRECTORY"),
)
"""Names of ``signal`` and ``os`` that Windows lacks, as macOS lacks some of them."""
FIRST = (
    *("numpy", "cv2", "numba", "matplotlib.pyplot", "PIL.Image", "imageio", "rich.console", "h5py"),
    *("platformdirs", "OpenGL", "imgui_bundle", "glfw", "aiohttp", "distributed", "IPython"),
    *("anywidget", "onnxruntime", "av", "asyncio", "multiprocessing", "subprocess", "webbrowser"),
)
"""Packages that are imported before the platform is faked: they have their own ways there."""


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that an import executes: those outside of functions."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from at_import(node)


def test_modules_of_linux_are_imported_by_the_functions_that_need_them() -> None:
    breaches = []
    for path in SOURCES:
        for node in at_import(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if LINUX_ONLY & {name.split(".")[0] for name in names}:
                breaches.append(f"{path.relative_to(ROOT)}: {names}")
    assert breaches == []


@pytest.mark.parametrize("pattern", PLACES)
def test_what_depends_on_the_system_has_its_place(pattern: str) -> None:
    used = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        if re.search(pattern, path.read_text())
    }
    assert used == PLACES[pattern]


def test_every_module_can_be_imported_on_another_system() -> None:
    packages = [
        f"try: import {name}\nexcept ImportError: pass" for name in FIRST
    ]  # those of extras may be missing
    script = FAKED.format(
        packages="\n".join(packages), modules=LINUX_ONLY, signals=SIGNALS, calls=CALLS
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    failed, result = json.loads(run.stdout.splitlines()[-1])
    assert failed == {}, f"the first that would fail elsewhere: {next(iter(failed.items()))}"
    assert result == "Result"
