"""Convert views to the tensors of a network, and its outputs to images, on the CPU or a GPU.

Arrays are NumPy's or CuPy's; what is computed from them stays in the same memory. Only resizing
goes through main memory. Disparities become the fixed point of ``sgm``.
"""

import sys
from typing import Any

import numpy as np

from wheatstone.gpu.image import Array, Float32, Int16
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

Size = tuple[int, int]
WHITE = 255
GREY = (9798, 19235, 3735)  # as cv2.COLOR_RGB2GRAY has them
GREY_BITS = 15


def on_gpu(array: Array) -> bool:
    """Return whether an array lies on a GPU."""
    return hasattr(array, "__cuda_array_interface__")


def module_of(array: Array) -> Any:
    """Return the library of an array: the module NumPy or CuPy."""
    return sys.modules["cupy"] if on_gpu(array) else np


def on_host(array: Array) -> Array:
    """Copy an array to main memory, if it lies on a GPU."""
    return array.get() if on_gpu(array) else array


def channels_of(view: Array, card: ModelCard, size: Size | None) -> Array:
    """Convert a view, (H, W, 4) RGBA, to the size and the channels of a network: (C, H, W) floats.

    Args:
        size: height and width to which it is resized; None: it is padded.
    """
    xp, pixels = module_of(view), _ordered(view, card)
    height, width = view.shape[:2]
    if size and size != (height, width):
        pixels = _resized(pixels, size, area=size[1] < width)
    elif not size and card.multiple > 1:
        below, beside = -height % card.multiple, -width % card.multiple
        pixels = xp.pad(pixels, ((0, below), (0, beside), (0, 0)), mode="edge")
    low, high = card.range
    values = xp.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)
    values *= np.float32((high - low) / WHITE)
    values += np.float32(low)
    if card.mean:
        values -= xp.asarray(card.mean, np.float32)[:, None, None]
    if card.std:
        values /= xp.asarray(card.std, np.float32)[:, None, None]
    return values


def _ordered(view: Array, card: ModelCard) -> Array:
    """Select a view's channels in the network's order, or compute grey levels: (H, W, C) bytes."""
    if card.order != "grey":
        return view[..., :3] if card.order == "rgb" else view[..., 2::-1]
    if on_gpu(view):
        return mixed(view)
    import cv2

    return cv2.cvtColor(view, cv2.COLOR_RGBA2GRAY)[..., None]


def mixed(view: Array) -> Array:
    """Mix the colours of a view to grey levels with OpenCV's weights: (H, W, 1)."""
    xp = module_of(view)
    total = sum(view[..., n].astype(np.int32) * weight for n, weight in enumerate(GREY))
    return ((total + (1 << (GREY_BITS - 1))) >> GREY_BITS).astype(xp.uint8)[..., None]


def _resized(image: Array, size: Size, *, area: bool = False) -> Array:
    """Resize an image in main memory: linearly, or by the mean of areas."""
    import cv2

    way = cv2.INTER_AREA if area else cv2.INTER_LINEAR
    resized = cv2.resize(np.ascontiguousarray(on_host(image)), size[::-1], interpolation=way)
    return module_of(image).asarray(resized.reshape(*size, *image.shape[2:]))


def laid_out(channels: Array, card: ModelCard, axes: int, kind: Any) -> Array:
    """Convert channels, (C, H, W), to the axes and the type of a network's input."""
    xp = module_of(channels)
    tensor = channels.transpose(1, 2, 0) if card.layout == "nhwc" else channels
    if axes == 2 and len(channels) == 1:
        tensor = channels[0]
    elif axes == 4:
        tensor = tensor[None]
    if kind is np.uint8:
        tensor = xp.clip(xp.rint(tensor), 0, WHITE)
    return xp.ascontiguousarray(tensor, kind)


def sides_of(tensor: Array, card: ModelCard) -> Size:
    """Return the height and width of a tensor, by the layout that the network's card declares."""
    after = card.layout == "nhwc" and tensor.ndim > 2
    rows, columns = tensor.shape[-3:-1] if after else tensor.shape[-2:]
    return rows, columns


def image_of(values: Array, name: str, channel: int) -> Array:
    """Return one channel of a network's output: (H, W) floats.

    Raises:
        ValueError: the output is no image, or lacks the channel.
    """
    shape = list(values.shape)
    if values.ndim == 4 and shape[0] == 1:
        values = values[0]
    if values.ndim == 3:
        first = values.shape[0] <= values.shape[-1]
        count = values.shape[0] if first else values.shape[-1]
        if channel >= count:
            raise ValueError(f"{name} has no channel {channel} (it has {count})")
        values = values[channel] if first else values[..., channel]
    if values.ndim != 2 or not values.size or values.dtype.kind not in "fiu":
        raise ValueError(f"{name} has the shape {shape}, which is no image")
    return module_of(values).ascontiguousarray(values, np.float32)


def disparity_of(
    outputs: list[Array], card: ModelCard, sides: Size, size: Size | None, shape: Size
) -> Array:
    """Convert the outputs of a network to the disparity of views: (H, W) pixels.

    Args:
        outputs: that of disparities, then that of confidence if the network has one.
        sides: height and width of its input.
        size: those to which views were resized; None: they were padded.
        shape: of the views.

    Raises:
        ValueError: an output is no image, or holds no number at all.
    """
    values = image_of(outputs[0], card.output, card.channel)
    xp = module_of(values)
    if not bool(xp.isfinite(values).any()):
        raise ValueError(f"the output {card.output!r} is not a number anywhere")
    if card.confidence:
        trust = _fitted(image_of(outputs[1], card.confidence, 0), values.shape)
        values = xp.where(trust >= card.least_confidence, values, np.float32(np.nan))
    factor = np.float32(card.sign * card.scale)
    values = _fitted(values, sides)
    if size and size != shape:
        values = _fitted(values, shape)
        factor *= np.float32(shape[1] / sides[1])
    return (values[: shape[0], : shape[1]] * factor).astype(np.float32)


def _fitted(image: Array, size: Size) -> Array:
    return image if image.shape == size else _resized(image, size)


LARGEST = np.iinfo(np.int16).max


def write_fixed_point(disparity: Float32, min_disparity: int, guided: Int16) -> None:
    """Write disparities rounded to 1/16 pixel, including those above the range searched.

    Args:
        disparity: (H, W) in pixels, not finite where there is none.
        guided: (H, W) written; invalid, also below the range or beyond 16 bits, is
            (min_disparity - 1) * 16.
    """
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    xp = module_of(disparity)
    with np.errstate(invalid="ignore", over="ignore"):
        steps = xp.rint(disparity * np.float32(SUBPIXEL_STEPS))
        known = (steps > invalid) & (steps <= LARGEST)
    guided[:] = xp.where(known, steps, invalid)
