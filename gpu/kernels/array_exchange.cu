// Convert arrays that other programs pass or receive on the GPU.
//
//   grey_levels   RGB to grey levels, as gpu.reference.rectify defines them, which is OpenCV's rule
//   in_units      stored values to their unit, NaN where there is no result
//
// Launch: block (BLOCK), one thread per pixel.

#include "common.cuh"

extern "C" __global__ void grey_levels(const uint8_t* __restrict__ rgb, uint8_t* __restrict__ grey,
                                       int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const uint8_t* pixel = rgb + 3ULL * i;
    grey[i] = (9798 * pixel[0] + 19235 * pixel[1] + 3735 * pixel[2] + 16384) >> 15;
}

extern "C" __global__ void in_units(const STORED* __restrict__ stored, float32_t* __restrict__ values,
                                    int pixels, float scale, int has_invalid, int invalid) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    const bool none = has_invalid && stored[i] == invalid;
    values[i] = none ? __int_as_float(0x7FC00000) : __fmul_rn(stored[i], scale);
}
