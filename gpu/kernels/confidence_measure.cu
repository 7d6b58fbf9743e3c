// Margins of agreeing neighbours.  Computes gpu.reference.confidence_measure.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: RADIUS of the window, SUBPIXEL_STEPS the stored steps of a pixel.

#include "common.cuh"

extern "C" __global__ void confidence_measure(const uint16_t* __restrict__ margin,
                                              const int16_t* __restrict__ refined,
                                              uint16_t* __restrict__ confidence, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    constexpr int SIDE = 2 * RADIUS + 1;
    const int disparity = refined[at(y, x, width)];
    int total = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            const uint64_t there = at(clamp(y + dy, 0, height - 1), clamp(x + dx, 0, width - 1), width);
            if (abs(refined[there] - disparity) <= SUBPIXEL_STEPS) total += margin[there];
        }
    confidence[at(y, x, width)] = total / (SIDE * SIDE);
}
