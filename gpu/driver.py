"""Check for NVIDIA's driver and initialise it, before CuPy is imported."""

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


def spoken_version() -> int:
    """Return the CUDA version that the driver supports: 12030 is 12.3; 0 without a driver."""
    found, library = c_int(), driver()
    if library:
        library.cuDriverGetVersion(byref(found))
    return found.value


def wake_gpu() -> Thread:
    """Start the driver's initialisation of the first GPU, in a thread of its own.

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
