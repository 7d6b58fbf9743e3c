"""Load NVIDIA's driver, and its run-time compiler NVRTC, before CuPy is imported.

NVRTC must be of the same major version as CuPy's runtime. CUDA's Python bindings load the newest
one installed. Where CUDA 12 and CUDA 13 are installed, code of the newer one does not load on a
driver of CUDA 12.
"""

import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from ctypes import byref, c_int, c_void_p
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import how_to_install_cuda

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


@cache
def driver() -> ctypes.CDLL | None:
    """Load the library of NVIDIA's driver; None if it is not installed."""
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        return None


def spoken_version() -> int:
    """Return the CUDA version that the driver supports (12030 is 12.3); 0 without a driver."""
    version, library = c_int(), driver()
    if library:
        library.cuDriverGetVersion(byref(version))
    return version.value


def wake_gpu() -> Thread:
    """Start a thread that initialises the driver and the first GPU; return the thread.

    That takes some tenths of a second, during which Python runs. The code that opens the GPU then
    waits only for the rest. Without a GPU, nothing happens.
    """
    thread = Thread(target=_begin_work, name="driver")  # Python waits for it before it ends
    thread.start()
    return thread


def _begin_work() -> None:
    """Create the primary context of the first GPU, which CUDA's runtime will use."""
    library, device, context = driver(), c_int(), c_void_p()
    if library and library.cuInit(0) == 0 and library.cuDeviceGet(byref(device), 0) == 0:
        library.cuDevicePrimaryCtxRetain(byref(context), device)


def how_to_install_compiler() -> str:
    """Return the command that installs CUDA's run-time compiler."""
    return f"install the compiler with: {how_to_install_cuda()}"


def load_compiler(major: int) -> None:
    """Load NVRTC of a major version, so that CUDA's bindings use that one.

    Call this before anything compiles. If that NVRTC is missing, the bindings look for another.
    """
    for file in _files(major):
        if _load(file):
            for builtins in file.parent.glob(f"libnvrtc-builtins.so.{major}.*"):
                _load(builtins)  # some releases do not look beside themselves
            return
    _load(Path(f"libnvrtc.so.{major}"))  # where the system looks for libraries


@cache
def compiler_state(major: int) -> str:
    """Return an identifier of the installed compiler of a major version.

    The compiler is loaded, to use its version, only if it is not among pip's packages.

    Raises:
        Unavailable: there is no compiler.
    """
    for file in _files(major):
        if file.is_file():
            status = file.stat()
            return f"nvrtc{major}-{status.st_size:x}-{status.st_mtime_ns:x}"
    return "nvrtc" + ".".join(map(str, compiler_version(major)))


def compiler_version(major: int) -> tuple[int, int]:
    """Return the compiler's version, major and minor.

    Raises:
        Unavailable: there is no compiler.
    """
    _, major_version, minor = _bindings(major).nvrtcVersion()
    return int(major_version), int(minor)


def compiled(
    name: str, text: str, options: Sequence[str], capability: int, major: int
) -> tuple[bytes, str]:
    """Compile CUDA source for a GPU.

    Args:
        name: of the file, for messages.
        options: without the architecture.
        capability: compute capability of the GPU, times 10. If this compiler does not know it, the
            driver completes code (PTX) for the newest one that it knows.
        major: major version of CUDA.

    Returns:
        The code for the driver to load, and its kind, ``cubin`` or ``ptx``.

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
    """Import NVIDIA's bindings of NVRTC, with the compiler of a major version.

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
            f"CUDA's run-time compiler is missing ({why}); {how_to_install_compiler()}"
        ) from error
    return nvrtc


def _files(major: int) -> Iterator[Path]:
    packages = importlib.util.find_spec("nvidia")
    for place in (packages and packages.submodule_search_locations) or ():
        yield Path(place, f"cu{major}", "lib", f"libnvrtc.so.{major}")
        yield Path(place, "cuda_nvrtc", "lib", f"libnvrtc.so.{major}")


def _load(library: Path) -> bool:
    """Load a shared library with global symbols; return whether it could be loaded."""
    try:
        ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def loaded_from() -> str:
    """Return the path that NVRTC was loaded from; empty if it was not loaded."""
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    files = (line.split(maxsplit=5)[-1] for line in mapped.splitlines())
    return next((file for file in files if Path(file).name.startswith("libnvrtc.so")), "")
