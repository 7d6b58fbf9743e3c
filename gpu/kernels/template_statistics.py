"""Sum the template's grey levels and their squares on the GPU."""

import numpy as np

from gpu.kernels.kernel import TEXTURE, Kernel
from gpu.pipeline import Array
from gpu.pipelines.ncc.params import Region

BLOCK = (512,)
KERNELS = {
    TEXTURE: Kernel(
        "template_statistics.cu",
        "template_statistics",
        (TEXTURE, np.int64) + (np.int32,) * 4,
        arrays=2,
    )
}


def template_statistics(left: Array, template_sums: Array, template: Region) -> None:
    """Launch the kernel."""
    KERNELS[TEXTURE]((1,), BLOCK, left, template_sums, *template)
