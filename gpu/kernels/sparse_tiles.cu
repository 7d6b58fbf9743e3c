// Lists of the blocks that tiles search, from a flag for each block.
//
//   sparse_tiles         the tables of tiles
//   sparse_tiles_links   from the slots of a tile to those of the tiles around it
//
// Launch: sparse_tiles: block (THREADS), a warp a tile; sparse_tiles_links: block (THREADS), LINKERS threads a
// tile.
// Build: as tiles.cuh says; THREADS; LINKERS; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"

extern "C" __global__ void sparse_tiles(const uint8_t* __restrict__ searched, uint16_t* __restrict__ tables,
                                        int tiles, int blocks) {
    wait_for_previous();
    const int tile = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;  // the whole warp
    const uint8_t* flags = searched + uint64_t(tile) * blocks;
    uint16_t *list = tables + uint64_t(tile) * (1 + 2 * blocks) + 1, *slots = list + blocks;
    int count = 0;
    for (int begin = 0; begin < blocks; begin += 32) {
        const int block = begin + lane;
        const bool present = block < blocks && flags[block];
        const uint32_t votes = __ballot_sync(ALL, present);
        const int slot = count + __popc(votes & (1u << lane) - 1);
        if (block < blocks) slots[block] = present ? slot : NO_SLOT;
        if (present) list[slot] = block;
        count += __popc(votes);
    }
    if (lane == 0) list[-1] = count;
}

extern "C" __global__ void sparse_tiles_links(const uint16_t* __restrict__ tables,
                                              uint16_t* __restrict__ links, int rows, int columns,
                                              int blocks) {
    wait_for_previous();
    const Tiles tiles(tables, columns * TILE, blocks * BLOCK_DISPARITIES);
    const int tile = (blockIdx.x * THREADS + threadIdx.x) / LINKERS, none = NO_SLOT;
    if (tile >= rows * columns) return;
    const int y = tile / columns, x = tile % columns, count = tiles.count(tile);
    for (int slot = threadIdx.x % LINKERS; slot < count; slot += LINKERS) {
        const int block = tiles.block(tile, slot);
        const int beside = (tiles.slot(tile, block - 1) != none) * Link::HAS_BELOW |
                           (tiles.slot(tile, block + 1) != none) * Link::HAS_ABOVE;
        for (int path = 0; path < STRAIGHT; ++path) {
            const int before_y = y - dy_of(path), before_x = x - dx_of(path);
            const bool inside = unsigned(before_y) < unsigned(rows) && unsigned(before_x) < unsigned(columns);
            int slots[3], first = 0;
            for (int i = 0; i < 3; ++i)
                slots[i] = inside ? tiles.slot(before_y * columns + before_x, block - 1 + i) : none;
            for (int i = 2; i >= 0; --i)
                if (slots[i] != none) first = slots[i];
            links[tiles.link(tile, slot, path)] = first | beside | (slots[0] != none) * Link::LOW |
                                                  (slots[1] != none) * Link::OWN |
                                                  (slots[2] != none) * Link::HIGH;
        }
    }
}
