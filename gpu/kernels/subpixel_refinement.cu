// Subpixel refinement.  Computes gpu.reference.subpixel_refinement.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUM is the element of the sums, SUBPIXEL_STEPS the stored steps of a pixel, ABSENT the sum of a
// disparity that is not searched.

#include "common.cuh"
#include "vertex.cuh"

extern "C" __global__ void subpixel_refinement(const SUM* __restrict__ sums,
                                               const int16_t* __restrict__ winner,
                                               int16_t* __restrict__ refined, int height, int width,
                                               int disparities, int min_disparity, int subpixel) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const SUM* sum = sums + at(y, x, width, disparities);
    const int d = winner[pixel];
    const bool between = 0 < d && d < disparities - 1 && max(sum[d - 1], sum[d + 1]) != ABSENT;
    const int offset = subpixel != OFF && between ? vertex(sum[d - 1], sum[d], sum[d + 1], subpixel) : 0;
    refined[pixel] = (min_disparity + d) * SUBPIXEL_STEPS + offset;
}
