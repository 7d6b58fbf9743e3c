// Convert the colours of a view to grey levels.  Computes gpu.reference.grey_levels, one view a launch.
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.

#include "common.cuh"
#include "rectify.cuh"

extern "C" __global__ void grey_levels(const uint8_t* __restrict__ colours, uint8_t* __restrict__ out,
                                       int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[at(y, x, width)] = grey(words(colours)[at(y, x, width)]);
}
