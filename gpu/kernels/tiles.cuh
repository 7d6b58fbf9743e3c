// Which blocks of eight disparities a tile of 16 x 16 pixels searches, as gpu.reference.search_range chooses them. Include
// after common.cuh.
//
// Build: TILE pixels of a tile's side, BLOCK_DISPARITIES of a block, ABSENT what stands for a cost that is not there.

// The flags of the tile of a pixel, one a block.
__device__ inline const uint8_t* tile_of(const uint8_t* searched, int y, int x, int width, int disparities) {
    return searched + at(y / TILE, x / TILE, (width + TILE - 1) / TILE, disparities / BLOCK_DISPARITIES);
}
