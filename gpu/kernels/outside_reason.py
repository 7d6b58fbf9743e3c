"""Mark rectified pixels that are rejected because they lie outside a raw view, on the GPU."""

from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.pipelines.rectify.ahead import with_rectification
from wheatstone.gpu.pipelines.sgm import SGM

outside_reason = PerPixel(with_rectification(SGM), "outside_reason")
KERNELS = outside_reason.kernels
