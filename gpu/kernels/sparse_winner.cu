// Sums of the path costs of the disparities that tiles search, and the winners of both views.  Computes
// gpu.reference.path_sum, winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check, of sums that may be absent.
//
// A thread goes through its pixel's disparities upwards, and knows of those before only what it needs: no sum is kept.
// Eight sums at each of 16 columns belong to 23 right pixels: lanes hand what they have to the left, eight times.
//
// Launch: one block a tile, one thread a pixel.
// Build: as tiles.cuh says; PATH_COST; WHOLE whether more than winners is asked for; SUBPIXEL_STEPS the stored steps of a
// pixel.

#include "common.cuh"
#include "packed.cuh"
#include "sparse.cuh"
#include "rivals.cuh"
#include "vertex.cuh"

constexpr uint32_t NOTHING = 0xFFFFFFFF;  // above every sum and disparity

// The winner so far, its neighbours, and the smallest sum more than one disparity away.
struct Choice {
    int d = -BLOCK_DISPARITIES;
    uint32_t sum = ABSENT, rival = ABSENT, below = ABSENT, above = ABSENT;
    uint32_t last = ABSENT, last_but_one = ABSENT;  // the sums of the two disparities before

    // What comes next does not lie beside what came last.
    __device__ void leap() { last = last_but_one = ABSENT; }

    __device__ void take(int next, uint32_t found) {
        const bool beside = next == d + 1;
        if (found < sum) {
            rival = beside ? min(rival, last_but_one) : sum;  // none before was smaller than the winner
            d = next, sum = found, below = last, above = ABSENT;
        } else if (beside) {
            above = found;
        } else {
            rival = min(rival, found);
        }
        last_but_one = last;
        last = found;
    }
};

// Lower the right pixel's best, if the image has that pixel.
__device__ inline void offer(uint32_t* row, int x, int width, uint32_t found) {
    if (0 <= x && x < width && found != NOTHING) atomicMin(row + x, found);
}

// Offer a block's sums to the right pixels that they belong to; `partner` is that of the lane's first disparity, d.
__device__ inline void offer_all(uint32_t* row, int partner, int width, const uint32_t (&sums)[WORDS], int d,
                                 bool exists) {
    const int column = threadIdx.x % TILE;
    uint32_t best = NOTHING;
#pragma unroll
    for (int k = BLOCK_DISPARITIES - 1; k >= 0; --k) {
        const uint32_t sum = k < WORDS ? sums[k] & 0xFFFF : sums[k - WORDS] >> 16;
        const uint32_t next = __shfl_down_sync(ALL, best, 1, TILE);
        best = min(exists ? sum << 16 | (d + k) : NOTHING, column == TILE - 1 ? NOTHING : next);
        if (k == 0 || column == 0) offer(row, partner - k, width, best);
    }
}

extern "C" __global__ void sparse_winner(const uint16_t* __restrict__ tables,
                                         const uint8_t* __restrict__ volumes,
                                         uint32_t* __restrict__ right_best, int16_t* __restrict__ winner,
                                         int16_t* __restrict__ refined, uint32_t* __restrict__ rivals,
                                         int height, int width, int disparities, int paths, int min_disparity,
                                         int subpixel, int checks_right) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    const int y = blockIdx.y * TILE + threadIdx.x / TILE, x = blockIdx.x * TILE + threadIdx.x % TILE;
    const bool exists = y < height && x < width;
    const int tile = blockIdx.y * tiles.columns + blockIdx.x, count = tiles.count(tile);
    const uint64_t volume = tiles.volume(height);
    Choice choice;
    for (int slot = 0, before = -2; slot < count; ++slot) {
        const int block = tiles.block(tile, slot), d = block * BLOCK_DISPARITIES;
        const PATH_COST* from =
            reinterpret_cast<const PATH_COST*>(volumes) + tiles.place(tile, slot, pixel_of(y, x));
        uint32_t sums[WORDS] = {};
        for (int path = 0; path < paths; ++path) {
            uint32_t costs[WORDS];
            load(costs, from + path * volume);
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                sums[k] += costs[k];
        }
        if (block != before + 1) choice.leap();
        before = block;
#pragma unroll
        for (int k = 0; k < BLOCK_DISPARITIES; ++k)
            choice.take(d + k, k < WORDS ? sums[k] & 0xFFFF : sums[k - WORDS] >> 16);
        if constexpr (WHOLE)
            if (checks_right)
                offer_all(right_best + at(y, 0, width), x - min_disparity - d, width, sums, d, exists);
    }
    if (!exists) return;
    const uint64_t place = at(y, x, width);
    winner[place] = choice.d;
    if constexpr (WHOLE) {
        const bool between = subpixel != OFF && max(choice.below, choice.above) != ABSENT;
        const int offset = between ? vertex(choice.below, choice.sum, choice.above, subpixel) : 0;
        refined[place] = (min_disparity + choice.d) * SUBPIXEL_STEPS + offset;
        rivals[place] = pair_of(choice.sum, choice.rival);
    }
}
