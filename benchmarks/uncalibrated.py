"""Measure how exactly pairs of rotated cameras are rectified without a calibration.

The right view of a built-in scene is rotated, scaled and shifted; in other cases both views are
rotated, or distorted like those of a lens. `before` and `after` are the row offsets of matches
before and after rectification, as median and 95th percentile (`p95`). `exact` is the median row
offset of all pixels by ground truth, for cases without a lens. `range` is the range of disparities
that is searched afterwards, `inside` the share of pixels whose disparity lies in this range, and
`filled` the share of pixels that semi-global matching assigns a disparity. The exit code is 1 if a
median after rectification is above 0.5 px.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.runner import Count, Size
from tests.turned_pairs import TurnedPair, ends, turned
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.cameras.rectification import RawPair
from wheatstone.viewer.io.cameras.rig import Matrix
from wheatstone.viewer.io.cameras.uncalibrated import Uncalibrated, rectify_uncalibrated
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.scene import Scene

MOST = 0.5  # largest allowed median row offset, in pixels
FEATURED = tuple(name for name in SCENES if name != "bare-wall")  # which has too few features
Grey = NDArray[np.uint8]


@dataclass(frozen=True)
class Case:
    """A transformation of a pair before it is rectified.

    Attributes:
        turn: rotation of the right view, in degrees.
        scale: scale of the right view.
        down: shift of the right view, in rows.
        left_turn: rotation of the left view, in degrees.
        lens: radial distortion of both views, at a focal length of the width.
    """

    name: str
    turn: float = 0.0
    scale: float = 1.0
    down: float = 0.0
    left_turn: float = 0.0
    lens: float = 0.0


CASES = (
    Case("unchanged"),
    Case("turned", 3.0, 1.03, 20.0),
    Case("turned back", -3.0, 0.97, -20.0),
    Case("both turned", -2.0, 1.02, 10.0, left_turn=2.0),
    Case("turned, lens", 3.0, 1.03, 10.0, lens=-0.05),
    Case("turned far", 10.0),
)


def warp(view: Grey, by: Matrix, lens: float) -> Grey:
    """Warp a view by a homography, then distort it like a lens."""
    import cv2

    height, width = view.shape
    seen = cv2.warpPerspective(view, by, (width, height))
    if lens:
        camera = np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1]], np.float64)
        coefficients, kind = np.array([lens, 0, 0, 0]), cv2.CV_32FC1
        maps = cv2.initUndistortRectifyMap(
            camera, coefficients, np.eye(3), camera, (width, height), kind
        )
        seen = cv2.remap(seen, *maps, cv2.INTER_LINEAR)
    return np.asarray(seen, np.uint8)


def match_rectified(left: Grey, right: Grey, rectified: Uncalibrated) -> NDArray[np.float32]:
    """Compute the disparity of the rectified pair, (H, W) in pixels, NaN where there is none."""
    pipeline = PIPELINES["sgm"]
    first, count = rectified.rectification.disparities or (0, 64)
    params = pipeline.params().changed(
        min_disparity=first, disparities=count, fill_holes=False, median=False
    )
    execution = prepare(pipeline, "cpu", params, *left.shape)
    pair = RawPair(left, right, rectified.rectification).rectified
    execution.upload(left=pair[0], right=pair[1])
    execution.run(timed=False)
    image = pipeline.image(pipeline.output)
    stored = execution.download(image.name)
    assert image.invalid
    nothing = stored == image.invalid(params)
    return np.where(nothing, np.nan, stored * image.scale).astype(np.float32)


def rows(frame: Frame, cases: Sequence[Case], pictures: Path | None, name: str) -> Iterator[bool]:
    """Rectify a frame in every case; print a table row, and yield whether its medians are small."""
    grey, truth = grey_views(frame), frame.truth
    assert truth is not None
    height, width = truth.shape
    for case in cases:
        moved = (
            turned(case.left_turn, 1.0, 0.0, width, height),
            turned(case.turn, case.scale, case.down, width, height),
        )
        left, right = (warp(v, m, case.lens) for v, m in zip(grey.values(), moved, strict=True))
        began = time.perf_counter()
        rectified = rectify_uncalibrated(left, right)
        seconds = time.perf_counter() - began
        (x, y), (match, row) = ends(TurnedPair(left, right, moved, truth), rectified, 4)
        offset, disparity = np.abs(row - y), x - match
        first, count = rectified.rectification.disparities or (0, 0)
        inside = np.mean((disparity >= first) & (disparity <= first + count - 1))
        result = match_rectified(left, right, rectified)
        exactly = "      -" if case.lens else f"{np.median(offset):7.3f}"
        print(
            f"{name:12} {case.name:13} {rectified.matches:7} {rectified.before.median:7.2f} "
            f"{rectified.before.p95:6.2f} {rectified.after.median:8.3f} {rectified.after.p95:6.2f} "
            f"{exactly} {first:5}..{first + count - 1:<4} {inside:7.1%} "
            f"{np.isfinite(result).mean():7.1%} {seconds:8.2f}",
            flush=True,
        )
        if pictures:
            write(pictures / f"{name} {case.name}.png".replace(" ", "-"), result, count)
        yield rectified.after.median <= MOST and (
            bool(case.lens) or float(np.median(offset)) <= MOST
        )


def write(path: Path, disparity: NDArray[np.float32], count: int) -> None:
    """Write a disparity image in colours; pixels without a disparity are black."""
    import cv2

    shade = np.nan_to_num(np.clip(disparity / count * 255, 0, 255)).astype(np.uint8)
    picture = cv2.applyColorMap(shade, cv2.COLORMAP_TURBO)
    picture[np.isnan(disparity)] = 0
    cv2.imwrite(str(path), picture)


def main(*, size: Size = (640, 480), seeds: Count = 2, pictures: Path | None = None) -> bool:
    """Rectify all scenes and print a table; return whether all medians are at most ``MOST``."""
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    print("scene        case          matches  before    p95    after    p95   exact "
          "      range  inside  filled  seconds")  # fmt: skip
    good = [
        fine
        for scene in FEATURED
        for seed in range(seeds)
        for fine in rows(Scene(scene, seed, size).render(0), CASES, pictures, f"{scene} {seed}")
    ]
    return all(good)
