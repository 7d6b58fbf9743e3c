"""Reading of the values at one pixel, without any computation."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Array, Image
from wheatstone.gpu.steps import passed_on, without_meaning
from wheatstone.gpu.texture import as_array
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import views
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

Pixel = tuple[int, int]  # row, column
Number = int | float


@dataclass(frozen=True)
class Reading:
    """The values of all images of run A or B at one pixel.

    Attributes:
        stored: the value as stored; of an image with a third axis, at the disparity chosen.
        chosen: of an image with a third axis, the index on that axis.
    """

    letter: Letter
    slot: Run
    stored: Mapping[str, Number] = field(default_factory=dict)
    chosen: Mapping[str, int] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)


def readable_images(slot: Run) -> list[Image]:
    """List the images with a value at a pixel, except the source's, in order of computation."""
    pipeline = slot.pipeline
    plain = [i for i in pipeline.images if i.dims == ("height", "width") or i.chosen_by]
    inputs = {*pipeline.inputs} - {pipeline.output}  # values that a file holds are both
    return [i for i in plain if i.name not in inputs and not i.stands_for]


def read_slot(
    letter: Letter,
    shown: Shown,
    pixel: Pixel,
    executions: list[Execution],
    seen: "Values",
    names: Collection[str] = (),
) -> Reading:
    """Read the values of the images of run A or B at a pixel.

    Args:
        executions: hold the frame shown; an image is read from the first that keeps it.
        seen: values at the pixel of images that are stored elsewhere: on screen, or the source's.
        names: of the images that are read; empty: all.
    """
    slot, stored, chosen = shown.slot, dict[str, Number](), dict[str, int]()
    absent: dict[str, str] = {}
    arrays = passed_on(slot.pipeline, slot.declaration, slot.params)
    nothing = without_meaning(slot.pipeline, slot.params)
    images = [image for image in readable_images(slot) if not names or image.name in names]
    for image in sorted(images, key=lambda image: bool(image.chosen_by)):
        array = arrays.get(image.name, image.name)
        holder = next((e for e in executions if e.keeps(image.name)), None)
        if array in seen and image.name not in nothing:
            stored[image.name] = seen[array]
        elif not holder:
            absent[image.name] = why_absent(slot, image.name)
        elif not image.chosen_by:
            stored[image.name] = _value(holder.device, holder.array(image.name), pixel)
        elif (index := chosen_index(slot, image, stored)) is None:
            absent[image.name] = "no winner"
        else:
            chosen[image.name] = index
            stored[image.name] = _value(holder.device, holder.array(image.name), (*pixel, index))
    own = {name for stage in slot.pipeline.stages for name in stage.writes}  # no variant's alone
    absent = {name: why for name, why in absent.items() if name in own}
    return Reading(letter, slot, stored, chosen, absent)


Values = Mapping[str, Number]


def _value(device: Device, array: Array, place: tuple[int, ...]) -> Number:
    *before, last = place
    with device.active():
        value: Any = as_array(array)[(*before, slice(last, last + 1))]
    return device.download(value)[0].item()  # type: ignore[no-any-return]


def chosen_index(slot: Run, image: Image, stored: Mapping[str, Number]) -> int | None:
    """Return the index of a pixel's disparity along an image's disparity axis; None if unknown."""
    for name in image.chosen_by:
        teller = slot.pipeline.image(name)
        if name not in stored or not teller.limits:
            continue
        if teller.invalid and stored[name] == teller.invalid(slot.params):
            continue
        low, high = teller.limits(slot.params)
        # Halfway lies what has two equal sums, of which the first one won.
        nearest = math.ceil(stored[name] * teller.scale - low - 0.5)
        return int(np.clip(nearest, 0, high - low))
    return None


def why_absent(slot: Run, name: str) -> str:
    """Return the reason why a run has no value of an image."""
    writer = next((s for s in slot.pipeline.stages if name in s.writes), None)
    if writer and not writer.when(slot.params):
        return "switched off"
    return f"not kept by {slot.variant}"


def values_on_screen(session: "Session", letter: Letter, pixel: Pixel) -> Values:
    """Read a pixel's values in the source's images and in those computed for the view of A or B."""
    runner = session.a if letter == "a" else session.b
    shown, values = runner.shown, dict[str, Number]()
    if not shown or not runner.frame:
        return values
    values |= source_values(runner.frame, pixel)
    for name in shown.computed:
        stored = session.display.value(shown.texture(name), *pixel)
        if stored is not None and stored.ndim == 0:
            values[name] = stored.item()
    return values


def source_values(frame: Frame, pixel: Pixel) -> Values:
    """Read the grey levels of the views at a pixel, converted in the same way as in pipelines.

    A view that does not reach the pixel, as just after another source is opened, has no level.
    """
    import cv2

    row, column = pixel
    values: dict[str, Number] = {}
    if frame.values is not None:
        return values
    for name, pixels in views(frame).items():
        part = pixels[row : row + 1, column : column + 1]
        if part.size:
            level = part if part.ndim == 2 else cv2.cvtColor(part, cv2.COLOR_RGB2GRAY)
            values[name] = int(level[0, 0])
    return values


def runners_used(session: "Session") -> dict[Letter, Runner]:
    """Return the runners, which compute the runs on screen, by letter (A or B)."""
    mixing, runners = session.state.mixing, dict[Letter, Runner]()
    if mixing.uses_a:
        runners["a"] = session.a
    if mixing.uses_b:
        runners["b"] = session.b
    return runners


def reading_of(
    session: "Session",
    letter: Letter,
    runner: Runner,
    extra: Execution | None,
    pixel: Pixel,
    names: Collection[str] = (),
) -> Reading:
    """Read the values of the images of run A or B at a pixel.

    Args:
        extra: holds images that are computed on demand.
        names: of the images that are read; empty: all.
    """
    assert runner.shown
    executions = [execution for execution in (runner.execution, extra) if execution]
    seen = values_on_screen(session, letter, pixel)
    return read_slot(letter, runner.shown, pixel, executions, seen, names)
