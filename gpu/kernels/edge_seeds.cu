// Edge seeds.  Computes gpu.reference.edge_seeds.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: STRONG and WEAK are what a seed is marked by.

#include "common.cuh"

extern "C" __global__ void edge_seeds(const int32_t* __restrict__ suppressed,
                                      const int32_t* __restrict__ levels, uint8_t* __restrict__ seeds,
                                      int height, int width, int margin) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int magnitude = suppressed[at(y, x, width)];
    const bool inside = margin <= x && x < width - margin;
    const bool may_be_weak = inside && margin <= y && y < height - margin;
    const bool may_be_strong = inside && y < height - 2 * margin;
    const bool strong = may_be_strong && magnitude >= levels[1], weak = may_be_weak && magnitude >= levels[0];
    seeds[at(y, x, width)] = strong ? STRONG : weak ? WEAK : 0;
}
