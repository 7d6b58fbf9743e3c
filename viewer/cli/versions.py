"""``wheatstone --version --verbose``: print the versions to include in an error report."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.doctor import examine
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.resources import ROOT

PACKAGES = (
    *("numpy", "numba", "llvmlite", "opencv-python-headless", "pillow", "imageio", "PyOpenGL"),
    *(
        "glfw",
        "imgui-bundle",
        "rich",
        "matplotlib",
        "av",
        "aiohttp",
        "cupy-cuda12x",
        "cupy-cuda13x",
        "cuda-bindings",
    ),
)
EXAMINED = ("CPU", "GPU", "CUDA compiler", "render", "view")  # of what ``doctor`` finds
_NAME = re.compile(r"[\w.-]+")


def version_lines() -> Iterator[str]:
    """Yield lines with the versions of the program and its dependencies, and their size on disk."""
    yield f"wheatstone {VERSION} in {ROOT}"
    yield f"Python {platform.python_version()} on {platform.platform()}"
    yield ", ".join(f"{name} {version}" for name in PACKAGES if (version := _version(name)))
    for one in examine():
        if one.name in EXAMINED:
            yield f"{one.name}: {one_line(one.description)}"
    sizes = dict(sorted(installed_sizes().items(), key=lambda item: -item[1]))
    largest = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in list(sizes.items())[:4])
    yield f"installed: {sum(sizes.values()) / 1e6:.0f} MB in {len(sizes)} packages ({largest})"


def _version(name: str) -> str:
    package = _distribution(name)
    return package.version if package else ""


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def installed_sizes() -> dict[str, int]:
    """Return the bytes on disk of the program and of all required packages, by name.

    Packages of extras count if they are installed.
    """
    sizes: dict[str, int] = {}
    waiting = ["wheatstone", *PACKAGES]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        package = None if name in sizes else _distribution(name)
        if package:
            paths = [Path(str(path.locate())) for path in package.files or ()]
            sizes[name] = sum(path.stat().st_size for path in paths if path.is_file())
            needs = [one for one in package.requires or () if "extra ==" not in one]
            waiting += [match[0] for one in needs if (match := _NAME.match(one))]
    return sizes
