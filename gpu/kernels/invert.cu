// Invert.  Computes gpu.reference.invert.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"

extern "C" __global__ void invert(const uint8_t* __restrict__ left, uint8_t* __restrict__ inverted,
                                  int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    inverted[at(y, x, width)] = 255 - left[at(y, x, width)];
}
