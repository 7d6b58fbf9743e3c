// Hysteresis across the seams between blocks of tiles: unites the sets of pixels that touch there.
//
// Launch: block (32 * (BLOCK_ROWS + BLOCK_COLUMNS)) for a block of tiles: a warp for each tile along its right side,
// then one for each along its lower side; grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, MOST_SETS how many sets a tile has at most.

#include "common.cuh"
#include "words.cuh"
#include "bits.cuh"
#include "side_sets.cuh"

extern "C" __global__ void packed_seams(const uint16_t* __restrict__ side_sets, uint32_t* set_parents) {
    wait_for_previous();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const bool right = warp < BLOCK_ROWS;
    const int row = blockIdx.y * BLOCK_ROWS + (right ? warp : BLOCK_ROWS - 1);  // of tiles, in the image
    const int column = blockIdx.x * BLOCK_COLUMNS + (right ? BLOCK_COLUMNS - 1 : warp - BLOCK_ROWS);
    const auto set_at = [=](int row, int column, int side, int pixel) {
        const uint32_t y = row, x = column;  // -1 is beyond the last
        const bool inside = y < gridDim.y * BLOCK_ROWS && x < gridDim.x * BLOCK_COLUMNS;
        const int block = inside ? y / BLOCK_ROWS * gridDim.x + x / BLOCK_COLUMNS : 0;
        const int tile = y % BLOCK_ROWS * BLOCK_COLUMNS + x % BLOCK_COLUMNS;
        const uint16_t stored = side_sets[side_place(block, tile, side) + pixel];
        return stored_set(stored | (inside ? 0 : NO_SET), block);
    };
    join(AllSets{set_parents}, set_at, row, column, right, lane);
}
