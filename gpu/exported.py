"""Share a GPU with another library: its context, and arrays exported by DLPack."""

from collections.abc import Iterable
from typing import Any

from wheatstone.gpu.image import Array


def make_current(ordinal: int) -> None:
    """Make a CUDA device's context current, so that libraries called by this thread use it."""
    import cupy

    cupy.cuda.runtime.setDevice(ordinal)


def copied_arrays(exported: Iterable[Any]) -> list[Array]:
    """Copy arrays that a library exports, all on one GPU, and wait until they are copied.

    The library may then use their memory again.

    Args:
        exported: objects with ``__dlpack__``, such as the planes of a decoded frame.
    """
    import cupy

    found = [cupy.from_dlpack(_Exported(each)) for each in exported]
    with found[0].device:
        copies = [each.copy() for each in found]
        cupy.cuda.get_current_stream().synchronize()
    return copies


class _Exported:
    """An array that CuPy imports without passing a stream, because PyAV rejects that argument.

    The decoder has written the plane when PyAV hands it out.
    """

    def __init__(self, plane: Any) -> None:
        self._plane = plane

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._plane.__dlpack_device__()
        return device

    def __dlpack__(self, **_: Any) -> Any:
        return self._plane.__dlpack__()
