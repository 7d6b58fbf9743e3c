// What packed_aggregation compares, laid out for its loads.  Computes gpu.reference.census_transform, for both
// views at once; with PAIRS grey, what is compared is the grey level.
//
// The quad of a right pixel holds its own descriptor and those of the three pixels to its left: descriptors for
// four disparities in growing order, in one aligned load of 16 bytes whatever the pixel. packed.cuh tells
// where it lies.
//
// A tile of both views and its halo is staged once in shared memory; each right word is computed once and
// goes to four quads.
//
// Launch: block (TILE_X, TILE_Y), one thread a pixel of a row of `pitch`.
// Build: PAIRS is what describes a pixel: grey, checkerboard, symmetric or ring.

#include "common.cuh"
#include "census.cuh"

constexpr int REACH_X = 4, REACH_Y = 3;  // of the largest window
constexpr int BEFORE = 3;                // pixels of a quad to the left of its own

template <class Pixel>
__device__ uint32_t grey(Pixel pixel) {
    return pixel(0, 0);
}

typedef uint8_t Tile[TILE_Y + 2 * REACH_Y][TILE_X + BEFORE + 2 * REACH_X];

// Stage the tile whose pixel (0, 0), with its halo, is (y, x); outside the image the nearest edge pixel.
__device__ inline void stage(Tile& tile, const uint8_t* image, int y, int x, int height, int width) {
    constexpr int COLUMNS = TILE_X + BEFORE + 2 * REACH_X, ROWS = TILE_Y + 2 * REACH_Y;
    for (int i = threadIdx.y * TILE_X + threadIdx.x; i < ROWS * COLUMNS; i += TILE_X * TILE_Y) {
        const int row = clamp(y + i / COLUMNS, 0, height - 1), column = clamp(x + i % COLUMNS, 0, width - 1);
        tile[i / COLUMNS][i % COLUMNS] = image[at(row, column, width)];
    }
}

__device__ inline uint32_t describe(const Tile& tile, int row, int column) {
    return PAIRS([&](int dy, int dx) -> int { return tile[row + REACH_Y + dy][column + REACH_X + dx]; });
}

extern "C" __global__ void packed_words(const uint8_t* __restrict__ left, const uint8_t* __restrict__ right,
                                        uint32_t* __restrict__ left_pixels,
                                        uint32_t* __restrict__ right_quads, uint32_t* __restrict__ right_best, int height, int width, int pitch) {
    __shared__ Tile left_tile, right_tile;
    __shared__ uint32_t words[TILE_Y][TILE_X + BEFORE];
    const int row = threadIdx.y, column = threadIdx.x;
    const int start_y = blockIdx.y * TILE_Y, start_x = blockIdx.x * TILE_X;
    stage(left_tile, left, start_y - REACH_Y, start_x - BEFORE - REACH_X, height, width);
    stage(right_tile, right, start_y - REACH_Y, start_x - BEFORE - REACH_X, height, width);
    __syncthreads();  // both tiles are there
    for (int i = row * TILE_X + column; i < TILE_Y * (TILE_X + BEFORE); i += TILE_X * TILE_Y)
        (&words[0][0])[i] = describe(right_tile, i / (TILE_X + BEFORE), i % (TILE_X + BEFORE));
    __syncthreads();  // so are the words of the pixels to the left
    const int y = start_y + row, x = start_x + column;
    if (y >= height || x >= pitch) return;
    const uint64_t first = uint64_t(y) * pitch;
    const uint32_t* word = &words[row][column];
    reinterpret_cast<uint2*>(left_pixels)[first + x] = make_uint2(
        describe(left_tile, row, column + BEFORE), left_tile[row + REACH_Y][column + BEFORE + REACH_X]);
    reinterpret_cast<uint4*>(right_quads)[first + x % 8 * (pitch / 8) + x / 8] =
        make_uint4(word[3], word[2], word[1], word[0]);
    if (x < width) right_best[at(y, x, width)] = 0xFFFFFFFF;  // packed_winner lowers it
}
