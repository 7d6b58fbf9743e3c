"""Compare the times of hierarchical and full search in variant ``fast``, with preset ``fast``.

Prints a Markdown table: milliseconds of a frame and of the stages that process the searched blocks.
A smaller image is also computed with variant ``cpu``; if a pixel differs, the exit code is 1.
"""

import numpy as np

from benchmarks.cpu_sgm import Pair, differing
from benchmarks.runner import Count
from wheatstone.gpu.analysis.measurement import lap, time_frames, time_stages
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.io.files.markdown import markdown

COMPARED = (360, 640, 64)  # height, width, disparities
SIZES = ((1080, 1920, 128), (2160, 3840, 128), (2160, 3840, 256), (3000, 4000, 768))
STAGES = ("sparse_paths", "sparse_winner", "sparse_matching")
BOXES = 150


def scene(height: int, width: int, disparities: int) -> Pair:
    """Return a pair of textured boxes in front of a slanted ground, with a little noise."""
    random = np.random.default_rng((height, width, 7))
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    depth = disparities * (0.08 + 0.3 * ys / height)
    for _ in range(BOXES):
        h = int(random.integers(height // 40, height // 6))
        w = int(random.integers(width // 60, width // 8))
        y, x = random.integers(0, height - h), random.integers(0, width - w)
        part = (slice(y, y + h), slice(x, x + w))
        slant = random.uniform(-0.03, 0.03) * (xs[part] - x)
        depth[part] = disparities * random.uniform(0.2, 0.85) + slant
    depth = np.clip(depth, 0, disparities - 2)
    texture = np.full((height, width), 30, np.float32)
    for cell, contrast in ((1, 25), (2, 30), (5, 50), (17, 70)):
        cells = random.random((height // cell + 1, width // cell + 1)).astype(np.float32)
        texture += contrast * np.repeat(np.repeat(cells, cell, 0), cell, 1)[:height, :width]
    column = np.arange(width)
    shifted = [np.interp(column - d, column, row) for d, row in zip(depth, texture, strict=True)]
    noise = random.integers(-3, 4, (2, height, width))
    left, right = np.clip(np.stack([shifted, texture]) + noise, 0, 255).astype(np.uint8)
    return left, right


def cells(size: tuple[int, int, int], frames: int) -> tuple[str, ...]:
    """Measure one size (height, width, disparities); return the cells of its table row."""
    height, width, disparities = size
    pair = scene(*size)
    times = {}
    for search in ("full", "hierarchical"):
        params = SGM.preset("fast").changed(disparities=disparities, search=search)
        if SGM.variant("fast").refuses(params, height, width):
            continue
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=pair[0], right=pair[1])
        lap(execution)  # compiles
        times[search] = time_frames(execution, frames)[0].median
    stages = time_stages(execution, frames)
    searched = 100 * float(np.asarray(execution.download("searched")).mean())
    return (
        f"{width}x{height}",
        f"{disparities}",
        f"{times['full']:.2f}" if "full" in times else "refused",
        f"**{times['hierarchical']:.2f}**",
        f"{searched:.1f} %",
        *(f"{stages[stage].median:.2f}" for stage in STAGES),
    )


def main(*, frames: Count = 20) -> bool:
    """Time both searches and print a table; return whether no pixel differs from ``cpu``."""
    params = SGM.preset("fast").changed(disparities=COMPARED[2], search="hierarchical")
    assert isinstance(params, SgmParams)
    differ = differing(params, scene(*COMPARED), ("fast", "cpu"))
    header = ("Size", "D", "Full, ms", "Hierarchical, ms", "Searched", *STAGES)
    print(markdown(header, [cells(size, frames) for size in SIZES]))
    print(f"{COMPARED[1]}x{COMPARED[0]}: {differ} pixels differ from variant cpu")
    return not differ
