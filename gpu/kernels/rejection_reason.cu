// Why a pixel has no disparity.  Computes gpu.reference.rejection_reason.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"
#include "reason.cuh"

extern "C" __global__ void rejection_reason(const int16_t* __restrict__ winner,
                                            const int16_t* __restrict__ right_winner,
                                            const int16_t* __restrict__ unique,
                                            const int16_t* __restrict__ filtered,
                                            uint8_t* __restrict__ invalid_reason, int height, int width,
                                            int min_disparity, int lr_check) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS;
    const int d = winner[pixel], partner = x - min_disparity - d;
    const auto right = [=](int column) -> int { return right_winner[at(y, column, width)]; };
    invalid_reason[pixel] =
        reason_of(d, partner, width, unique[pixel] == invalid, filtered[pixel] == invalid, lr_check, right);
}
