// What packed_matching compares.  Computes gpu.reference.census_transform and horizontal_gradient, for both views
// in one launch; with PAIRS grey, what is compared is the grey level.
//
// A tile of a view and its halo is staged once in shared memory, four grey levels a word. What takes time
// is to read the neighbours from there, so a thread describes the four pixels of a word: their windows take
// three words a row, which took the launch from 0.07 to 0.06 ms at 1920x1080 on an H200. Where rows begin at a
// multiple of four, four pixels are also loaded and stored at once. Blocks have one view each: code for both, one
// after the other, is twice as long, and in small images most of the time goes by until it has come.
//
// Launch: block (TILE_X / 4, TILE_Y), one thread for four pixels; grid (tiles of a row, of a column, 2 views).
// Build: PAIRS is what describes a pixel: grey, checkerboard, symmetric, ring, mean or ring_symmetric.
// GRADIENT whether gradients are compared too, and REACH the largest.

#include "common.cuh"
#include "census.cuh"
#include "slope.cuh"

constexpr int REACH_X = 4, REACH_Y = 3;  // of the largest window
constexpr int ROWS = 1 + 2 * REACH_Y, COLUMNS = 4 + 2 * REACH_X, WORDS = TILE_X / 4 + 2;

template <class Pixel>
__device__ uint32_t grey(Pixel pixel) {
    return pixel(0, 0);
}

typedef uint32_t Tile[TILE_Y + 2 * REACH_Y][WORDS];

// Four grey levels of a row from column `first` on; outside the image the nearest edge pixel's.
__device__ inline uint32_t four_of(const uint8_t* row, int first, int width) {
    if (width % 4 == 0 && 0 <= first && first < width) return *reinterpret_cast<const uint32_t*>(row + first);
    uint32_t levels = 0;
#pragma unroll
    for (int k = 3; k >= 0; --k)
        levels = levels << 8 | row[clamp(first + k, 0, width - 1)];
    return levels;
}

// Stage the tile that begins, with its halo, at (y, x). All is loaded before any is stored: the block waits once.
__device__ inline void stage(Tile& tile, const uint8_t* image, int y, int x, int height, int width) {
    constexpr int THREADS = TILE_X / 4 * TILE_Y, SIZE = (TILE_Y + 2 * REACH_Y) * WORDS;
    constexpr int TURNS = (SIZE + THREADS - 1) / THREADS;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    uint32_t levels[TURNS];
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
        const int i = min(turn * THREADS + thread, SIZE - 1), row = clamp(y + i / WORDS, 0, height - 1);
        levels[turn] = four_of(image + at(row, 0, width), x + 4 * (i % WORDS), width);
    }
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
        const int i = turn * THREADS + thread;
        if (i < SIZE) tile[i / WORDS][i % WORDS] = levels[turn];
    }
}

// The grey levels that the windows of a thread's pixels hold.
struct Levels {
    int level[ROWS][COLUMNS];

    __device__ Levels(const Tile& tile) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row)
#pragma unroll
            for (int i = 0; i < COLUMNS; ++i)
                level[row][i] = tile[threadIdx.y + row][threadIdx.x + i / 4] >> i % 4 * 8 & 255;
    }

    __device__ uint32_t word(int pixel) const {
        return PAIRS([&](int dy, int dx) { return level[REACH_Y + dy][REACH_X + pixel + dx]; });
    }

    __device__ uint8_t gradient(int pixel) const {
        return slope([&](int dy, int dx) { return level[REACH_Y + dy][REACH_X + pixel + dx]; });
    }
};

// Store what belongs to a thread's pixels: at once, if it may.
template <class Value>
__device__ void put(uint32_t* to, int pixels, Value value) {
    if (pixels == 4 && reinterpret_cast<uint64_t>(to) % 16 == 0)
        *reinterpret_cast<uint4*>(to) = make_uint4(value(0), value(1), value(2), value(3));
    else
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (i < pixels) to[i] = value(i);
}

// Store the gradients of a thread's pixels, where they are asked for.
__device__ inline void put_slopes(uint8_t* to, int pixels, const Levels& levels) {
    if constexpr (GRADIENT) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (i < pixels) to[i] = levels.gradient(i);
    }
}

extern "C" __global__ void packed_words(const uint8_t* __restrict__ left, const uint8_t* __restrict__ right,
                                        uint32_t* __restrict__ left_words, uint32_t* __restrict__ right_words,
                                        uint8_t* __restrict__ left_slopes, uint8_t* __restrict__ right_slopes,
                                        uint32_t* __restrict__ right_best, int height, int width) {
    wait_for_previous();
    __shared__ Tile tile;
    const bool is_left = blockIdx.z == 0;
    const int start_y = blockIdx.y * TILE_Y, start_x = blockIdx.x * TILE_X;
    stage(tile, is_left ? left : right, start_y - REACH_Y, start_x - REACH_X, height, width);
    __syncthreads();  // the tile is there
    const int y = start_y + threadIdx.y, x = start_x + 4 * threadIdx.x, pixels = min(4, width - x);
    if (y >= height) return;
    const uint64_t first = at(y, x, width);
    const Levels levels(tile);
    put((is_left ? left_words : right_words) + first, pixels, [&](int i) { return levels.word(i); });
    put_slopes((is_left ? left_slopes : right_slopes) + first, pixels, levels);
    if (!is_left)
        put(right_best + first, pixels, [](int) { return 0xFFFFFFFFu; });  // packed_winner lowers it
}
