// Guided median, 7x7.  Computes gpu.reference.guided_median.
//
// Values count in stored steps from the invalid disparity on. Two ways lead to the median:
//
//   Near      the median of most pixels is close to their own value. What their neighbours have counts from there, in
//             seven bits, so that four neighbours share a word; what is farther off is taken to lie at the ends.
//   Window    the rest, where it does lie at an end, and blocks that hold a pixel without a disparity: two neighbours
//             share a word.
//
// Both find the median from its first bit on: a difference whose top bit stays set belongs to a value that is not
// below the trial.
//
//   guided_median_global    grey levels from global memory
//   guided_median_texture   through the texture, whose addressing clamps
//
// Launch: block (BLOCK_X, BLOCK_Y), PIXELS pixels side by side a thread.
// Build: RADIUS of the window, SUBPIXEL_STEPS the stored steps of a pixel.

#include "common.cuh"

constexpr int SIDE = 2 * RADIUS + 1, WINDOW = SIDE * SIDE, PAIRS = (WINDOW + 1) / 2;
constexpr int COLUMNS = BLOCK_X * PIXELS + 8, ROWS = BLOCK_Y + 2 * RADIUS;  // of a tile; two of the columns lie beyond
constexpr uint32_t NONE = 0x7FFF;  // above every value
constexpr uint32_t TOPS = 0x80008000, BOTH = 0x00010001;
constexpr uint32_t TOPS4 = 0x80808080, ALL4 = 0x01010101;
constexpr int OWN = 64, FARTHEST = 126;  // of the seven bits: the pixel's value itself, and what is far above it

// What a block's pixels and their neighbours have.
struct Tile {
    alignas(16) uint16_t values[ROWS][COLUMNS];
    alignas(16) uint8_t greys[ROWS][COLUMNS];

    // Fill the tile with what the image has, which `grey(y, x)` reads of the left view; tell whether a pixel of the
    // block's window has no disparity.
    template <class Grey>
    __device__ bool fill(const int16_t* __restrict__ filled, Grey grey, int height, int width, int invalid) {
        const int top = blockIdx.y * BLOCK_Y - RADIUS, first = blockIdx.x * BLOCK_X * PIXELS - RADIUS;
        bool without = false;
        for (int row = threadIdx.y; row < ROWS; row += BLOCK_Y)
            for (int column = threadIdx.x; column < COLUMNS; column += BLOCK_X) {
                const int y = clamp(top + row, 0, height - 1), x = clamp(first + column, 0, width - 1);
                const int above = filled[at(y, x, width)] - invalid;
                without |= above <= 0;
                values[row][column] = above > 0 ? above : NONE;
                greys[row][column] = grey(y, x);
            }
        return __syncthreads_or(without);
    }
};

// What the neighbours of a pixel count with in seven bits, their top bits set; eight bits are set where one does not
// count. A row of the window has eight columns here, two words; `spare` has the bytes that count but for the one too many.
struct Near {
    uint32_t words[2 * SIDE];
    uint32_t count;  // how many count, times 128

    // Add half a row: the values of four neighbours, two in a word, and their grey levels.
    __device__ void add(int place, uint32_t first, uint32_t second, uint32_t greys, uint32_t offset, uint32_t grey,
                        uint32_t tolerance, uint32_t wide, uint32_t spare) {
        const uint32_t values = __byte_perm(__viaddmin_s16x2_relu(first, offset, FARTHEST * BOTH),
                                            __viaddmin_s16x2_relu(second, offset, FARTHEST * BOTH), 0x6420);
        const uint32_t apart = __vabsdiffu4(greys, grey);
        const uint32_t within = tolerance - (apart & ~TOPS4);  // the top bit stays if the lower seven are within
        const uint32_t counts = (~apart & within | wide & (~apart | within)) & spare;
        words[place] = values | ~(counts - (counts >> 7));
        count = __dp4a(counts, ALL4, count);
    }

    // The largest value that at most half of the others lie below.
    __device__ uint32_t middle() const {
        uint32_t found = 0;
#pragma unroll
        for (int bit = 64; bit > 0; bit /= 2) {
            const uint32_t trial = (found + bit) * ALL4;
            uint32_t others = 0;  // not below the trial, times 128
#pragma unroll
            for (int i = 0; i < 2 * SIDE; ++i) others = __dp4a(words[i] - trial & TOPS4, ALL4, others);
            if (2 * (2 * SIDE * 4 * 128 - others) < count) found += bit;
        }
        return found;
    }
};

