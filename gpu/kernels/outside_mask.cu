// Reject disparities of pixels that no rectified view shows.  Computes gpu.reference.outside_mask.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"
#include "rectify.cuh"
#include "outside.cuh"

extern "C" __global__ void outside_mask(const int16_t* __restrict__ unmasked_disparity,
                                        const int16_t* __restrict__ left_map,
                                        const int16_t* __restrict__ right_map,
                                        int16_t* __restrict__ disparity, int height, int width, int axes,
                                        int min_disparity) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int found = unmasked_disparity[at(y, x, width)];
    const bool outside = is_outside(found, left_map, right_map, y, x, height, width, min_disparity);
    disparity[at(y, x, width)] = outside ? (min_disparity - 1) * 16 : found;
}
