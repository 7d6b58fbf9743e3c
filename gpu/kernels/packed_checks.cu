// Median, uniqueness and consistency in one pass over the small images.  Computes
// gpu.reference.median_filter, and what uniqueness_check and consistency_check mark invalid.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"
#include "rivals.cuh"

__device__ inline void sort(int& a, int& b) {
    const int larger = max(a, b);
    a = min(a, b);
    b = larger;
}

__device__ inline int middle(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

// The median of 3x3 values: with the columns sorted, the middle one of the largest of the low, the middle of
// the middle, and the smallest of the high.
template <class Pixel>
__device__ int median(Pixel pixel) {
    int low[3], centre[3], high[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        low[i] = pixel(-1, i - 1);
        centre[i] = pixel(0, i - 1);
        high[i] = pixel(1, i - 1);
        sort(low[i], centre[i]);
        sort(centre[i], high[i]);
        sort(low[i], centre[i]);
    }
    return middle(max(max(low[0], low[1]), low[2]), middle(centre[0], centre[1], centre[2]),
                  min(min(high[0], high[1]), high[2]));
}

extern "C" __global__ void packed_checks(const int16_t* __restrict__ refined,
                                         const int16_t* __restrict__ winner,
                                         const uint32_t* __restrict__ rivals,
                                         const uint32_t* __restrict__ right_best,
                                         int16_t* __restrict__ consistent, int height, int width,
                                         int min_disparity, int smooths, int uniqueness, int lr_check) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const int d = winner[pixel], partner = x - min_disparity - d;
    bool valid = !is_rivalled(rivals[pixel], uniqueness);
    if (lr_check >= 0) {
        const bool seen = 0 <= partner && partner < width;
        valid = valid && seen && abs(int(right_best[at(y, partner, width)] & 0xFFFF) - d) <= lr_check;
    }
    const auto neighbour = [=](int dy, int dx) -> int {
        return refined[at(clamp(y + dy, 0, height - 1), clamp(x + dx, 0, width - 1), width)];
    };
    const int value = smooths ? median(neighbour) : refined[pixel];
    consistent[pixel] = valid ? value : (min_disparity - 1) * SUBPIXEL_STEPS;
}
