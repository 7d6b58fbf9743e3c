// Windows about a pixel, and the tile of a block. Include after common.cuh and mirror.cuh.

// Whether the image holds the whole window about (y, x).
__device__ inline bool inside(int y, int x, int height, int width, int radius) {
    return min(y, height - 1 - y) >= radius && min(x, width - 1 - x) >= radius;
}

// Fill a tile with the block's pixels and a halo of `radius`; it overlaps its neighbours' by twice that.
// (top, first) is the image position of its first element. The whole block must call, then wait.
template <int ROWS, int COLUMNS>
__device__ void fill_tile(uint8_t (&tile)[ROWS][COLUMNS], const uint8_t* __restrict__ image, int top,
                          int first, int height, int width, int radius) {
    for (int row = threadIdx.y; row < BLOCK_Y + 2 * radius; row += BLOCK_Y)
        for (int column = threadIdx.x; column < BLOCK_X + 2 * radius; column += BLOCK_X) {
            // No window reaches further below or to the right, though the last blocks' tiles do.
            const int y = reflected(min(top + row, height - 1 + radius), height);
            const int x = reflected(min(first + column, width - 1 + radius), width);
            tile[row][column] = image[at(y, x, width)];
        }
}
