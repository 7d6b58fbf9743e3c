// Matching costs of the disparities that tiles search.  Computes gpu.reference.matching_cost, as far as it is asked for.
// Pixels of a tile beyond the image get zeros, for sparse_lines.
//
// Launch: one block a tile, one thread a pixel.
// Build: as tiles.cuh says; DIFFERENCE and GRADIENT as for packed_matching; LARGEST_ADDED is the most that gradients add.

#include "common.cuh"
#include "packed.cuh"
#include "sparse.cuh"

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

__device__ inline uint32_t bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

// What a pixel is compared with: from the right pixel of the first disparity to the left.
template <bool INSIDE>
struct Candidates {
    const uint32_t* words;
    const uint8_t* slopes;
    int column, width;

    // Of a candidate outside the image, the nearest edge pixel.
    __device__ int place(int k) const { return INSIDE ? column - k : clamp(column - k, 0, width - 1); }
    __device__ uint32_t word(int k) const { return words[place(k)]; }
    __device__ uint32_t slope(int k) const { return slopes[place(k)]; }
    __device__ bool inside(int k) const { return INSIDE || unsigned(column - k) < unsigned(width); }
};

// Four costs, a byte each: of disparities from k on, and from k + 4 on.
template <class Candidates>
__device__ uint32_t four_costs(const Candidates& candidates, uint32_t word, uint32_t slopes, int outside,
                               int k) {
    const int places[] = {k, k + 1, k + WORDS, k + WORDS + 1};
    uint32_t costs[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        costs[i] = DIFFERENCE(word, candidates.word(places[i]));
    uint32_t all = bytes(costs[0], costs[1], costs[2], costs[3]);
    if constexpr (GRADIENT) {
        constexpr uint32_t TWICE = 2 * LARGEST_ADDED;
        const uint32_t others = bytes(candidates.slope(places[0]), candidates.slope(places[1]),
                                      candidates.slope(places[2]), candidates.slope(places[3]));
        const uint32_t difference = __vabsdiffu4(slopes, others), much = difference & TWICE * 0x01010101;
        all += (difference & ~(much - much / TWICE) & 0xFEFEFEFE) >> 1;  // as packed_matching does
    }
    uint32_t seen = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        seen |= candidates.inside(places[i]) ? 0xFFu << 8 * i : 0;
    return all & seen | outside * 0x01010101u & ~seen;
}

template <bool INSIDE>
__device__ void compare(uint8_t* to, const Candidates<INSIDE>& candidates, uint32_t word, uint32_t slopes,
                        int outside) {
    *reinterpret_cast<uint2*>(to) = make_uint2(four_costs(candidates, word, slopes, outside, 0),
                                               four_costs(candidates, word, slopes, outside, 2));
}

extern "C" __global__ void
sparse_matching(const uint32_t* __restrict__ left_words, const uint32_t* __restrict__ right_words,
                const uint8_t* __restrict__ left_slopes, const uint8_t* __restrict__ right_slopes,
                const uint16_t* __restrict__ tables, uint8_t* __restrict__ costs, int height, int width,
                int disparities, int min_disparity, int outside) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    const int y = blockIdx.y * TILE + threadIdx.x / TILE, x = blockIdx.x * TILE + threadIdx.x % TILE;
    const bool exists = y < height && x < width;
    const uint64_t row = at(min(y, height - 1), 0, width);
    const int tile = tiles.of(y, x), count = tiles.count(tile);
    const uint32_t word = exists ? left_words[row + x] : 0;
    const uint32_t slopes = GRADIENT && exists ? left_slopes[row + x] * 0x01010101u : 0;
    for (int slot = 0; slot < count; ++slot) {
        const int partner = x - min_disparity - tiles.block(tile, slot) * BLOCK_DISPARITIES;
        const int leftmost = partner - x % TILE - BLOCK_DISPARITIES + 1;  // of the tile's candidates
        uint8_t* to = costs + tiles.place(tile, slot, pixel_of(y, x));
        const uint32_t* words = right_words + row;
        const uint8_t* steep = right_slopes + row;
        if (!exists)
            *reinterpret_cast<uint2*>(to) = make_uint2(0, 0);
        else if (leftmost >= 0 && leftmost + TILE + BLOCK_DISPARITIES - 1 <= width)
            compare(to, Candidates<true>{words, steep, partner, width}, word, slopes, outside);
        else
            compare(to, Candidates<false>{words, steep, partner, width}, word, slopes, outside);
    }
}
