"""CUDA's run-time compiler, NVRTC: the one of the major version that CuPy's runtime has.

CUDA's Python bindings take the newest that they find. Where CUDA 13 lies beside CUDA 12, code of
the newer one does not load on a driver of CUDA 12.
"""

import ctypes
import importlib.util
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from wheatstone.gpu import Unavailable

HOW_TO_INSTALL_COMPILER = (
    "install the compiler with: pip install 'wheatstone[cuda]' (CUDA 12) or 'wheatstone[cuda13]'"
)


def load_compiler(major: int) -> None:
    """Load NVRTC of a major version, which CUDA's bindings then take, for they look there first.

    To be called before anything compiles. Where there is no such NVRTC, another is looked for.
    """
    for file in _files(major):
        if _load(file):
            for builtins in file.parent.glob(f"libnvrtc-builtins.so.{major}.*"):
                _load(builtins)  # some releases do not look beside themselves
            return
    _load(Path(f"libnvrtc.so.{major}"))  # where the system looks for libraries


@cache
def compiler_state(major: int) -> str:
    """Tell the compiler of a major version from every other state of it, without loading it.

    Only where it is not among pip's packages it is loaded, and its version counts.

    Raises:
        Unavailable: there is none.
    """
    for file in _files(major):
        if file.is_file():
            found = file.stat()
            return f"nvrtc{major}-{found.st_size:x}-{found.st_mtime_ns:x}"
    return "nvrtc" + ".".join(map(str, compiler_version(major)))


def compiler_version(major: int) -> tuple[int, int]:
    """Ask the compiler for its version, major and minor.

    Raises:
        Unavailable: there is none.
    """
    _, found, minor = _bindings(major).nvrtcVersion()
    return int(found), int(minor)


def compiled(
    name: str, text: str, options: Sequence[str], capability: int, major: int
) -> tuple[bytes, str]:
    """Compile CUDA for a GPU.

    Args:
        name: of the file, for messages.
        options: without the architecture.
        capability: compute capability of the GPU, times 10. If this compiler does not know it, the
            driver finishes what is made for the newest that it knows.
        major: which CUDA.

    Returns:
        What the driver loads, and whether that is a ``cubin`` or ``ptx``.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
        Unavailable: there is no compiler.
    """
    nvrtc = _bindings(major)
    *_, known = nvrtc.nvrtcGetSupportedArchs()
    target = max((each for each in known if each <= capability), default=capability)
    kind, at = ("cubin", "sm") if target == capability else ("ptx", "compute")
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])
    try:
        words = [each.encode() for each in (*options, f"-arch={at}_{target}")]
        (result,) = nvrtc.nvrtcCompileProgram(program, len(words), words)
        if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
            nvrtc.nvrtcGetProgramLog(program, log)
            why = log.rstrip(b"\0").decode().strip()
            raise RuntimeError(f"{name} does not compile: {why}")
        code = bytes(getattr(nvrtc, f"nvrtcGet{kind.upper()}Size")(program)[1])
        getattr(nvrtc, f"nvrtcGet{kind.upper()}")(program, code)
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return code, kind


@cache
def _bindings(major: int) -> Any:
    """Import NVIDIA's bindings, with the compiler of a major version.

    Raises:
        Unavailable: bindings or compiler are missing.
    """
    load_compiler(major)
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise Unavailable(
            f"CUDA's run-time compiler is missing ({why}); {HOW_TO_INSTALL_COMPILER}"
        ) from error
    return nvrtc


def _files(major: int) -> Iterator[Path]:
    """Yield the files that may be NVRTC, in the folders of pip's packages of CUDA."""
    packages = importlib.util.find_spec("nvidia")
    for place in (packages and packages.submodule_search_locations) or ():
        yield Path(place, f"cu{major}", "lib", f"libnvrtc.so.{major}")
        yield Path(place, "cuda_nvrtc", "lib", f"libnvrtc.so.{major}")


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
