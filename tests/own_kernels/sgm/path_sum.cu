#include "common.cuh"

extern "C" __global__ void path_sum(const uint16_t* __restrict__ path_costs, uint16_t* __restrict__ sums,
                                    int height, int width, int length, int first) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width, length);
    for (int d = 0; d < length; ++d)
        sums[pixel + d] = (first ? 0 : sums[pixel + d]) + path_costs[pixel + d];
}
