// Uniqueness check.  Computes gpu.reference.uniqueness_check.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUM is the element of the sums, SUBPIXEL_STEPS the stored steps of a pixel, ABSENT the sum of a
// disparity that is not searched.

#include "common.cuh"

extern "C" __global__ void uniqueness_check(const int16_t* __restrict__ smoothed,
                                            const SUM* __restrict__ sums, const int16_t* __restrict__ winner,
                                            int16_t* __restrict__ unique, int height, int width,
                                            int disparities, int min_disparity, int uniqueness) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const SUM* sum = sums + at(y, x, width, disparities);
    const int d = winner[pixel], threshold = sum[d] * 100;
    bool rivalled = false;
    for (int rival = 0; rival < disparities; ++rival)
        if (abs(rival - d) > 1 && sum[rival] != ABSENT && sum[rival] * (100 - uniqueness) < threshold)
            rivalled = true;
    unique[pixel] = rivalled ? (min_disparity - 1) * SUBPIXEL_STEPS : smoothed[pixel];
}
