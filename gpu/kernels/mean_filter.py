"""Mean filter on the GPU."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import TEXTURE, Kernel, blocks
from gpu.pipeline import Array, controls
from gpu.pipelines.mean import BLOG_RADIUS, MeanParams

BLOCK = (32, 16)
CONTROLS = controls(MeanParams)
SCALARS: dict[str, tuple[str, ...]] = {  # what a memory's kernel takes after its images
    "global": ("height", "width", "radius"),
    "unrolled": ("height", "width"),
    "texture": ("height", "width", "radius"),
    "shared": ("height", "width"),
}


def _radii(convention: str) -> range:
    bounds = CONTROLS["radius"]
    return range(BLOG_RADIUS, BLOG_RADIUS + 1) if convention == "blog" else range(int(bounds.low), int(bounds.high) + 1)


def _kernel(memory: str, convention: str, radius: int) -> Kernel:
    left: Any = TEXTURE if memory == "texture" else np.uint8
    return Kernel(
        "mean_filter.cu",
        f"mean_filter_{memory}",
        (left, np.uint8) + (np.int32,) * len(SCALARS[memory]),
        arrays=2,
        defines=(
            ("CONVENTION", convention),
            ("RADIUS", str(radius)),
            ("BLOCK_X", str(BLOCK[0])),
            ("BLOCK_Y", str(BLOCK[1])),
        ),
    )
