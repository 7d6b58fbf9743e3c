// How clearly the winner wins, from the sums that packed_winner kept.  Computes gpu.reference.winner_margin.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: MARGIN_STEPS the stored steps of a per cent.

#include "common.cuh"
#include "rivals.cuh"

extern "C" __global__ void packed_confidence(const uint32_t* __restrict__ rivals,
                                             uint16_t* __restrict__ margin, int height, int width) {
    wait_for_previous();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t pixel = at(y, x, width);
    const uint32_t own = winners_sum(rivals[pixel]), rival = rivals_sum(rivals[pixel]);
    margin[pixel] = rival > 0 ? 100 * MARGIN_STEPS * (rival - own) / rival : 0;
}
