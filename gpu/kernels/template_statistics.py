"""Sum the template's grey levels and their squares on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import Region

BLOCK = (512,)
KERNELS = {
    "texture": declare("template_statistics", "texture", (TEXTURE, np.int64), 4),
    "global": declare("template_statistics", "global", (np.uint8, np.int64), 5),
}


def template_statistics(
    left: Array, template_sums: Array, template: Region, memory: str = "texture"
) -> None:
    """Launch the summing kernel of a memory."""
    pitch = (left.shape[1],) if memory == "global" else ()
    KERNELS[memory]((1,), BLOCK, left, template_sums, *pitch, *template)
