// How clearly the winner wins.  Computes gpu.reference.winner_margin.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUM is the element of the sums, MARGIN_STEPS the stored steps of a per cent.

#include "common.cuh"

extern "C" __global__ void winner_margin(const SUM* __restrict__ sums, const int16_t* __restrict__ winner,
                                         uint16_t* __restrict__ margin, int height, int width,
                                         int disparities) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const SUM* sum = sums + at(y, x, width, disparities);
    const int d = winner[pixel];
    int rival = 0xFFFF;
    for (int other = 0; other < disparities; ++other)
        if (abs(other - d) > 1) rival = min(rival, int(sum[other]));
    margin[pixel] = rival > 0 ? 100 * MARGIN_STEPS * (rival - int(sum[d])) / rival : 0;
}
