// Median filter, 3x3.  Computes gpu.reference.median_filter.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"

// The fifth of nine values in order: a selection sort as far as the middle. Unrolled, so that the values stay
// in registers.
__device__ inline int middle(int (&values)[9]) {
#pragma unroll
    for (int i = 0; i < 5; ++i)
#pragma unroll
        for (int k = i + 1; k < 9; ++k) {
            const int larger = max(values[i], values[k]);
            values[i] = min(values[i], values[k]);
            values[k] = larger;
        }
    return values[4];
}

extern "C" __global__ void median_filter(const int16_t* __restrict__ refined, int16_t* __restrict__ smoothed,
                                         int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int values[9];
#pragma unroll
    for (int i = 0; i < 9; ++i)
        values[i] =
            refined[at(clamp(y + i / 3 - 1, 0, height - 1), clamp(x + i % 3 - 1, 0, width - 1), width)];
    smoothed[at(y, x, width)] = middle(values);
}
