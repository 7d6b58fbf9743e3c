#include "common.cuh"

// Absolute differences of grey levels, after the words of the specification.
extern "C" __global__ void matching_cost(const left_descriptor_t* __restrict__ left,
                                         const right_descriptor_t* __restrict__ right,
                                         const uint8_t* __restrict__ left_gradient,
                                         const uint8_t* __restrict__ right_gradient,
                                         uint8_t* __restrict__ costs, int height, int width, int length,
                                         int cost, int min_disparity, int gradient, int outside) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int level = left[at(y, x, width)];
    for (int d = 0; d < length; ++d) {
        const int partner = x - min_disparity - d;
        const bool inside = partner >= 0 && partner < width;
        costs[at(y, x, width, length) + d] =
            inside ? abs(level - int(right[at(y, partner, width)])) : outside < 0 ? 255 : outside;
    }
}
