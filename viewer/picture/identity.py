"""Whether what A and B show is the same, in words; and where it is not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.analysis.comparison import Difference, Invalid, compare, compare_on
from gpu.device import Device
from gpu.execution import Execution
from gpu.parameters import Params
from gpu.pipeline import Array, Image, Pipeline
from viewer.picture.caption import Tone
from viewer.picture.shown import Shown
from viewer.sources.frame import Source

OTHER_DISPARITIES = "not comparable: they search from different disparities"

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


def why_nothing(a: Shown, b: Shown, source: Source) -> str:
    """Why nothing that two slots compute can be compared; empty if something may be."""
    if a.slot.declaration.peer or b.slot.declaration.peer:
        return "peer, not comparable"
    if (a.frame - b.frame) % source.length:  # a still is the same at every index
        return f"B is frozen at frame {b.frame}, not comparable"
    return ""


def why_not(a: Shown, b: Shown, source: Source) -> str:
    """Why equality of what two slots show means nothing; empty if it does."""
    if reason := why_nothing(a, b, source):
        return reason
    names = compared_image(a), compared_image(b)
    if not all(names):
        return "the view shows nothing that is computed"
    one, other = (s.slot.pipeline.image(n) for s, n in zip((a, b), names, strict=True))
    if (one.unit, one.scale, one.dims) != (other.unit, other.scale, other.dims):
        first, second = (f"{s.slot.pipeline.name}.{n}" for s, n in zip((a, b), names, strict=True))
        return f"{first} and {second} differ in kind, not comparable"
    one_held, other_held = (
        Held(s.slot.pipeline, n, s.slot.params) for s, n in zip((a, b), names, strict=True)
    )
    return _why_apart(one_held, other_held, source.height, source.width)


@dataclass(frozen=True)
class Held:
    """An image of a pipeline, and the parameters it is computed with."""

    pipeline: Pipeline
    name: str
    params: Params

    @property
    def first_disparity(self) -> float | None:
        """The first disparity searched, if disparities are counted from it here; else None."""
        images, image = self.pipeline.images, self.pipeline.image(self.name)
        choosing = {name for volume in images for name in volume.chosen_by}
        indices = [i for i in images if i.name in choosing and not i.disparity]
        is_index = image.limits is not None and image.limits in [i.limits for i in indices]
        searched = [i.limits for i in images if i.disparity and i.limits]
        counts = bool(searched) and (bool(image.chosen_by) or is_index)
        return searched[0](self.params)[0] if counts else None


def _why_apart(a: Held, b: Held, height: int, width: int) -> str:
    """Why the elements of two images do not belong together; empty if they do."""
    shapes = [held.pipeline.image(held.name).shape(height, width, held.params) for held in (a, b)]
    if shapes[0] != shapes[1]:
        sizes = (" x ".join(map(str, shape)) for shape in shapes)
        return "not comparable: {} in A, {} in B".format(*sizes)
    return OTHER_DISPARITIES if a.first_disparity != b.first_disparity else ""


def why_no_stage(name: str, a: Execution, b: Execution) -> str:
    """Why equality of an image that two executions of a pipeline keep means nothing.

    Empty if it means something.
    """
    held = Held(a.pipeline, name, a.params), Held(b.pipeline, name, b.params)
    return _why_apart(*held, a.height, a.width)


def invalid_values(a: Shown, b: Shown) -> Invalid:
    """The stored values that mean "no value" in the first image on screen, of A and of B."""
    declared = [s.slot.pipeline.image(compared_image(s)).invalid for s in (a, b)]
    if declared[0] is None or declared[1] is None:
        return None
    return declared[0](a.slot.params), declared[1](b.slot.params)


def difference(
    image: str, a: Array, b: Array, devices: tuple[Device, Device], invalid: Invalid = None
) -> Difference | None:
    """How two arrays differ, counted where they live; on different devices, through the host."""
    if devices[0] is devices[1] and not devices[0].on_host and a.dtype == b.dtype:
        return compare_on(devices[0], image, a, b, invalid)
    first, second = (device.download(x) for device, x in zip(devices, (a, b), strict=True))
    return compare(image, first, second, invalid)


def badge(found: Difference | None, total: int, scale: float, unit: str) -> Badge:
    """A result of a comparison in words.

    Args:
        total: elements compared.
        scale, unit: of the image's values.
    """
    if not found:
        return Badge(f"identical: 0 of {total:,} differ", "good")
    largest = f"largest {found.largest * scale:g} {unit}".strip()
    if not found.largest:
        largest = "all where only one has a value"
    return Badge(f"{_counted(found, total)}, {largest}", "bad")


def _counted(found: Difference, total: int) -> str:
    place = ", ".join(map(str, found.first))
    return f"{found.count:,} of {total:,} differ, first at ({place})"


def kept_by_both(a: Execution, b: Execution) -> list[str]:
    """The images that two executions of a pipeline keep, but for its inputs, in its order."""
    names = [image.name for image in a.pipeline.images if image.name not in a.pipeline.inputs]
    return [n for n in names if n in a.images and n in b.images and a.keeps(n) and b.keeps(n)]


def invalid_stored(image: Image, a: Execution, b: Execution) -> Invalid:
    """The stored values that mean "no value" in an image that two executions keep."""
    return (image.invalid(a.params), image.invalid(b.params)) if image.invalid else None


def stage_badge(name: str, a: Execution, b: Execution) -> Badge:
    """Equality of an image that two executions keep; both have run."""
    arrays, image = (a.images[name], b.images[name]), a.pipeline.image(name)
    found = difference(name, *arrays, (a.device, b.device), invalid_stored(image, a, b))
    return badge(found, int(np.prod(arrays[0].shape)), image.scale, image.unit)


def host_badge(image: Image, a: NDArray[Any], b: NDArray[Any], invalid: Invalid) -> Badge:
    """Equality of an image that two executions keep, of its values on the host."""
    return badge(compare(image.name, a, b, invalid), a.size, image.scale, image.unit)


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
