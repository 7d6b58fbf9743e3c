"""The import of all packages that the program and its extras need, in a separate process."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata

from wheatstone.gpu.installation import NAME, first_line, this_installation

MODULES = {
    "cuda-bindings": "cuda.bindings",
    "cuda-core": "cuda.core",
    "imgui-bundle": "imgui_bundle",
    "opencv-python-headless": "cv2",
    "pi-heif": "pi_heif",
    "pillow": "PIL",
    "pyopengl": "OpenGL",
    "pyyaml": "yaml",
    "tomli-w": "tomli_w",
}
"""Modules of packages that have another name."""
EXTRAS = {
    "serve": "the window in a browser",
    "notebook": "the window in a notebook cell",
    "video": "videos, cameras, streams and films",
    "heif": "HEIC pictures of phones",
    "bags": "recordings of robots: ROS 1, ROS 2 and MCAP",
    "models": "stereo networks in ONNX files",
    "hdf5": "the ground truth of the data set Spring",
    "cluster": "computation of pairs on many machines",
}
"""The purposes of the extras that need no GPU."""
BASE = ""
"""The group of the packages that every installation has."""
UNCHECKED = ("all", "cuda", "cuda13", "nvrtc", "dev", "docs", "plots", "release", "test")
"""Extras that others contain, that developers need, or that ``doctor`` checks in another way."""
REQUIREMENT = re.compile(r"([\w.-]+)[^;]*?(?:;(.*))?")
EXTRA = re.compile(r"extra == ['\"](\w+)['\"]")


@dataclass(frozen=True)
class PackageImport:
    """The result of importing a package.

    Attributes:
        package: its name for pip.
        version: empty if it is not installed.
        problem: why its import fails; empty if it succeeds.
    """

    package: str
    version: str
    problem: str

    def __str__(self) -> str:
        """Format the package's name with its version or problem."""
        if self.problem and not self.version:
            return f"{self.package} is not installed"
        if self.problem:
            return f"{self.package} {self.version} does not import: {self.problem}"
        return f"{self.package} {self.version}"

    def remedy(self) -> str:
        """Return the command that installs the package, again if necessary."""
        again = "--force-reinstall" if self.version else ""
        return this_installation().command(self.package, again)


def declared_packages() -> dict[str, list[str]]:
    """Return the required packages by extra; those without an extra under ``BASE``."""
    groups: dict[str, list[str]] = {}
    for line in metadata.requires(NAME) or ():
        if match := REQUIREMENT.fullmatch(line):
            extra = EXTRA.search(match[2] or "")
            groups.setdefault(extra[1] if extra else BASE, []).append(match[1].lower())
    return {name: each for name, each in groups.items() if name not in UNCHECKED}


def import_packages(
    names: Sequence[str], progress: Callable[[str], None] = lambda text: None
) -> Mapping[str, PackageImport]:
    """Import packages in another process, which may crash; return the results by name.

    Args:
        names: of the packages, for pip.
        progress: receives the name of each package once its import has ended.
    """
    results: dict[str, PackageImport] = {}
    while waiting := [name for name in names if name not in results]:
        command = [sys.executable, "-m", __spec__.name, *waiting]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                name, problem = json.loads(line)
                results[name] = PackageImport(name, _version(name), problem)
                progress(name)
        crashed = next((name for name in waiting if name not in results), None)
        if crashed:
            problem = f"its import ends Python with exit code {process.returncode}"
            results[crashed] = PackageImport(crashed, _version(crashed), problem)
    return results


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _problem(name: str) -> str:
    """Import a package; return the first line of its error, empty if it succeeds."""
    try:
        import_module(MODULES.get(name, name.replace("-", "_")))
    except Exception as error:  # whatever a broken package raises
        return first_line(error)
    return ""


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # packages may print while they are imported
    for package in sys.argv[1:]:
        print(json.dumps([package, _problem(package)]), file=answers, flush=True)
