#include "common.cuh"

extern "C" __global__ void non_maximum_suppression(const int16_t* __restrict__ gradient_x,
                                                   const int16_t* __restrict__ gradient_y,
                                                   const int32_t* __restrict__ magnitude,
                                                   const uint8_t* __restrict__ direction,
                                                   int32_t* __restrict__ suppressed, int height, int width,
                                                   int convention, int norm) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int here = magnitude[at(y, x, width)], along = direction[at(y, x, width)];
    const int dy = along == 0 ? 0 : 1, dx = along == 2 ? 0 : along == 3 ? -1 : 1;
    const auto level = [=](int y, int x) {
        return y >= 0 && y < height && x >= 0 && x < width ? magnitude[at(y, x, width)] : 0;
    };
    const bool largest = here > level(y - dy, x - dx) && here > level(y + dy, x + dx);
    suppressed[at(y, x, width)] = here && largest ? here : 0;
}
