// The end of hysteresis: keeps the sets that turned out to have a strong pixel, and writes the edges.
//
// A warp has a tile in its registers. Its strong pixels flood it, and so does what is kept of sets, which comes in from
// the sides, where they have their numbers. A warp writes four rows of a tile at once: whole sectors of memory.
//
// Launch: block (32 * WARPS), a warp a tile. Grid: tiles along a row / WARPS, tiles down a column.
// Build: WARPS are the tiles of a block of threads, BLOCK_ROWS and BLOCK_COLUMNS of a block of tiles, MOST_SETS how
// many sets a tile has at most.

#include "common.cuh"
#include "words.cuh"
#include "bits.cuh"
#include "side_sets.cuh"

// Four pixels, of which the lowest bits tell whether they are edges.
__device__ inline uint32_t four_bytes(uint32_t bits) {
    return ((bits & 15) * 0x00204081u & 0x01010101u) * 255u;
}

// Write a tile's rows from (y, x) on.
__device__ inline void write(uint8_t* __restrict__ edges, uint32_t bits, int y, int x, int height, int width,
                             int lane) {
    const int shift = lane % 8 * 4;
    const bool whole = width % 4 == 0;  // then no word of four pixels leaves the image, and each is aligned
#pragma unroll
    for (int i = 0; i < TILE; i += 4) {
        const int row = i + lane / 8, column = x + shift;
        const uint32_t four = four_bytes(__shfl_sync(ALL, bits, row) >> shift);
        uint8_t* to = edges + at(y + row, column, width);
        if (y + row >= height) continue;
        if (whole && column < width) *reinterpret_cast<uint32_t*>(to) = four;
        if (!whole)
            for (int k = 0; k < min(4, width - column); ++k)
                to[k] = four >> 8 * k;
    }
}

extern "C" __launch_bounds__(32 * WARPS) __global__
    void packed_hysteresis(const uint32_t* __restrict__ weak_bits, const uint32_t* __restrict__ strong_bits,
                           const uint16_t* __restrict__ side_sets, uint32_t* set_parents,
                           uint8_t* __restrict__ edges, int height, int width) {
    wait_for_previous();
    const int lane = threadIdx.x % 32, columns = (width + TILE - 1) / TILE;
    const int row = blockIdx.y, column = blockIdx.x * WARPS + threadIdx.x / 32;  // of tiles
    if (column >= columns) return;                                               // the whole warp
    const int blocks = (columns + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    const int block = row / BLOCK_ROWS * blocks + column / BLOCK_COLUMNS;
    const int tile = row % BLOCK_ROWS * BLOCK_COLUMNS + column % BLOCK_COLUMNS;
    const uint64_t word = at(row, column, columns, TILE) + lane;
    const uint32_t weak = weak_bits[word], strong = strong_bits[word];
    uint32_t set[SIDES];
    bool has_set[SIDES];
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        set[i] = stored_set(side_sets[side_place(block, tile, i) + lane], block);
        has_set[i] = set[i] != NO_SET;
        if (!has_set[i]) set[i] = STRONG;  // has nowhere to climb to
    }
    AllSets{set_parents}.climb(set);
    __syncwarp();  // some lanes climb farther than others
    uint32_t kept[] = {strong | row_of_sides([&](int i) { return has_set[i] && set[i] == STRONG; }, lane)};
    if (__any_sync(ALL, weak & ~kept[0])) flood(kept, weak);
    write(edges, kept[0], row * TILE, column * TILE, height, width, lane);
}
