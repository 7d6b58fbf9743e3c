"""Whether what A and B show is the same, in words; and where it is not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.comparison import Difference, compare, compare_on
from gpu.device import Device
from gpu.execution import Execution
from gpu.pipeline import Array, Image
from viewer.frames.shown import Shown
from viewer.screen.caption import Tone

REACH = 8  # pixels; differing pixels as near as this belong to one cluster


@dataclass(frozen=True)
class Badge:
    """What is said about equality.

    Attributes:
        tone: good: identical; bad: not; neutral: they cannot be compared.
    """

    text: str
    tone: Tone


@dataclass(frozen=True)
class Cluster:
    """Differing pixels that are near each other: the box around them, and how many."""

    x: int
    y: int
    width: int
    height: int
    count: int


def compared_image(shown: Shown) -> str:
    """The name of the first image on screen that the pipeline computes; empty if there is none."""
    computed = [name for name in shown.view.panes if shown.arrays[name] in shown.computed]
    return computed[0] if computed else ""


def why_not(a: Shown, b: Shown) -> str:
    """Why equality of what two slots show means nothing; empty if it does."""
    if a.slot.declaration.peer or b.slot.declaration.peer:
        return "peer, not comparable"
    if a.frame != b.frame:
        return f"B is frozen at frame {b.frame}, not comparable"
    names = compared_image(a), compared_image(b)
    if not all(names):
        return "the view shows nothing that is computed"
    one, other = (s.slot.pipeline.image(n) for s, n in zip((a, b), names, strict=True))
    if (one.unit, one.scale, one.dims) != (other.unit, other.scale, other.dims):
        first, second = (f"{s.slot.pipeline.name}.{n}" for s, n in zip((a, b), names, strict=True))
        return f"{first} and {second} differ in kind, not comparable"
    return ""


def difference(image: str, a: Array, b: Array, devices: tuple[Device, Device]) -> Difference | None:
    """How two arrays differ, counted where they live; on different devices, through the host."""
    if devices[0] is devices[1] and a.dtype == b.dtype:
        return compare_on(devices[0], image, a, b)
    first, second = (device.download(x) for device, x in zip(devices, (a, b), strict=True))
    return compare(image, first, second)


def badge(found: Difference | None, total: int, scale: float, unit: str) -> Badge:
    """A result of a comparison in words.

    Args:
        total: elements compared.
        scale, unit: of the image's values.
    """
    if not found:
        return Badge(f"identical: 0 of {total:,} differ", "good")
    place = ", ".join(map(str, found.first))
    largest = f"{found.largest * scale:g} {unit}".strip()
    text = f"{found.count:,} of {total:,} differ, first at ({place}), largest {largest}"
    return Badge(text, "bad")


def kept_by_both(a: Execution, b: Execution) -> list[str]:
    """The images that two executions of a pipeline keep, but for its inputs, in its order."""
    names = [image.name for image in a.pipeline.images if image.name not in a.pipeline.inputs]
    return [n for n in names if n in a.images and n in b.images and a.keeps(n) and b.keeps(n)]


def stage_badge(name: str, a: Execution, b: Execution) -> Badge:
    """Equality of an image that two executions keep; both have run."""
    arrays, image = (a.images[name], b.images[name]), a.pipeline.image(name)
    found = difference(name, *arrays, (a.device, b.device))
    return badge(found, int(np.prod(arrays[0].shape)), image.scale, image.unit)


def host_badge(image: Image, a: NDArray[Any], b: NDArray[Any]) -> Badge:
    """Equality of an image that two executions keep, of its values on the host."""
    return badge(compare(image.name, a, b), a.size, image.scale, image.unit)


def clusters(differs: NDArray[np.bool_]) -> list[Cluster]:
    """Groups of differing pixels, in reading order of the boxes around them."""
    import cv2

    grown = cv2.dilate(differs.astype(np.uint8), np.ones((REACH + 1, REACH + 1), np.uint8))
    _, labels = cv2.connectedComponents(grown, connectivity=8)
    rows, columns = np.nonzero(differs)
    order = np.argsort(labels[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    starts = np.flatnonzero(np.diff(labels[rows, columns], prepend=0))
    if not len(starts):
        return []
    x, y = (np.minimum.reduceat(places, starts) for places in (columns, rows))
    right, bottom = (np.maximum.reduceat(places, starts) for places in (columns, rows))
    counts = np.diff(starts, append=len(rows))
    boxes = np.stack([x, y, right - x + 1, bottom - y + 1, counts], axis=1).tolist()
    found = [Cluster(*box) for box in boxes]
    return sorted(found, key=lambda cluster: (cluster.y, cluster.x))
