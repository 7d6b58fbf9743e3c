#include "common.cuh"

extern "C" __global__ void winner_takes_all(const uint16_t* __restrict__ sums, int16_t* __restrict__ winner,
                                            int height, int width, int length) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint16_t* own = sums + at(y, x, width, length);
    int best = 0;
    for (int d = 1; d < length; ++d)
        if (own[d] < own[best]) best = d;
    winner[at(y, x, width)] = best;
}
