"""Sum the template's grey levels and their squares on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import Region

BLOCK = (512,)
TYPES = {  # of images and scalars
    "texture": (TEXTURE, np.int64) + (np.int32,) * 4,
    "global": (np.uint8, np.int64) + (np.int32,) * 5,
}
KERNELS = {
    memory: Kernel("template_statistics.cu", f"template_statistics_{memory}", types, arrays=2)
    for memory, types in TYPES.items()
}


def template_statistics(
    left: Array, template_sums: Array, template: Region, memory: str = "texture"
) -> None:
    """Launch the summing kernel of a memory."""
    pitch = (left.shape[1],) if memory == "global" else ()
    KERNELS[memory]((1,), BLOCK, left, template_sums, *pitch, *template)
