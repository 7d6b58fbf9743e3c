"""Measure how much the filters of ``sgm`` reduce the flicker of live depth.

All frames show the same built-in scene, with new noise in both views of each. ``flicker`` is the
share of steps from frame to frame in which a disparity changes by more than a pixel, appears or
disappears; ``noise`` is the standard deviation of a pixel's disparity, averaged over the pixels;
both cover the newest frames. ``density`` is the share of pixels with a disparity in the last frame,
``bad-1`` the share of pixels, seen by both views, that are wrong there by more than a pixel.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import numpy as np

from benchmarks.runner import Count, Findings, Size
from wheatstone.gpu.analysis.temporal import FrameWindow
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.run.engine import Engine
from wheatstone.viewer.run.run import Run

MOST_MEASURED = 16  # frames
ANY_CHANGE = 255  # grey levels by which a static input may change: all changes are noise here
HOLES = {"fill_holes": False}
TEMPORAL = {"temporal_alpha": 0.4, "temporal_delta": 2.0}
KEEPS = {**HOLES, "persistence": "2 of 4"}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "decimation 2": {"decimation": 2},
    "decimation 4": {"decimation": 4},
    "temporal": TEMPORAL,
    "decimation 2, temporal": {"decimation": 2, **TEMPORAL},
    "holes": HOLES,
    "holes, persistence 2 of 4": KEEPS,
    "holes, persistence 2 of 4, temporal": {**KEEPS, **TEMPORAL},
}


def main(
    *,
    scene: Annotated[str, "built-in scene", tuple(SCENES)] = "basket",
    size: Size = (320, 240),
    frames: Count = 32,
    noise: Annotated[Count, "standard deviation in grey levels"] = 4,
    variant: Annotated[str, "variant of sgm"] = "cpu",
) -> Findings:
    """Measure a scene with each of ``SETTINGS``."""
    still = Scene(scene, 0, size).first()
    by_source = {}
    for name, changes in SETTINGS.items():
        run = Run("sgm", variant=variant, **changes)
        by_source[name] = measure(run, still, noisy_frames(still, noise, frames))
    rows = [
        (name, *(f"{value:.2f}" for value in each.values())) for name, each in by_source.items()
    ]
    columns = ("Filters", "flicker, %", "noise, px", "density, %", "bad-1, %")
    return Findings(
        {"scene": scene, "size": size, "noise": noise, "found": by_source},
        [markdown(columns, rows)],
    )


def noisy_frames(still: Frame, noise: int, count: int) -> Iterator[Frame]:
    """Yield copies of a frame, each with new noise in the grey levels of its views."""
    random, views = np.random.default_rng(0), grey_views(still)
    for index in range(count):
        noisy = {
            side: np.clip(np.rint(view + random.normal(0, noise, view.shape)), 0, 255)
            for side, view in views.items()
        }
        left, right = (noisy[side].astype(np.uint8) for side in ("left", "right"))
        yield Frame(left, right, index, still.truth, still.occluded, still.calibration)


def measure(run: Run, still: Frame, frames: Iterator[Frame]) -> dict[str, float]:
    """Compute a sequence of frames; return flicker, noise, density and bad-1 by name."""
    engine, image = Engine(), run.output
    assert image.invalid
    window = FrameWindow(MOST_MEASURED, ANY_CHANGE, image.scale, int(image.invalid(run.params)))
    for frame in frames:
        result = engine.compute(run, frame, (still, frame.index))
        window.add(result.stored[image.name], frame.left)
    return {
        "flicker": 100 * window.flicker_rate,
        "noise": float(np.nanmean(window.measure("noise"))),
        "density": result.density,
        "bad-1": result.judge()["bad-1"],
    }
