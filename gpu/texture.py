"""Hold a grey image where CUDA kernels read it through a texture."""

from typing import Any

import numpy as np


class Texture:
    """Hold a grey image in a CUDA array, read by kernels through a texture object.

    Point sampling, unnormalised coordinates, clamped to the edge.
    """

    def __init__(self, shape: tuple[int, int], dtype: Any) -> None:
        from cupy.cuda import runtime, texture

        self.shape, self.dtype = shape, np.dtype(dtype)
        bits = self.dtype.itemsize * 8
        channel = texture.ChannelFormatDescriptor(
            bits, 0, 0, 0, runtime.cudaChannelFormatKindUnsigned
        )
        self.array = texture.CUDAarray(channel, shape[1], shape[0])
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=self.array)
        sampling = texture.TextureDescriptor(
            (runtime.cudaAddressModeClamp,) * 2,
            runtime.cudaFilterModePoint,
            runtime.cudaReadModeElementType,
        )
        self.object = texture.TextureObject(resource, sampling)
