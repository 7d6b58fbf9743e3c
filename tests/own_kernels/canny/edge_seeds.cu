#include "common.cuh"

extern "C" __global__ void edge_seeds(const int32_t* __restrict__ suppressed,
                                      const int32_t* __restrict__ levels, uint8_t* __restrict__ seeds,
                                      int height, int width, int convention) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int here = suppressed[at(y, x, width)];
    const bool columns = x >= 1 && x < width - 1;
    const bool strong = columns && y < height - 2 && here >= levels[1];  // with the published error
    const bool weak = columns && y >= 1 && y < height - 1 && here >= levels[0];
    seeds[at(y, x, width)] = strong ? 255 : weak ? 128 : 0;
}
