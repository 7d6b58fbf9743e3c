// Matching costs of the disparities that tiles search.  Computes gpu.reference.matching_cost, as far as it is asked for.
//
// Launch: one block a tile, one thread a pixel.
// Build: as tiles.cuh says; DIFFERENCE and GRADIENT as for packed_matching; LARGEST_ADDED is the most that gradients add.

#include "common.cuh"
#include "packed.cuh"
#include "sparse.cuh"

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

extern "C" __global__ void
sparse_matching(const uint32_t* __restrict__ left_words, const uint32_t* __restrict__ right_words,
                const uint8_t* __restrict__ left_slopes, const uint8_t* __restrict__ right_slopes,
                const uint16_t* __restrict__ tables, uint8_t* __restrict__ costs, int height, int width,
                int disparities, int min_disparity, int outside) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    const int y = blockIdx.y * TILE + threadIdx.x / TILE, x = blockIdx.x * TILE + threadIdx.x % TILE;
    if (y >= height || x >= width) return;
    const uint64_t row = at(y, 0, width);
    const int tile = tiles.of(y, x), count = tiles.count(tile);
    const uint32_t word = left_words[row + x];
    const int slope = GRADIENT ? left_slopes[row + x] : 0;
    for (int slot = 0; slot < count; ++slot) {
        const int partner = x - min_disparity - tiles.block(tile, slot) * BLOCK_DISPARITIES;
        uint32_t found[BLOCK_DISPARITIES];
#pragma unroll
        for (int k = 0; k < BLOCK_DISPARITIES; ++k) {
            const uint64_t place = row + clamp(partner - k, 0, width - 1);
            int cost = DIFFERENCE(word, right_words[place]);
            if constexpr (GRADIENT) cost += min(abs(slope - right_slopes[place]) / 2, LARGEST_ADDED);
            found[k] = unsigned(partner - k) < unsigned(width) ? cost : outside;
        }
        uint32_t words[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; ++k)
            words[k] = found[k] | found[k + WORDS] << 16;
        store(costs + tiles.place(tile, slot, pixel_of(y, x)), words);
    }
}
