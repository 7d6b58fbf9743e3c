// Guided median, 7x7.  Computes gpu.reference.guided_median.
//
// Values count from the invalid disparity on, so that they have no sign and fewer than 15 bits. Two of them share a
// word, and the median is found from its first bit on: a difference whose top bit stays set belongs to a value that
// is not below the trial.
//
//   guided_median_global    grey levels from global memory
//   guided_median_texture   through the texture, whose addressing clamps
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.
// Build: RADIUS of the window, SUBPIXEL_STEPS the stored steps of a pixel.

#include "common.cuh"

constexpr int SIDE = 2 * RADIUS + 1, WINDOW = SIDE * SIDE, PAIRS = (WINDOW + 1) / 2;
constexpr int COLUMNS = BLOCK_X + 2 * RADIUS, ROWS = BLOCK_Y + 2 * RADIUS;
constexpr uint32_t NONE = 0x7FFF;  // above every value
constexpr uint32_t TOPS = 0x80008000, BOTH = 0x00010001;

// Fill the block's tile: a pixel's value, above it its grey level, which `grey(y, x)` reads.
template <class Grey>
__device__ void fill(uint32_t (&tile)[ROWS][COLUMNS], const int16_t* __restrict__ filled, Grey grey,
                     int height, int width, int invalid) {
    const int top = blockIdx.y * BLOCK_Y - RADIUS, first = blockIdx.x * BLOCK_X - RADIUS;
    for (int row = threadIdx.y; row < ROWS; row += BLOCK_Y)
        for (int column = threadIdx.x; column < COLUMNS; column += BLOCK_X) {
            const int y = clamp(top + row, 0, height - 1), x = clamp(first + column, 0, width - 1);
            const int above = filled[at(y, x, width)] - invalid;
            tile[row][column] = (above > 0 ? above : NONE) | uint32_t(grey(y, x)) << 16;
        }
}

// What the thread's neighbours count with, and how many do.
struct Window {
    uint32_t pairs[PAIRS];  // their top bits set
    int count;
    uint32_t lowest, highest;

    __device__ void gather(const uint32_t (&tile)[ROWS][COLUMNS], int tolerance) {
        const int grey = tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS] >> 16;
        count = 0, lowest = NONE, highest = 0;
#pragma unroll
        for (int i = 0; i < 2 * PAIRS; ++i) {
            uint32_t value = NONE;
            if (i < WINDOW) {
                const uint32_t there = tile[threadIdx.y + i / SIDE][threadIdx.x + i % SIDE];
                const bool counts = abs(int(there >> 16) - grey) <= tolerance && (there & NONE) != NONE;
                value = counts ? there & NONE : NONE;
                count += counts;
                lowest = min(lowest, value);
                highest = max(highest, counts ? value : 0);
            }
            pairs[i / 2] = i % 2 == 0 ? value | TOPS : pairs[i / 2] + (value << 16);
        }
    }

    // Count the values below a trial.
    __device__ int below(uint32_t trial) const {
        uint32_t total = 0;
#pragma unroll
        for (int i = 0; i < PAIRS; ++i)
            total += (pairs[i] - trial * BOTH & TOPS) >> 15;
        return 2 * PAIRS - int(total & 0xFFFF) - int(total >> 16);
    }

    // The largest value that at most half of the others lie below, between the lowest and the highest.
    __device__ uint32_t middle() const {
        uint32_t found = lowest;
        for (int bit = 31 - __clz((highest - lowest) | 1); bit >= 0; --bit) {
            const uint32_t trial = found + (1u << bit);
            if (trial <= highest && 2 * below(trial) < count) found = trial;
        }
        return found;
    }
};

// The median of the thread's pixel, once the tile is filled.
template <class Grey>
__device__ void smooth(const int16_t* __restrict__ filled, Grey grey, int16_t* __restrict__ disparity,
                       int height, int width, int min_disparity, int tolerance) {
    __shared__ uint32_t tile[ROWS][COLUMNS];
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS;
    fill(tile, filled, grey, height, width, invalid);
    __syncthreads();
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const bool valid = (tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS] & NONE) != NONE;
    Window window;
    window.gather(tile, tolerance);
    disparity[at(y, x, width)] = valid ? invalid + window.middle() : invalid;
}

extern "C" __global__ void guided_median_global(const int16_t* __restrict__ filled,
                                                const uint8_t* __restrict__ left,
                                                int16_t* __restrict__ disparity, int height, int width,
                                                int min_disparity, int tolerance) {
    const auto grey = [=](int y, int x) { return left[at(y, x, width)]; };
    smooth(filled, grey, disparity, height, width, min_disparity, tolerance);
}

extern "C" __global__ void guided_median_texture(const int16_t* __restrict__ filled, cudaTextureObject_t left,
                                                 int16_t* __restrict__ disparity, int height, int width,
                                                 int min_disparity, int tolerance) {
    const auto grey = [=](int y, int x) { return texel(left, y, x); };
    smooth(filled, grey, disparity, height, width, min_disparity, tolerance);
}
