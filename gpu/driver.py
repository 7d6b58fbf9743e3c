"""NVIDIA's driver, as far as it is asked before CuPy is: whether it is there, and to wake up."""

import ctypes
import sys
from ctypes import byref, c_int, c_void_p
from functools import cache
from threading import Thread

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


@cache
def driver() -> ctypes.CDLL | None:
    """Load the driver's library; None if it is not there."""
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        return None


def driver_missing() -> bool:
    """Tell whether the NVIDIA driver's library cannot be loaded."""
    return driver() is None


def spoken_version() -> int:
    """Ask for the version of CUDA that the driver speaks: 12030 is 12.3; 0 without a driver."""
    found, library = c_int(), driver()
    if library:
        library.cuDriverGetVersion(byref(found))
    return found.value


def wake_gpu() -> Thread:
    """Let the driver begin its work on the first GPU, in a thread of its own.

    That takes some tenths of a second, during which Python runs. Whoever opens the GPU then finds
    it ready, or waits for the rest. Where there is none, nothing happens.
    """
    thread = Thread(target=_begin_work, name="driver")  # Python waits for it before it ends
    thread.start()
    return thread


def _begin_work() -> None:
    """Make the context that CUDA's runtime will take, which is the first GPU's for all."""
    library, device, context = driver(), c_int(), c_void_p()
    if library and library.cuInit(0) == 0 and library.cuDeviceGet(byref(device), 0) == 0:
        library.cuDevicePrimaryCtxRetain(byref(context), device)
