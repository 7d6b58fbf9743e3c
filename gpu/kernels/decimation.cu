// Decimation.  Computes gpu.reference.decimation.
//
// Launch: block (BLOCK), one thread a pixel; those of a block of pixels read the same values.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"

// The side of a block is 1, 2 or 4, the power of two of the index of its choice.
extern "C" __global__ void decimation(const int16_t* __restrict__ guided, int16_t* __restrict__ decimated,
                                      int height, int width, int min_disparity, int power) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS, side = 1 << power;
    const int top = y >> power << power, first = x >> power << power;
    const int bottom = min(top + side, height), end = min(first + side, width);
    // Sums of what lies above invalid are positive, and so is what is divided.
    int count = 0, total = 0, lowest = 1 << 16, second = 1 << 16;
    for (int i = top; i < bottom; ++i)
        for (int k = first; k < end; ++k) {
            const int value = guided[at(i, k, width)] - invalid;
            if (value == 0) continue;
            ++count;
            total += value;
            second = min(second, max(lowest, value));
            lowest = min(lowest, value);
        }
    int value = 0;
    if (count > 0) value = side > 2 ? (2 * total + count) / (2 * count) : count <= 2 ? lowest : second;
    decimated[at(y, x, width)] = invalid + value;
}
