"""Whether two results are the same, and if not, how they differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.device import Device
from gpu.pipeline import Array


@dataclass(frozen=True)
class Difference:
    """How an image differs from what was expected.

    Attributes:
        image: name of the image.
        count: elements that differ, out of ``total``.
        first: index of the first one, last axis first: (x, y) in a picture.
        largest: the largest absolute difference, in stored values; infinite where one is NaN.
    """

    image: str
    count: int
    total: int
    first: tuple[int, ...]
    largest: float

    def __str__(self) -> str:
        place = ", ".join(map(str, self.first))
        return (
            f"{self.image}: {self.count} of {self.total} differ, first at ({place}), "
            f"largest by {self.largest:g}"
        )


def compare(image: str, result: NDArray[Any], expected: NDArray[Any]) -> Difference | None:
    """How a result differs from what was expected; None if it does not. NaN equals NaN.

    Args:
        result, expected: arrays of the same shape.
    """
    differs = (result != expected) & ~((result != result) & (expected != expected))
    count = int(np.count_nonzero(differs))
    if not count:
        return None
    places = np.nonzero(differs)
    first = tuple(int(axis[0]) for axis in reversed(places))
    with np.errstate(invalid="ignore"):  # NaN is one of the answers
        apart = np.abs(result[places].astype(np.float64) - expected[places].astype(np.float64))
    largest = float(np.max(np.where(np.isnan(apart), np.inf, apart)))
    return Difference(image, count, result.size, first, largest)


def compare_on(device: Device, image: str, result: Array, expected: Array) -> Difference | None:
    """As ``compare``, of two arrays of one dtype that live on a device: counted there.

    Waits for the device; only the count comes back.
    """
    if device.kind == "cpu":
        return compare(image, result, expected)
    from gpu.kernels.difference_count import difference_count

    with device.active():
        counts = device.zeros((3,), np.int64)
        difference_count(result, expected, counts)
    return counted(image, device.download(counts), result)


def counted(image: str, counts: NDArray[np.int64], result: Array) -> Difference | None:
    """What ``difference_count`` found in an array like ``result``, as a difference."""
    count, from_end = int(counts[0]), int(counts[1])
    if not count:
        return None
    first = np.unravel_index(result.size - from_end, result.shape)
    real = np.dtype(result.dtype).kind == "f"
    largest = float(counts[2:].view(np.float64)[0] if real else counts[2])
    return Difference(image, count, result.size, tuple(map(int, reversed(first))), largest)
