// Sums of the path costs of the disparities that tiles search, and the winners of both views.  Computes
// gpu.reference.path_sum, winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check, of sums that may be absent.
//
// A thread goes through its pixel's blocks upwards, and knows of those before only what it needs: no sum is kept. The
// eight sums of a block at 16 columns belong to 23 right pixels: lanes hand what they have to the left, and the first of
// a row hands what leaves the tile to the others, so that all of it is offered at once.
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

// Both halves, as one number each.
__device__ inline uint32_t smaller_half(uint32_t halves) { return min(halves & 0xFFFF, halves >> 16); }

// The sums of a block, two a word.
struct Sums {
    uint32_t words[WORDS];

    __device__ uint32_t at(int k) const { return k < WORDS ? words[k] & 0xFFFF : words[k - WORDS] >> 16; }

    // The same where k is not known before; ABSENT outside the block.
    __device__ uint32_t find(int k) const {
        const uint32_t even = k & 2 ? words[2] : words[0], odd = k & 2 ? words[3] : words[1];
        const uint32_t word = k & 1 ? odd : even;
        return unsigned(k) >= BLOCK_DISPARITIES ? ABSENT : k < WORDS ? word & 0xFFFF : word >> 16;
    }

    // The smallest of those that lie more than one away from the k-th.
    __device__ uint32_t rival(int k) const {
        const uint64_t own = uint64_t(0xFF) << 8 * k, near = own >> 8 | own | own << 8;  // a byte each
        const uint32_t low = uint32_t(near), high = uint32_t(near >> 32);
        uint32_t least = NOTHING;
#pragma unroll
        for (int i = 0; i < WORDS; ++i)
            least = __vminu2(least, words[i] | __byte_perm(low, high, 0x4400 + i * 0x1111));
        return smaller_half(least);
    }

    __device__ uint32_t without_first() const {
        return smaller_half(__vimin3_u16x2(__vminu2(words[1], words[2]), words[3], words[0] | 0xFFFF));
    }
    __device__ uint32_t without_last() const {
        return smaller_half(__vimin3_u16x2(__vminu2(words[1], words[2]), words[0], words[3] | 0xFFFF0000));
    }
};

// The winner of the blocks so far after its sum, the sums beside it, and the smallest more than one disparity away.
struct Choice {
    uint32_t best = NOTHING, below = ABSENT, above = ABSENT, rival = ABSENT;
    uint32_t last = ABSENT, without_last = ABSENT;  // of the disparity before, and the smallest of others

    // Take the sums of another block, which begins with disparity d; `least` is the smallest, before its disparity.
    __device__ void take(const Sums& sums, int d, uint32_t least, bool adjoins) {
        const uint32_t before = best >> 16;
        if (least < best) {
            const int k = int(least & 0xFFFF) - d;
            const bool beside = adjoins && k == 0;
            rival = min(sums.rival(k), beside ? without_last : before);
            below = beside ? last : sums.find(k - 1);
            above = sums.find(k + 1);
            best = least;
        } else {
            const bool beside = adjoins && int(best & 0xFFFF) == d - 1;
            rival = min(rival, beside ? sums.without_first() : least >> 16);
            above = beside ? sums.at(0) : above;
        }
        without_last = min(before, sums.without_last());
        last = sums.at(BLOCK_DISPARITIES - 1);
    }
};

// Sum the path costs of a pixel and a block.
__device__ inline Sums sum_of(const PATH_COST* from, uint64_t volume, int paths) {
    constexpr int AT_ONCE = 4;
    Sums sums = {};
    for (int first = 0; first < paths; first += AT_ONCE) {
        uint32_t costs[AT_ONCE][WORDS];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                costs[i][k] = 0;
            if (first + i < paths) load(costs[i], from + (first + i) * volume);
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                sums.words[k] += costs[i][k];
    }
    return sums;
}

// Lower the right pixel's best, if the image has that pixel.
__device__ inline void offer(uint32_t* row, int x, int width, uint32_t found) {
    if (0 <= x && x < width && found != NOTHING) atomicMin(row + x, found);
}

// Offer a block's sums, each before its disparity, to the right pixels that they belong to; `partner` is that of the
// lane's first disparity. The whole warp must call.
__device__ inline void offer_all(uint32_t* row, int partner, int width,
                                 const uint32_t (&keys)[BLOCK_DISPARITIES]) {
    const int column = threadIdx.x % TILE;
    uint32_t best = NOTHING, leaving = NOTHING;
#pragma unroll
    for (int k = BLOCK_DISPARITIES - 1; k >= 0; --k) {
        const uint32_t next = __shfl_down_sync(ALL, best, 1, TILE);
        best = min(keys[k], column == TILE - 1 ? NOTHING : next);
        const uint32_t first = k > 0 ? __shfl_sync(ALL, best, 0, TILE) : NOTHING;
        if (k > 0 && column == k) leaving = first;
    }
    offer(row, partner, width, best);
    offer(row, partner - 2 * column, width, leaving);  // the first lane's partner, and so many columns before
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
    uint32_t* row = right_best + at(y, 0, width);
    Choice choice;
    for (int slot = 0, before = -2; slot < count; ++slot) {
        const int block = tiles.block(tile, slot), d = block * BLOCK_DISPARITIES;
        const uint64_t place = tiles.place(tile, slot, pixel_of(y, x));
        const Sums sums = sum_of(reinterpret_cast<const PATH_COST*>(volumes) + place, volume, paths);
        uint32_t keys[BLOCK_DISPARITIES], least = NOTHING;
#pragma unroll
        for (int k = 0; k < BLOCK_DISPARITIES; ++k) {
            keys[k] = exists ? sums.at(k) << 16 | (d + k) : NOTHING;
            least = min(least, keys[k]);
        }
        if constexpr (WHOLE) {
            choice.take(sums, d, least, block == before + 1);
            before = block;
            if (checks_right) offer_all(row, x - min_disparity - d, width, keys);
        } else {
            choice.best = min(choice.best, least);
        }
    }
    if (!exists) return;
    const uint64_t place = at(y, x, width);
    const int d = choice.best & 0xFFFF, sum = choice.best >> 16;
    winner[place] = d;
    if constexpr (WHOLE) {
        const bool between = subpixel != OFF && max(choice.below, choice.above) != ABSENT;
        const int offset = between ? vertex(choice.below, sum, choice.above, subpixel) : 0;
        refined[place] = (min_disparity + d) * SUBPIXEL_STEPS + offset;
        rivals[place] = pair_of(sum, choice.rival);
    }
}
