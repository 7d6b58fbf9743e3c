"""Call the user's kernels on the CPU: emulated CUDA kernels, or Python functions."""

import ctypes
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.emulation.device import EmulatedTexture, GuardedArray
from wheatstone.gpu.emulation.program import EmulatedProgram
from wheatstone.gpu.emulation.report import LaunchReport
from wheatstone.gpu.own_kernels.requests import call_python, number_of, views

MOST_WITH_STACKS = 16  # programs: each guarded stack takes two mappings, of 65530 in a process


class HostCaller:
    """A caller that emulates kernels and calls Python functions, on arrays in main memory."""

    def __init__(self) -> None:
        self._memory: tuple[str, np.memmap[Any, Any]] | None = None
        self._programs: dict[str, EmulatedProgram] = {}
        self._with_stacks: dict[str, None] = {}  # the programs used last

    def load(self, programs: Sequence[str]) -> None:
        for path in programs:
            if path not in self._programs:
                self._programs[path] = EmulatedProgram(Path(path))
            self._with_stacks[path] = self._with_stacks.pop(path, None)
        for path in list(self._with_stacks)[: -max(MOST_WITH_STACKS, len(programs))]:
            self._programs[path].release_stacks()
            del self._with_stacks[path]

    def forget(self) -> None:
        self._memory = None

    def _shared(self, request: dict[str, Any]) -> list[Any]:
        """Return the images of a request as arrays in shared memory."""
        place = request["memory"]
        if self._memory is None or self._memory[0] != place["path"]:
            shape = (place["nbytes"],)
            self._memory = place["path"], np.memmap(place["path"], np.uint8, "r+", shape=shape)
        return views(self._memory[1], request)

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        shared = self._shared(request)
        if "python" in request:
            call_python(request, shared)
            return {}
        checking = request["checking"]
        guarded = [GuardedArray(a.shape, a.dtype, checking["placement"]).array for a in shared]
        for own, array in zip(guarded, shared, strict=True):
            own[...] = array
        reply = self._launch_all(request, guarded)
        for own, array, image in zip(guarded, shared, request["images"], strict=True):
            if image.get("written"):
                array[...] = own
        return reply

    def _launch_all(self, request: dict[str, Any], images: Sequence[Any]) -> dict[str, Any]:
        """Emulate launches, up to the first with a fault; return their combined reports."""
        textures = {
            each["image"]: EmulatedTexture(images[each["image"]].shape, images[each["image"]].dtype)
            for launch in request["launches"]
            for each in launch["arguments"]
            if each.get("texture")
        }
        reply: dict[str, list[Any]] = {}
        for launch in request["launches"]:
            for number, texture in textures.items():
                texture.pixels[...] = images[number]
            report = asdict(self._launch(launch, request, images, textures))
            for key in ("faults", "transactions", "conflicts", "output"):
                reply.setdefault(key, []).extend(report[key])
            if reply["faults"]:
                break
        return reply

    def _launch(
        self,
        launch: dict[str, Any],
        request: dict[str, Any],
        images: Sequence[Any],
        textures: dict[int, EmulatedTexture],
    ) -> LaunchReport:
        program = self._programs[launch["program"]]
        for symbol, image, (x, y, width, height) in launch["stores"]:
            part = images[image][y : y + height, x : x + width].tobytes()
            ctypes.memmove(program.constant(symbol), part, len(part))
        arguments = [
            number_of(each)
            if "image" not in each
            else textures[each["image"]].object
            if each.get("texture")
            else images[each["image"]]
            for each in launch["arguments"]
        ]
        names = [
            request["images"][each["image"]]["name"] if "image" in each else ""
            for each in launch["arguments"]
        ]
        return program.launch(
            launch["entry"],
            launch["grid"],
            launch["block"],
            arguments,
            shared=launch["shared"],
            order=request["checking"]["order"],
            names=names,
        )
