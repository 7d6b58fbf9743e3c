"""Time the rectification of a pair by every variant, and a plain copy of the same bytes.

The rig is synthetic, with a tangential and a strong radial distortion and 1.5 degrees between the
cameras; the pair is noise. The views of each variant are compared with those of ``cv2.remap`` on
OpenCV's own maps; if a byte differs, the exit code is 1. The copy moves as many bytes as the stages
must read and write: raw colours, maps and grey levels, each once.
"""

from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.runner import Count, Size
from wheatstone.gpu.analysis.measurement import chained_milliseconds, time_frames
from wheatstone.gpu.clock import recorded_milliseconds
from wheatstone.gpu.device import Device, open_device, why_unavailable
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.inputs import with_presence
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.viewer.io.cameras.rectification import ViewMap, map_of
from wheatstone.viewer.io.cameras.rig import Camera
from wheatstone.viewer.io.files.markdown import markdown

BYTES = 4 + 4 + 1  # per pixel of a view: raw colours, map, grey level
DISTORTION = (-0.32, 0.11, 1e-3, -7e-4, -0.02)
TURN = (0.012, -0.02, 0.007)  # radians about each axis; negative for the other camera


def maps(width: int, height: int) -> tuple[ViewMap, ViewMap]:
    """Return the rectification maps of both views of the rig."""
    focal, middle = 0.8 * width, (width / 2 + 2.3, height / 2 - 1.3)
    matrix = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]])
    turns = [cv2.Rodrigues(sign * np.array(TURN))[0] for sign in (1, -1)]
    camera = Camera(matrix, DISTORTION)
    left, right = (map_of(camera, turn, matrix, width, height) for turn in turns)
    return left, right


def prepared(variant: str, width: int, height: int, *, colours: bool = False) -> Execution:
    """Return an execution of a variant that has noise as its views."""
    wanted = RECTIFY.on_demand if colours else ()
    execution = prepare(RECTIFY, variant, RECTIFY.params(), height, width, wanted)
    left, right = maps(width, height)
    raw = views(width, height)
    execution.upload(
        raw_left=raw[0], raw_right=raw[1], left_map=left.displacement, right_map=right.displacement
    )
    return execution


def views(width: int, height: int) -> list[NDArray[np.uint8]]:
    """Return a pair of noise images with four channels."""
    random = np.random.default_rng(3)
    return [with_presence(random.integers(0, 256, (height, width, 3), np.uint8)) for _ in "ab"]


def differing(execution: Execution) -> int:
    """Count the bytes that differ from OpenCV's in the colours and grey levels of both views."""
    raw, count = views(execution.width, execution.height), 0
    for view, pixels, side in zip(
        maps(execution.width, execution.height), raw, ("left", "right"), strict=True
    ):
        expected = cv2.remap(pixels, view.place, view.fraction, cv2.INTER_LINEAR)
        count += int(np.count_nonzero(execution.download(f"rectified_{side}") != expected))
        grey = cv2.cvtColor(expected, cv2.COLOR_RGBA2GRAY)
        count += int(np.count_nonzero(execution.download(side) != grey))
    return count


def copy_milliseconds(device: Device, width: int, height: int, frames: int) -> float:
    """Time a plain copy that reads and writes as many bytes as rectification must."""
    size = (2 * width * height * BYTES // 2,)
    with device.active():
        source, target = device.zeros(size, np.uint8), device.zeros(size, np.uint8)
        device.copy(target, source)
    copy = partial(device.copy, target, source)
    return float(np.median(recorded_milliseconds(device, copy, frames)))


def main(*, size: Size = (1920, 1080), frames: Count = 200) -> bool:
    """Time every variant and a copy, and print a table; return whether no byte differs."""
    width, height = size
    rows, wrong = list[tuple[str, str, str, int | str]](), 0
    kinds = [kind for kind in ("cpu", "cuda") if not why_unavailable(kind)]

    def add(name: str, took: float, colours: float | None = None, differ: int | str = "") -> None:
        microseconds = "" if colours is None else f"{colours * 1e3:.1f}"
        rows.append((name, f"{took * 1e3:.1f}", microseconds, differ))

    for variant in RECTIFY.variants:
        if variant.device not in kinds:
            continue
        count = frames if variant.on_gpu else min(frames, 5)
        took = time_frames(prepared(variant.name, width, height), count)[0].median
        whole = prepared(variant.name, width, height, colours=True)
        colours, differ = time_frames(whole, count)[0].median, differing(whole)
        add(variant.name, took, colours, differ)
        wrong += differ
    if "cuda" in kinds:
        took = time_frames(prepared("fast", 1, 1), frames)[0].median
        add("fast, one pixel: overhead of a frame", took)
        took = chained_milliseconds(prepared("fast", width, height))
        colours = chained_milliseconds(prepared("fast", width, height, colours=True))
        add("fast, frames back to back", took, colours)
    for kind in kinds:
        add(f"plain copy, {kind}", copy_milliseconds(open_device(kind), width, height, frames))
    header = ("Variant", f"us, {width}x{height} pair", "us, with colours", "Bytes that differ")
    print(markdown(header, rows))
    return not wrong
