"""Call the user's kernels in a process that runs under compute-sanitizer.

Run as ``python -m wheatstone.gpu.own_kernels.watched_child REQUESTS``: a file of JSON with a list
of requests as ``child`` takes them, whose images are in a file. Each image is in an allocation of
its own, so that compute-sanitizer sees every access outside; images to be written hold nothing.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.own_kernels.cuda_caller import CudaCaller
from wheatstone.gpu.own_kernels.requests import views


class _WatchedCaller(CudaCaller):
    """A caller of kernels that copies each image of a call to a separate GPU allocation."""

    def _shared(self, request: dict[str, Any]) -> list[Any]:
        self.forget()
        cuda, place = self._cupy.cuda, request["memory"]
        memory = np.memmap(place["path"], np.uint8, "r", shape=(place["nbytes"],))
        arrays = []
        for host, image in zip(views(memory, request), request["images"], strict=True):
            self._pointers.append(pointer := cuda.runtime.malloc(max(host.nbytes, 1)))
            owned = cuda.UnownedMemory(pointer, host.nbytes, self)
            array = self._cupy.ndarray(host.shape, host.dtype, cuda.MemoryPointer(owned, 0))
            if not (request["first"] and image.get("written")):
                array.set(np.ascontiguousarray(host))
            arrays.append(array)
        return arrays

    def __init__(self, device: int) -> None:
        super().__init__(device)
        self._pointers: list[int] = []

    def forget(self) -> None:
        for pointer in self._pointers:
            self._cupy.cuda.runtime.free(pointer)
        self._pointers = []


def main(path: str) -> None:
    """Call the kernels of all requests in a file, stopping at the first that fails."""
    requests = json.loads(Path(path).read_text())
    caller = _WatchedCaller(requests["device"])
    for request in requests["calls"]:
        caller.load(request["programs"])
        try:
            caller.call(request)
        except Exception as error:  # compute-sanitizer has reported the reason
            sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
