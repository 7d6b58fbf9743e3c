#include "common.cuh"

__device__ inline int reflected(int place, int count) {
    if (count == 1) return 0;
    while (place < 0 || place >= count)
        place = place < 0 ? -place : 2 * (count - 1) - place;
    return place;
}

extern "C" __global__ void mean_filter(const uint8_t* __restrict__ left, uint8_t* __restrict__ mean,
                                       int height, int width, int radius, int convention) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int area = (2 * radius + 1) * (2 * radius + 1);
    int sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
            sum += left[at(reflected(y + dy, height), reflected(x + dx, width), width)];
    mean[at(y, x, width)] = (sum + area / 2) / area;
}
