// Turn disparities into depths.  Computes gpu.reference.depth.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"

extern "C" __global__ void depth(const int16_t* __restrict__ disparity, const float32_t* __restrict__ camera,
                                 float32_t* __restrict__ depth, int height, int width, int min_disparity) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int found = disparity[at(y, x, width)];
    // Every operation is named with its rounding: the compiler would scale and add in one.
    const float away = __fadd_rn(__fmul_rn(found, 1 / 16.0f), camera[1]);
    const bool valid = found != (min_disparity - 1) * 16 && away > 0;
    depth[at(y, x, width)] = valid ? __fdiv_rn(camera[0], away) : __int_as_float(0x7FC00000);
}
