// Temporal filter.  Computes gpu.reference.temporal_filter.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has, FILTER_STEPS how many parts a step has in what is
// remembered, HISTORY the bits of a word that tell of earlier frames.

#include "common.cuh"

// All values lie above invalid and are positive; 256 times the largest, 2048 * 16 * 256, fits 32 bits without a sign.
extern "C" __global__ void
temporal_filter(const int16_t* __restrict__ decimated, const uint32_t* __restrict__ filter_past,
                int16_t* __restrict__ disparity, uint32_t* __restrict__ filter_state, int height, int width,
                int min_disparity, int weight, int largest_change, int least, int newest) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS, value = decimated[pixel] - invalid;
    const uint32_t past = filter_past[pixel], history = past & ((1u << HISTORY) - 1);
    int smoothed = past >> HISTORY;
    if (value != 0) {
        const int now = value * FILTER_STEPS;
        if (smoothed == 0 || abs(now - smoothed) > largest_change)
            smoothed = now;
        else
            smoothed =
                (uint32_t(weight) * now + uint32_t(FILTER_STEPS - weight) * smoothed + FILTER_STEPS / 2) /
                FILTER_STEPS;
    }
    const bool kept = smoothed > 0 && __popc(history & ((1u << newest) - 1)) >= least;
    const int rounded = (smoothed + FILTER_STEPS / 2) / FILTER_STEPS;
    disparity[pixel] = value != 0 || kept ? invalid + rounded : invalid;
    filter_state[pixel] =
        uint32_t(smoothed) << HISTORY | ((2 * history + (value != 0)) & ((1u << HISTORY) - 1));
}
