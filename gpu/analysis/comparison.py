"""Compare two results: whether they are equal, and if not, how they differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.device import Device
from wheatstone.gpu.image import Int64
from wheatstone.gpu.pipeline import Array

Invalid = tuple[float, float] | None  # stored values that mean "no value", of two arrays


@dataclass(frozen=True)
class Difference:
    """A description of how an image differs from the expected one.

    Attributes:
        image: name of the image.
        count: elements that differ, out of ``total``.
        first: index of the first one, last axis first: (x, y) in a picture.
        largest: the largest absolute difference, in stored values; infinite where one is NaN; 0 if
            at every difference only one of them has a value.
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


def differing(
    result: NDArray[Any], expected: NDArray[Any], invalid: Invalid = None
) -> NDArray[np.bool_]:
    """Return a mask of elements that differ; two NaNs, or two missing values, are equal.

    Args:
        invalid: the stored values that mean "no value" (for floats always NaN instead); None if
            every value is one.
    """
    differs: NDArray[np.bool_] = result != expected
    differs &= ~((result != result) & (expected != expected))
    if invalid is None:
        return differs
    lacks = _lacking(result, invalid[0]), _lacking(expected, invalid[1])
    return np.where(lacks[0] | lacks[1], lacks[0] != lacks[1], differs)


def _lacking(values: NDArray[Any], invalid: float) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(values) if values.dtype.kind == "f" else values == invalid)


def compare(
    image: str, result: NDArray[Any], expected: NDArray[Any], invalid: Invalid = None
) -> Difference | None:
    """Compare an image with the expected one, element by element; return None if they are equal.

    Raises:
        ValueError: the arrays differ in shape.
    """
    _check_shapes(image, result, expected)
    differs = differing(result, expected, invalid)
    count = int(np.count_nonzero(differs))
    if not count:
        return None
    places = np.nonzero(differs)
    first = tuple(int(axis[0]) for axis in reversed(places))
    largest = _largest(result[places], expected[places], invalid)
    return Difference(image, count, result.size, first, largest)


def _largest(result: NDArray[Any], expected: NDArray[Any], invalid: Invalid) -> float:
    """Return the largest absolute difference of elements that have a value in both images."""
    if invalid is not None:
        both = ~(_lacking(result, invalid[0]) | _lacking(expected, invalid[1]))
        result, expected = result[both], expected[both]
    with np.errstate(invalid="ignore"):  # NaN is one of the answers
        difference = np.abs(result.astype(np.float64) - expected.astype(np.float64))
    return float(np.max(np.where(np.isnan(difference), np.inf, difference), initial=0.0))


def _check_shapes(image: str, result: Array, expected: Array) -> None:
    if result.shape != expected.shape:
        raise ValueError(
            f"{image}: arrays of different shape cannot be compared "
            f"(got {result.shape} and {expected.shape})"
        )


def compare_on(
    device: Device, image: str, result: Array, expected: Array, invalid: Invalid = None
) -> Difference | None:
    """Compare two arrays on their device, with the same result as ``compare`` on the host.

    Waits for the device; only the count comes back.

    Raises:
        ValueError: the arrays differ in shape or dtype.
    """
    _check_shapes(image, result, expected)  # the kernel reads both as far as the first goes
    if result.dtype != expected.dtype:
        raise ValueError(
            f"{image}: arrays of different dtype cannot be compared "
            f"(got {result.dtype} and {expected.dtype})"
        )
    if device.on_host:
        return compare(image, result, expected, invalid)
    from wheatstone.gpu.kernels.arrays import difference_count

    with device.active():
        counts = device.zeros((3,), np.int64)
        difference_count(result, expected, counts, invalid)
    return counted(image, device.download(counts), result)


def counted(image: str, counts: Int64, result: Array) -> Difference | None:
    """Convert the counts of kernel ``difference_count`` to a ``Difference``; None if equal."""
    count, from_end = int(counts[0]), int(counts[1])
    if not count:
        return None
    first = np.unravel_index(result.size - from_end, result.shape)
    in_double = np.dtype(result.dtype) in (np.dtype(np.float32), np.dtype(np.int64))
    largest = float(counts[2:].view(np.float64)[0] if in_double else counts[2])
    return Difference(image, count, result.size, tuple(map(int, reversed(first))), largest)
