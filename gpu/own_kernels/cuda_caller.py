"""Call the user's kernels on a GPU: CUDA programs, or Python functions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import FREE_SHARED
from wheatstone.gpu.kernels.programs import load_code
from wheatstone.gpu.own_kernels.requests import call_python, number_of, views
from wheatstone.gpu.texture import Texture

WARP = 32  # threads
MOST_MODULES = 16  # of the GPU that stay loaded


class CudaCaller:
    """A caller of kernels on the GPU, in a CUDA context of this process."""

    def __init__(self, device: int) -> None:
        import cupy

        self._cupy = cupy
        cupy.cuda.Device(device).use()
        self._modules: dict[str, Any] = {}
        self._memory: tuple[str, int, Any] | None = None
        cupy.cuda.runtime.free(0)  # which creates the context
        self._events = cupy.cuda.Event(), cupy.cuda.Event()

    def load(self, programs: Sequence[str]) -> None:
        for path in programs:
            self._modules[path] = self._modules.pop(path, None) or load_code(Path(path))
        for path in list(self._modules)[: -max(MOST_MODULES, len(programs))]:
            del self._modules[path]

    def _resources(self, launch: dict[str, Any]) -> dict[str, Any]:
        function = self._modules[launch["program"]].get_function(launch["entry"])
        threads, shared = int(np.prod(launch["block"])), launch["shared"]
        if shared > FREE_SHARED:
            function.max_dynamic_shared_size_bytes = shared
        blocks = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            function.kernel.ptr, threads, shared
        )
        most = self._cupy.cuda.Device().attributes["MaxThreadsPerMultiProcessor"] // WARP
        taken = function.attributes
        return {
            "registers": taken["num_regs"],
            "shared": taken["shared_size_bytes"] + shared,
            "occupancy": blocks * -(-threads // WARP) / most,
        }

    def forget(self) -> None:
        if self._memory:
            self._cupy.cuda.runtime.ipcCloseMemHandle(self._memory[1])
            self._memory = None

    def _shared(self, request: dict[str, Any]) -> list[Any]:
        """Return the images of a request as arrays in memory shared with the main process."""
        place = request["memory"]
        if self._memory is None or self._memory[0] != place["handle"]:
            self.forget()
            pointer = self._cupy.cuda.runtime.ipcOpenMemHandle(bytes.fromhex(place["handle"]))
            memory = self._cupy.cuda.UnownedMemory(pointer, place["nbytes"], self)
            whole = self._cupy.cuda.MemoryPointer(memory, 0)
            array = self._cupy.ndarray(place["nbytes"], np.uint8, whole)
            self._memory = place["handle"], pointer, array
        return views(self._memory[2], request)

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        if "describe" in request:
            return {"resources": [self._resources(each) for each in request["describe"]]}
        images = self._shared(request)
        if "python" in request:
            call_python(request, images)
            self._cupy.cuda.runtime.deviceSynchronize()
            return {}
        textures = {
            argument["image"]: self._texture(images[argument["image"]])
            for launch in request["launches"]
            for argument in launch["arguments"]
            if argument.get("texture")
        }
        begin, end = self._events
        begin.record()
        for launch in request["launches"]:
            self._launch(launch, images, textures)
        end.record()
        end.synchronize()
        return {"milliseconds": self._cupy.cuda.get_elapsed_time(begin, end)}

    def _texture(self, image: Any) -> Any:
        made = Texture(image.shape, image.dtype)
        made.copy_from(image, self._cupy.cuda.get_current_stream())
        return made

    def _launch(
        self, launch: dict[str, Any], images: Sequence[Any], textures: dict[int, Any]
    ) -> None:
        module = self._modules[launch["program"]]
        for symbol, image, (x, y, width, height) in launch["stores"]:
            pixels = self._cupy.ascontiguousarray(images[image][y : y + height, x : x + width])
            target = module.get_global(symbol)
            target.copy_from_device_async(pixels.data, pixels.nbytes)
        function = module.get_function(launch["entry"])
        if launch["shared"] > FREE_SHARED:
            function.max_dynamic_shared_size_bytes = launch["shared"]
        arguments = tuple(
            number_of(each)
            if "image" not in each
            else np.uint64(textures[each["image"]].object.ptr)
            if each.get("texture")
            else images[each["image"]]
            for each in launch["arguments"]
        )
        grid, block = tuple(launch["grid"]), tuple(launch["block"])
        function(grid, block, arguments, shared_mem=launch["shared"])
