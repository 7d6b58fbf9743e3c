"""Checks whether the results of runs A and B can be compared, and messages if they are equal."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.comparison import Difference, Invalid, compare, compare_on
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Array, Image, Pipeline
from wheatstone.viewer.display.picture.caption import Tone
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.frame import Source

OTHER_DISPARITIES = "not comparable: they search from different disparities"


@dataclass(frozen=True)
class Badge:
    """A message (badge) that states if A and B are equal, or why they cannot be compared."""

    text: str
    tone: Tone


def compared_image(shown: Shown) -> str:
    """Return the name of the image to compare: the first computed image on screen, or empty."""
    computed = [name for name in shown.view.panes if shown.arrays[name] in shown.computed]
    return computed[0] if computed else ""


def why_slots_incomparable(a: Shown, b: Shown, source: Source) -> str:
    """Return why no images of two runs can be compared, such as frozen B; else empty."""
    if a.slot.declaration.peer or b.slot.declaration.peer:
        return "peer, not comparable"
    difference = 0 if b.elsewhere else a.frame - b.frame
    if difference % source.length:  # a still is the same at every index
        return f"B is frozen at frame {b.frame}, not comparable"
    return ""


def why_incomparable(a: Shown, b: Shown, source: Source) -> str:
    """Return why the images of two runs cannot be compared; empty if they can be."""
    if reason := why_slots_incomparable(a, b, source):
        return reason
    names = compared_image(a), compared_image(b)
    if not all(names):
        return "the view shows no computed image"
    one, other = (s.slot.image(n) for s, n in zip((a, b), names, strict=True))
    if (one.unit, one.scale, one.dims) != (other.unit, other.scale, other.dims):
        first, second = (f"{s.slot.pipeline.name}.{n}" for s, n in zip((a, b), names, strict=True))
        return f"{first} and {second} differ in kind, not comparable"
    image_a, image_b = (
        ComputedImage(s.slot.pipeline, n, s.slot.params) for s, n in zip((a, b), names, strict=True)
    )
    return _why_elements_differ(image_a, image_b, source.height, source.width)


@dataclass(frozen=True)
class ComputedImage:
    """A computed image of a pipeline, with the parameters that it depends on."""

    pipeline: Pipeline
    name: str
    params: Params

    @property
    def first_disparity(self) -> float | None:
        """Return the first disparity searched if the image's values are offsets from it, else None.

        Cost volumes and indices of winners count from it, disparities in pixels do not.
        """
        images, image = self.pipeline.images, self.pipeline.image(self.name)
        choosing = {name for volume in images for name in volume.chosen_by}
        indices = [i for i in images if i.name in choosing and not i.disparity]
        is_index = image.limits is not None and image.limits in [i.limits for i in indices]
        searched = [i.limits for i in images if i.disparity and i.limits]
        counts = bool(searched) and (bool(image.chosen_by) or is_index)
        return searched[0](self.params)[0] if counts else None


def _why_elements_differ(a: ComputedImage, b: ComputedImage, height: int, width: int) -> str:
    """Return why the pixels of two images do not correspond; empty if they do."""
    shapes = [c.pipeline.image(c.name).shape(height, width, c.params) for c in (a, b)]
    if shapes[0] != shapes[1]:
        sizes = (" x ".join(map(str, shape)) for shape in shapes)
        return "not comparable: {} in A, {} in B".format(*sizes)
    return OTHER_DISPARITIES if a.first_disparity != b.first_disparity else ""


def why_stage_incomparable(name: str, a: Execution, b: Execution) -> str:
    """Return why an intermediate image of two runs cannot be compared; empty if it can be."""
    computed = ComputedImage(a.pipeline, name, a.params), ComputedImage(b.pipeline, name, b.params)
    return _why_elements_differ(*computed, a.height, a.width)


def invalid_values(a: Shown, b: Shown) -> Invalid:
    """Return the "no value" numbers stored in the images of A and B; None unless both have one."""
    declared = [s.slot.pipeline.image(compared_image(s)).invalid for s in (a, b)]
    if declared[0] is None or declared[1] is None:
        return None
    return declared[0](a.slot.params), declared[1](b.slot.params)


def difference(
    image: str, a: Array, b: Array, devices: tuple[Device, Device], invalid: Invalid = None
) -> Difference | None:
    """Compare two arrays on their common device, or on the host; return None if they are equal."""
    if devices[0] is devices[1] and not devices[0].on_host and a.dtype == b.dtype:
        return compare_on(devices[0], image, a, b, invalid)
    first, second = (device.download(x) for device, x in zip(devices, (a, b), strict=True))
    return compare(image, first, second, invalid)


def badge(result: Difference | None, total: int, image: Image) -> Badge:
    """Make the message that states how many of ``total`` values differ, and how far."""
    if not result:
        return Badge(f"identical: 0 of {total:,} differ", "good")
    if image.binary:
        return Badge(_counted(result, total), "bad")
    largest = f"largest {result.largest * image.scale:g} {image.unit}".strip()
    if not result.largest:
        largest = "all where only one has a value"
    return Badge(f"{_counted(result, total)}, {largest}", "bad")


def _counted(result: Difference, total: int) -> str:
    place = ", ".join(map(str, result.first))
    return f"{result.count:,} of {total:,} differ, first at ({place})"


def kept_by_both(a: Execution, b: Execution) -> list[str]:
    """List the computed images that two prepared runs both store, in pipeline order."""
    names = [image.name for image in a.pipeline.images if image.name not in a.pipeline.inputs]
    return [n for n in names if n in a.images and n in b.images and a.keeps(n) and b.keeps(n)]


def invalid_stored(image: Image, a: Execution, b: Execution) -> Invalid:
    """Return the stored values for "no value" in an image, for each of two prepared runs."""
    return (image.invalid(a.params), image.invalid(b.params)) if image.invalid else None


def stage_badge(image: Image, a: Execution, b: Execution) -> Badge:
    """Compare an intermediate image of two runs that have computed a frame; describe the result."""
    arrays = a.images[image.name], b.images[image.name]
    result = difference(image.name, *arrays, (a.device, b.device), invalid_stored(image, a, b))
    return badge(result, int(np.prod(arrays[0].shape)), image)


def host_badge(image: Image, a: NDArray[Any], b: NDArray[Any], invalid: Invalid) -> Badge:
    """Compare an image of two runs, given as host arrays, and describe the result."""
    return badge(compare(image.name, a, b, invalid), a.size, image)
