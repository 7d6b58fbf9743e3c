// Edge seeds.  Computes gpu.reference.edge_seeds.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: STRONG and WEAK are what a seed is marked by.

#include "common.cuh"
#include "seed.cuh"

extern "C" __global__ void edge_seeds(const int32_t* __restrict__ suppressed,
                                      const int32_t* __restrict__ levels, uint8_t* __restrict__ seeds,
                                      int height, int width, int margin) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Seed seed(suppressed[at(y, x, width)], levels, y, x, height, width, margin);
    seeds[at(y, x, width)] = seed.strong ? STRONG : seed.weak ? WEAK : 0;
}
