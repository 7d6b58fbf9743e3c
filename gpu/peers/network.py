"""Match by a stereo network in an ONNX file, run by ONNX Runtime."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.image import Float32, Int16, Uint8
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.peers.results import write_fixed_point

PROVIDERS = ("TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider")
"""The ways of ONNX Runtime to compute a network that are used where installed, best first."""
MISSING = "onnxruntime is not installed: pip install 'wheatstone[models]'"
FATAL = 4  # of log levels: errors are raised, and need not be printed, too
FLOAT_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
WHITE = 255
LONGEST_MESSAGE = 300


def providers() -> list[str]:
    """List the ways in which networks can be computed here, best first; none without the package.

    Raises:
        Unavailable: ONNX Runtime is not installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise Unavailable(MISSING) from error
    available = onnxruntime.get_available_providers()
    return [name for name in PROVIDERS if name in available]


def open_session(path: Path) -> Any:
    """Open a network with ONNX Runtime, without operators of the file's author.

    Raises:
        Unavailable: ONNX Runtime is not installed.
        ValueError: it is no network that can be computed; the message names the file.
    """
    known = providers()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=known)
    except Exception as error:  # a class of ONNX Runtime's for each code, none of them public
        raise ValueError(f"{path}: {_message(error)}") from error


def _message(error: Exception) -> str:
    """Return an error of ONNX Runtime in one line."""
    text = " ".join(str(error).split())
    return f"ONNX Runtime refuses it: {text[:LONGEST_MESSAGE]}"


class StereoNetwork:
    """A network that ``card`` describes, computed in three steps.

    Each thread has tensors of its own between the steps.

    Raises:
        Unavailable, ValueError: as ``open_session``, or the card does not describe the file.
    """

    def __init__(self, path: Path, card: ModelCard, session: Any = None) -> None:
        self.path, self.card = path, card
        self.session = session or open_session(path)
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
        """Return the height and width of the network's input; None if they are those of a view."""
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
        """Name the runtime that computes it, with the size of its file."""
        provider = self.session.get_providers()[0].removesuffix("ExecutionProvider")
        return f"ONNX Runtime ({provider}), a file of {self.path.stat().st_size / 1e6:.1f} MB"

    def prepare(self, left: Uint8, right: Uint8) -> None:
        """Convert two views, (H, W, 4), to the inputs of the network."""
        self._frame.shape = left.shape[:2]
        tensors = [self._channels(view) for view in (left, right)]
        if len(self.card.inputs) == 1:
            tensors = [np.concatenate(tensors)]
        self._frame.feeds = {
            name: self._laid_out(name, tensor)
            for name, tensor in zip(self.card.inputs, tensors, strict=True)
        }

    def _channels(self, view: Uint8) -> Float32:
        """Convert a view to the network's size and channels: (C, H, W)."""
        import cv2

        card = self.card
        to = {"rgb": cv2.COLOR_RGBA2RGB, "bgr": cv2.COLOR_RGBA2BGR, "grey": cv2.COLOR_RGBA2GRAY}
        pixels = cv2.cvtColor(view, to[card.order])
        height, width = view.shape[:2]
        if self.size:
            if self.size != (height, width):
                shrinks = self.size[1] < width
                way = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
                pixels = cv2.resize(pixels, self.size[::-1], interpolation=way)
        elif card.multiple > 1:
            below, beside = -height % card.multiple, -width % card.multiple
            pixels = cv2.copyMakeBorder(pixels, 0, below, 0, beside, cv2.BORDER_REPLICATE)
        low, high = card.range
        values = pixels.reshape(*pixels.shape[:2], card.channels).astype(np.float32)
        values = values * np.float32((high - low) / WHITE) + np.float32(low)
        if card.mean:
            values -= np.array(card.mean, np.float32)
        if card.std:
            values /= np.array(card.std, np.float32)
        return np.asarray(values.transpose(2, 0, 1))

    def _laid_out(self, name: str, channels: Float32) -> NDArray[Any]:
        """Give channels, (C, H, W), the axes and the type that an input takes."""
        given = self._inputs[name]
        axes = len(given.shape)
        tensor = channels.transpose(1, 2, 0) if self.card.layout == "nhwc" else channels
        if axes == 2 and len(channels) == 1:
            tensor = channels[0]
        elif axes == 4:
            tensor = tensor[None]
        if given.type == "tensor(uint8)":
            tensor = np.clip(np.rint(tensor), 0, WHITE)
        return np.ascontiguousarray(tensor, FLOAT_TYPES.get(given.type, np.uint8))

    def infer(self) -> None:
        """Compute the network.

        Raises:
            ValueError: it fails, for want of memory or because of a size that it does not take.
        """
        try:
            self._frame.outputs = self.session.run(self._wanted, self._frame.feeds)
        except Exception as error:  # as above
            shapes = ", ".join(str(list(each.shape)) for each in self._frame.feeds.values())
            raise ValueError(f"{self.path}: with {shapes}: {_message(error)}") from error

    def disparity(self) -> Float32:
        """Return the disparity of the frame computed last: (H, W) pixels of the views.

        Raises:
            ValueError: the output is no image, or holds no number at all.
        """
        import cv2

        card = self.card
        values = self._image(self._frame.outputs[0], card.output, card.channel)
        if not np.isfinite(values).any():
            raise ValueError(f"{self.path}: the output {card.output!r} is not a number anywhere")
        if card.confidence:
            trust = self._image(self._frame.outputs[1], card.confidence, 0)
            trust = cv2.resize(trust, values.shape[::-1], interpolation=cv2.INTER_LINEAR)
            values = np.where(trust >= card.least_confidence, values, np.float32(np.nan))
        factor = np.float32(card.sign * card.scale)
        height, width = self._frame.shape
        tensor = self._frame.feeds[card.inputs[0]]
        after = card.layout == "nhwc" and tensor.ndim > 2
        rows, columns = tensor.shape[-3:-1] if after else tensor.shape[-2:]
        if values.shape != (rows, columns):
            values = cv2.resize(values, (columns, rows), interpolation=cv2.INTER_LINEAR)
        if self.size and self.size != (height, width):
            values = cv2.resize(values, (width, height), interpolation=cv2.INTER_LINEAR)
            factor *= np.float32(width / columns)
        return np.asarray(values[:height, :width] * factor, np.float32)

    def _image(self, output: Any, name: str, channel: int) -> Float32:
        """Return one channel of an output: (H, W)."""
        values = np.asarray(output)
        shape = list(values.shape)
        if values.ndim == 4 and shape[0] == 1:
            values = values[0]
        if values.ndim == 3:
            first = values.shape[0] <= values.shape[-1]
            count = values.shape[0] if first else values.shape[-1]
            if channel >= count:
                raise ValueError(f"{self.path}: {name} has no channel {channel} (it has {count})")
            values = values[channel] if first else values[..., channel]
        if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
            raise ValueError(f"{self.path}: {name} has the shape {shape}, which is no image")
        return np.ascontiguousarray(values, np.float32)

    def finish(self, guided: Int16, min_disparity: int) -> None:
        """Write the disparity of the frame computed last."""
        write_fixed_point(self.disparity(), min_disparity, guided)