// The neighbours of PIXELS pixels side by side, whose values all are there.
struct NearPixels {
    Near pixels[PIXELS];

    __device__ void gather(const Tile& tile, int tolerance) {
        const int column = threadIdx.x * PIXELS;
        const uint32_t wide = tolerance < 128 ? 0 : TOPS4;  // differences of 128 and more may be within, too
        const uint32_t within = (tolerance & 127) * ALL4 | TOPS4;
        uint32_t offsets[PIXELS], greys[PIXELS];
#pragma unroll
        for (int i = 0; i < PIXELS; ++i) {
            offsets[i] = (OWN - tile.values[threadIdx.y + RADIUS][column + i + RADIUS] & 0xFFFF) * BOTH;
            greys[i] = tile.greys[threadIdx.y + RADIUS][column + i + RADIUS] * ALL4;
            pixels[i].count = 0;
        }
#pragma unroll
        for (int row = 0; row < SIDE; ++row) {
            const auto* pairs = reinterpret_cast<const uint32_t*>(&tile.values[threadIdx.y + row][column]);
            const auto* fours = reinterpret_cast<const uint32_t*>(&tile.greys[threadIdx.y + row][column]);
#pragma unroll
            for (int i = 0; i < PIXELS; ++i) {
                const int even = i / 2;  // words before the first column of the window, or the one before it
                const uint32_t below = even ? __byte_perm(fours[0], fours[1], 0x5432) : fours[0];
                const uint32_t above = even ? __byte_perm(fours[1], fours[2], 0x5432) : fours[1];
                pixels[i].add(2 * row, pairs[even], pairs[even + 1], below, offsets[i], greys[i], within, wide,
                              i % 2 ? 0x80808000 : TOPS4);
                pixels[i].add(2 * row + 1, pairs[even + 2], pairs[even + 3], above, offsets[i], greys[i], within, wide,
                              i % 2 ? TOPS4 : 0x00808080);
            }
        }
    }
};

// What the neighbours of a pixel count with, whatever it is, and how many do.
struct Window {
    uint32_t pairs[PAIRS];  // their top bits set
    int count;
    uint32_t lowest, highest;

    __device__ void gather(const Tile& tile, int column, int tolerance) {
        const int grey = tile.greys[threadIdx.y + RADIUS][column + RADIUS];
        count = 0, lowest = NONE, highest = 0;
#pragma unroll
        for (int i = 0; i < 2 * PAIRS; ++i) {
            uint32_t value = NONE;
            if (i < WINDOW) {
                const int row = threadIdx.y + i / SIDE, there = column + i % SIDE;
                const uint32_t known = tile.values[row][there];
                const bool counts = abs(tile.greys[row][there] - grey) <= tolerance && known != NONE;
                value = counts ? known : NONE;
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

// The medians of the thread's pixels.
template <class Grey>
__device__ void smooth(const int16_t* __restrict__ filled, Grey grey, int16_t* __restrict__ disparity,
                       int height, int width, int min_disparity, int tolerance) {
    __shared__ Tile tile;
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS;
    const bool without = tile.fill(filled, grey, height, width, invalid);
    const int column = threadIdx.x * PIXELS, first = blockIdx.x * BLOCK_X * PIXELS + column;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (first >= width || y >= height) return;
    uint32_t found[PIXELS] = {};
    if (!without) {
        NearPixels near;
        near.gather(tile, tolerance);
#pragma unroll
        for (int i = 0; i < PIXELS; ++i) found[i] = near.pixels[i].middle();
    }
#pragma unroll 1
    for (int i = 0; i < min(PIXELS, width - first); ++i) {
        const int own = tile.values[threadIdx.y + RADIUS][column + i + RADIUS];
        int median = own + int(found[i]) - OWN;
        if (found[i] == 0 || found[i] >= FARTHEST) {
            Window window;
            window.gather(tile, column + i, tolerance);
            median = own == NONE ? 0 : window.middle();
        }
        disparity[at(y, first + i, width)] = invalid + median;
    }
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
