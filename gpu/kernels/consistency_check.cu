// Consistency check.  Computes gpu.reference.consistency_check.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"

extern "C" __global__ void consistency_check(const int16_t* __restrict__ unique,
                                             const int16_t* __restrict__ winner,
                                             const int16_t* __restrict__ right_winner,
                                             int16_t* __restrict__ consistent, int height, int width,
                                             int min_disparity, int lr_check) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const int d = winner[pixel], partner = x - min_disparity - d;
    const bool seen = 0 <= partner && partner < width;
    const bool agree = seen && abs(right_winner[at(y, partner, width)] - d) <= lr_check;
    consistent[pixel] = agree ? unique[pixel] : (min_disparity - 1) * SUBPIXEL_STEPS;
}
