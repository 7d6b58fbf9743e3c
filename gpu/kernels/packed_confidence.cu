// How clearly the winner wins, from packed path costs.  Computes gpu.reference.winner_margin.
//
// LANES lanes sum a pixel's paths once more, as packed_winner does, which keeps no sums: this runs only when
// somebody looks. packed.cuh tells how path costs are packed.
//
// Launch: block (THREADS), LANES lanes a pixel.
// Build: LANES, PATH_COST as for packed_aggregation; MARGIN_STEPS the stored steps of a per cent.

#include "common.cuh"
#include "packed.cuh"
#include "packed_sums.cuh"

constexpr uint32_t HIGHEST = 0xFFFF;  // above every sum

extern "C" __global__ void packed_confidence(const uint8_t* __restrict__ costs,
                                             const int16_t* __restrict__ winner,
                                             uint16_t* __restrict__ margin, int height, int width,
                                             int disparities, int paths) {
    const int pixels = height * width, half = disparities / 2;
    const int pixel = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const int first = threadIdx.x % LANES * 8;
    const bool active = pixel < pixels && first < half;
    const uint64_t volume = at(height, 0, width, disparities);
    const uint64_t place = uint64_t(pixel) * disparities + 2 * first;
    uint32_t sums[8] = {}, own = HIGHEST, rival = HIGHEST;
    const int d = active ? winner[pixel] : 0;
    const auto compare = [&](int k, uint32_t sum) {
        if (k == d)
            own = sum;
        else if (abs(k - d) > 1)
            rival = min(rival, sum);
    };
    if (active) {
        add_all(sums, costs, place, volume, paths);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            compare(first + j, sums[j] & 0xFFFF);
            compare(first + j + half, sums[j] >> 16);
        }
    }
    own = smallest_of_pixel(own);
    rival = smallest_of_pixel(rival);
    if (active && first == 0) margin[pixel] = rival > 0 ? 100 * MARGIN_STEPS * (rival - own) / rival : 0;
}
