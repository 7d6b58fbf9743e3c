"""The program run as others run it: in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import pytest

from wheatstone.viewer.io.sources.scene import painted

ROOT = Path(__file__).resolve().parent.parent


def environment(**more: str) -> dict[str, str]:
    """Variables under which ``python -m wheatstone`` finds this checkout and what tests find."""
    return (
        os.environ
        | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])}
        | more
    )


def descendants(process: int) -> list[int]:
    """List the processes that a process has started, and those that they have."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [each for child in map(int, listed.split()) for each in (child, *descendants(child))]


@contextmanager
def x_server(width: int, height: int, *options: str) -> Iterator[dict[str, str]]:
    """The environment of programs that open a window, on an Xvfb that ends with the block."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24"]
    command += ["-nolisten", "tcp", *options]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    dropped = ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "PYOPENGL_PLATFORM")
    environment = {k: v for k, v in os.environ.items() if k not in dropped}
    try:
        yield environment | {"DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()


@contextmanager
def lean_scenes() -> Iterator[None]:
    """Paint a built-in scene's textures once, compute one frame ahead at most, keep none on disk.

    Else painting takes most of the time to open a scene, and frames that no test looks at most of
    the time after that.
    """
    scene = "wheatstone.viewer.io.sources.scene"
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(f"{scene}.painted", lru_cache(maxsize=16)(painted))
        patches.setattr(f"{scene}.CACHE_BYTES", 0)
        patches.setattr(f"{scene}_cache.LARGEST_KEPT", 0)
        yield
