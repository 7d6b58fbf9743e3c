// Why a pixel has no disparity, from what packed_winner found.  Computes gpu.reference.rejection_reason.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"
#include "reason.cuh"
#include "rivals.cuh"

extern "C" __global__ void packed_reason(const int16_t* __restrict__ winner,
                                         const uint32_t* __restrict__ rivals,
                                         const uint32_t* __restrict__ right_best,
                                         const int16_t* __restrict__ filtered,
                                         uint8_t* __restrict__ invalid_reason, int height, int width,
                                         int min_disparity, int uniqueness, int lr_check) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const int d = winner[pixel], partner = x - min_disparity - d;
    const bool removed = filtered[pixel] == (min_disparity - 1) * SUBPIXEL_STEPS;
    const auto right = [=](int column) -> int { return right_best[at(y, column, width)] & 0xFFFF; };
    invalid_reason[pixel] =
        reason_of(d, partner, width, is_rivalled(rivals[pixel], uniqueness), removed, lr_check, right);
}
