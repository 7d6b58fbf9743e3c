// Hysteresis within blocks of tiles, of seeds that are in memory; see tile_sets.cuh.
//
// Launch: block (32 * TILES); grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, a warp each, MOST_SETS how many sets a tile has at most.

#include "common.cuh"
#include "words.cuh"
#include "bits.cuh"
#include "side_sets.cuh"
#include "tile_sets.cuh"

extern "C" __launch_bounds__(32 * TILES) __global__
    void packed_tiles(const uint32_t* __restrict__ weak_bits, const uint32_t* __restrict__ strong_bits,
                      uint16_t* __restrict__ side_sets, uint32_t* __restrict__ set_parents, int tile_rows,
                      int tile_columns) {
    wait_for_previous();
    __shared__ Block block;
    const int lane = threadIdx.x % 32, tile = threadIdx.x / 32;
    const TilePlace place(tile, tile_rows, tile_columns);
    block.weak_rows(tile)[lane] = place.inside ? weak_bits[place.words + lane] : 0;
    block.strong_rows(tile)[lane] = place.inside ? strong_bits[place.words + lane] : 0;
    __syncwarp();  // a warp reads what it wrote
    tell_apart(block, side_sets, set_parents);
}
