// Tell which pixels no rectified view shows.  Computes gpu.reference.outside_reason.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"
#include "outside.cuh"

extern "C" __global__ void outside_reason(const uint8_t* __restrict__ unmasked_invalid_reason,
                                          const int16_t* __restrict__ unmasked_disparity,
                                          const uint8_t* __restrict__ rectified_left,
                                          const uint8_t* __restrict__ rectified_right,
                                          uint8_t* __restrict__ invalid_reason, int height, int width,
                                          int channels, int min_disparity) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int found = unmasked_disparity[at(y, x, width)];
    const bool outside = is_outside(found, rectified_left, rectified_right, y, x, width, min_disparity);
    invalid_reason[at(y, x, width)] = outside ? 1 : unmasked_invalid_reason[at(y, x, width)];
}
