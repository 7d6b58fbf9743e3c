// What packed_matching compares.  Computes gpu.reference.census_transform, for both views at once; with PAIRS
// grey, what is compared is the grey level.
//
// A tile of both views and its halo is staged once in shared memory.
//
// Launch: block (TILE_X, TILE_Y), one thread a pixel.
// Build: PAIRS is what describes a pixel: grey, checkerboard, symmetric or ring.

#include "common.cuh"
#include "census.cuh"

constexpr int REACH_X = 4, REACH_Y = 3;  // of the largest window

template <class Pixel>
__device__ uint32_t grey(Pixel pixel) {
    return pixel(0, 0);
}

typedef uint8_t Tile[TILE_Y + 2 * REACH_Y][TILE_X + 2 * REACH_X];

// Stage the tile that begins, with its halo, at (y, x); outside the image the nearest edge pixel.
__device__ inline void stage(Tile& tile, const uint8_t* image, int y, int x, int height, int width) {
    for (int row = threadIdx.y; row < TILE_Y + 2 * REACH_Y; row += TILE_Y)
        for (int column = threadIdx.x; column < TILE_X + 2 * REACH_X; column += TILE_X)
            tile[row][column] =
                image[at(clamp(y + row, 0, height - 1), clamp(x + column, 0, width - 1), width)];
}

__device__ inline uint32_t describe(const Tile& tile) {
    return PAIRS(
        [&](int dy, int dx) -> int { return tile[threadIdx.y + REACH_Y + dy][threadIdx.x + REACH_X + dx]; });
}

extern "C" __global__ void packed_words(const uint8_t* __restrict__ left, const uint8_t* __restrict__ right,
                                        uint32_t* __restrict__ left_words, uint32_t* __restrict__ right_words,
                                        uint32_t* __restrict__ left_grey, uint32_t* __restrict__ right_best,
                                        int height, int width) {
    __shared__ Tile left_tile, right_tile;
    const int start_y = blockIdx.y * TILE_Y, start_x = blockIdx.x * TILE_X;
    stage(left_tile, left, start_y - REACH_Y, start_x - REACH_X, height, width);
    stage(right_tile, right, start_y - REACH_Y, start_x - REACH_X, height, width);
    __syncthreads();  // both tiles are there
    const int y = start_y + threadIdx.y, x = start_x + threadIdx.x;
    if (y >= height || x >= width) return;
    const uint64_t pixel = at(y, x, width);
    left_words[pixel] = describe(left_tile);
    right_words[pixel] = describe(right_tile);
    left_grey[pixel] = left_tile[threadIdx.y + REACH_Y][threadIdx.x + REACH_X];
    right_best[pixel] = 0xFFFFFFFF;  // packed_winner lowers it
}
