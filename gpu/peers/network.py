"""Match by a stereo network in an ONNX file, run by ONNX Runtime."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.device import open_device, why_unavailable
from wheatstone.gpu.image import Array, Int16, Uint8
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.peers.runtime import (
    CPU,
    error_line,
    open_session,
    resident,
    run_bound,
    run_on_host,
)
from wheatstone.gpu.peers.tensors import (
    Size,
    channels_of,
    disparity_of,
    laid_out,
    module_of,
    on_gpu,
    on_host,
    sides_of,
    write_fixed_point,
)

FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}


class StereoNetwork:
    """A stereo network that ``card`` describes, run by ``prepare``, ``infer`` and ``finish``.

    Each thread has tensors of its own between the steps.

    Attributes:
        size: height and width to which views are resized; None: they are padded.
        taken: bytes of the device's memory that it has taken, its weights included.

    Raises:
        Unavailable, ValueError: as ``open_session``, or the card does not describe the file.
    """

    def __init__(self, path: Path, card: ModelCard, session: Any = None) -> None:
        self.path, self.card = path, card
        before = resident()
        self.session = session or open_session(path)
        self._weights = max(resident() - before, 0)
        self.taken, self._sides = 0, set[Size]()
        self._frame = threading.local()
        self._inputs = {each.name: each for each in self.session.get_inputs()}
        outputs = {each.name for each in self.session.get_outputs()}
        self._check("input", card.inputs, self._inputs)
        self._check("output", self._wanted, outputs)
        if extra := sorted(self._inputs.keys() - {*card.inputs}):
            raise ValueError(f"{path}: the network has a further input, {extra[0]!r}")
        self.size = self._fixed_size()

    @property
    def _wanted(self) -> list[str]:
        return [self.card.output, *filter(None, [self.card.confidence])]

    def _check(self, kind: str, names: Sequence[str], known: Any) -> None:
        for name in names:
            if name not in known:
                there = ", ".join(sorted(known))
                raise ValueError(f"{self.path}: it has no {kind} {name!r}; it has {there}")

    def _fixed_size(self) -> tuple[int, int] | None:
        """Return the height and width that the file or its card fixes; None if neither does."""
        for name in self.card.inputs:
            given = self._inputs[name]
            if given.type not in FLOAT_TYPES and given.type != "tensor(uint8)":
                raise ValueError(f"{self.path}: {name} takes {given.type}, not floats or bytes")
            if not 2 <= len(given.shape) <= 4:
                raise ValueError(
                    f"{self.path}: {name} has {len(given.shape)} axes; 2 to 4 can be filled"
                )
        shape = self._inputs[self.card.inputs[0]].shape
        after = len(shape) > 2 and self.card.layout == "nhwc"
        rows, columns = shape[-3:-1] if after else shape[-2:]
        own = (rows, columns) if isinstance(rows, int) and isinstance(columns, int) else None
        if self.card.size and own and tuple(self.card.size) != own:
            raise ValueError(
                f"{self.path}: size must be {list(own)}, that of the file "
                f"(got {list(self.card.size)})"
            )
        height, width = own or self.card.size or (0, 0)
        return (height, width) if height else None

    @property
    def description(self) -> str:
        """Return a text with the runtime, the size of the network's file and the memory used."""
        provider = self.session.get_providers()[0].removesuffix("ExecutionProvider")
        taken = f", {self.taken / 1e6:.0f} MB of memory" if self.taken else ""
        size = self.path.stat().st_size
        written = f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
        return f"ONNX Runtime ({provider}), a file of {written}{taken}"

    def prepare(self, left: Uint8, right: Uint8) -> None:
        """Convert two views, (H, W, 4), to the input tensors of the network."""
        self._frame.shape = left.shape[:2]
        tensors = [channels_of(view, self.card, self.size) for view in (left, right)]
        if len(self.card.inputs) == 1:
            tensors = [module_of(left).concatenate(tensors)]
        dtypes = {name: FLOAT_TYPES.get(at.type, np.uint8) for name, at in self._inputs.items()}
        self._frame.feeds = {
            name: laid_out(tensor, self.card, len(self._inputs[name].shape), dtypes[name])
            for name, tensor in zip(self.card.inputs, tensors, strict=True)
        }

    def infer(self) -> None:
        """Run the network on the tensors that ``prepare`` created.

        Raises:
            ValueError: it fails, for want of memory or because of a size that it does not take.
        """
        feeds = self._frame.feeds
        sides, before = sides_of(feeds[self.card.inputs[0]], self.card), self._free()
        self._frame.outputs = self._computed(feeds)
        if sides not in self._sides:
            self._sides.add(sides)
            self.taken = max(self.taken, self._weights + before - self._free())

    def _computed(self, feeds: Mapping[str, Array]) -> list[Array]:
        """Run the network on inputs, and return its outputs on the device of the inputs."""
        try:
            if not any(map(on_gpu, feeds.values())):
                return run_on_host(self.session, self._wanted, feeds)
            if self._on_gpu:
                return run_bound(self.session, self._wanted, feeds)
            host = {name: on_host(array) for name, array in feeds.items()}
            xp = module_of(next(iter(feeds.values())))
            return list(map(xp.asarray, run_on_host(self.session, self._wanted, host)))
        except Exception as error:  # as above
            shapes = " and ".join(dict.fromkeys(str(list(each.shape)) for each in feeds.values()))
            raise ValueError(f"{self.path}: with {shapes}: {error_line(error)}") from error

    @property
    def _on_gpu(self) -> bool:
        return bool(self.session.get_providers()[0] != CPU)

    def _free(self) -> int:
        """Return the device's free bytes plus a constant, so only differences have a meaning."""
        if not self._on_gpu:
            return -resident()
        return 0 if why_unavailable("cuda") else open_device("cuda").free_bytes() or 0

    def disparity(self) -> Array:
        """Return the disparity of the frame computed last: (H, W) pixels of the views.

        Raises:
            ValueError: the output is no image, or holds no number at all.
        """
        frame, card = self._frame, self.card
        sides = sides_of(frame.feeds[card.inputs[0]], card)
        try:
            return disparity_of(frame.outputs, card, sides, self.size, frame.shape)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error

    def finish(self, guided: Int16, min_disparity: int) -> None:
        """Write the disparity of the last computed frame in fixed point."""
        write_fixed_point(self.disparity(), min_disparity, guided)
