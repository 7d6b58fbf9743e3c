// Where bits of pixels are kept: a word for 32 of a row, the words of a tile of 32 rows one after the other, so that a
// warp reads a tile at once. Include after common.cuh.

constexpr int TILE = 32;

__device__ inline uint64_t word_of(int y, int x, int width) {
    return at(y / TILE, x / TILE, (width + TILE - 1) / TILE, TILE) + y % TILE;
}
