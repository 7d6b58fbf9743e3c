"""CUDA's run-time compiler, NVRTC: the one of the major version that CuPy's runtime has.

CuPy takes the newest that it finds. Where CUDA 13 lies beside CUDA 12, code of the newer one does
not load on a driver of CUDA 12.
"""

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path


def load_compiler(major: int) -> None:
    """Load NVRTC of a major version, which CuPy then takes, for it looks at what is loaded first.

    To be called before anything compiles. Where there is no such NVRTC, CuPy looks for another.
    """
    for folder in _folders(major):
        if _load(folder / f"libnvrtc.so.{major}"):
            for builtins in folder.glob(f"libnvrtc-builtins.so.{major}.*"):
                _load(builtins)  # some releases do not look beside themselves
            return
    _load(Path(f"libnvrtc.so.{major}"))  # where the system looks for libraries


def _folders(major: int) -> Iterator[Path]:
    """Yield the folders in which pip's packages of CUDA hold NVRTC."""
    packages = importlib.util.find_spec("nvidia")
    for place in (packages and packages.submodule_search_locations) or ():
        yield Path(place, f"cu{major}", "lib")
        yield Path(place, "cuda_nvrtc", "lib")


def _load(library: Path) -> bool:
    """Load a shared library for all that look its functions up; tell whether it is there."""
    try:
        ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def loaded_from() -> str:
    """Name the file that NVRTC was loaded from; empty if it was not."""
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    files = (line.split(maxsplit=5)[-1] for line in mapped.splitlines())
    return next((file for file in files if Path(file).name.startswith("libnvrtc.so")), "")
