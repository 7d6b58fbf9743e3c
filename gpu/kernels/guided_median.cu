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
constexpr int STRIDE = BLOCK_X * PIXELS;  // columns of a block

// Of a tile; two of the columns lie beyond.
constexpr int COLUMNS = STRIDE + 8, ROWS = BLOCK_Y + 2 * RADIUS;

constexpr uint32_t NONE = 0x7FFF;  // above every value
constexpr uint32_t TOPS = 0x80008000, BOTH = 0x00010001;
constexpr uint32_t TOPS4 = 0x80808080, ALL4 = 0x01010101;

// Of the seven bits: the pixel's own value, and what is far above it.
constexpr int OWN = 64, FARTHEST = 126;

// What a block's pixels and their neighbours have.
struct Tile {
    alignas(16) uint16_t values[ROWS][COLUMNS];
    alignas(16) uint8_t greys[ROWS][COLUMNS];

    // Fill the tile with what the image has, which `grey(y, x)` reads of the left view; tell whether a pixel of the
    // block's window has no disparity.
    template <class Grey>
    __device__ bool fill(const int16_t* __restrict__ filled, Grey grey, int height, int width, int invalid) {
        const int top = blockIdx.y * BLOCK_Y - RADIUS, first = blockIdx.x * STRIDE - RADIUS;
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

    // The value of a pixel of the block.
    __device__ uint32_t own(int row, int column) const { return values[row + RADIUS][column + RADIUS]; }
};

// What the neighbours of a pixel count with in seven bits, their top bits set; eight bits are set where one does not
// count. A row of the window has eight columns here, two words; `spare` has the bytes that count but for the one too many.
struct Near {
    uint32_t words[2 * SIDE];
    uint32_t count;  // how many count, times 128

    // Add half a row: the values of four neighbours, two in a word, and their grey levels.
    __device__ void add(int place, uint32_t first, uint32_t second, uint32_t greys, uint32_t offset,
                        uint32_t grey, uint32_t tolerance, uint32_t wide, uint32_t spare) {
        const uint32_t values = __byte_perm(__viaddmin_s16x2_relu(first, offset, FARTHEST * BOTH),
                                            __viaddmin_s16x2_relu(second, offset, FARTHEST * BOTH), 0x6420);
        const uint32_t apart = __vabsdiffu4(greys, grey);
        const uint32_t within = tolerance - (apart & ~TOPS4);  // the top bit stays if seven bits are
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
            for (int i = 0; i < 2 * SIDE; ++i)
                others = __dp4a(words[i] - trial & TOPS4, ALL4, others);
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
            offsets[i] = (OWN - tile.own(threadIdx.y, column + i) & 0xFFFF) * BOTH;
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
                pixels[i].add(2 * row, pairs[even], pairs[even + 1], below, offsets[i], greys[i], within,
                              wide, i % 2 ? 0x80808000 : TOPS4);
                pixels[i].add(2 * row + 1, pairs[even + 2], pairs[even + 3], above, offsets[i], greys[i],
                              within, wide, i % 2 ? TOPS4 : 0x00808080);
            }
        }
    }
};

// What the neighbours of a pixel count with, whatever it is, and how many do.
struct Window {
    uint32_t pairs[PAIRS];  // their top bits set
    int count;
    uint32_t lowest, highest;

    __device__ void gather(const Tile& tile, int row, int column, int tolerance) {
        const int grey = tile.greys[row + RADIUS][column + RADIUS];
        count = 0, lowest = NONE, highest = 0;
#pragma unroll
        for (int i = 0; i < 2 * PAIRS; ++i) {
            uint32_t value = NONE;
            if (i < WINDOW) {
                const uint32_t known = tile.values[row + i / SIDE][column + i % SIDE];
                const int apart = abs(tile.greys[row + i / SIDE][column + i % SIDE] - grey);
                const bool counts = apart <= tolerance && known != NONE;
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

// The medians of the block's pixels: near ones first; the threads share the rest.
template <class Grey>
__device__ void smooth(const int16_t* __restrict__ filled, Grey grey, int16_t* __restrict__ disparity,
                       int height, int width, int min_disparity, int tolerance) {
    __shared__ Tile tile;
    __shared__ uint16_t rest[BLOCK_Y * STRIDE];  // places in the block
    __shared__ uint32_t left_over;
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS, thread = threadIdx.y * BLOCK_X + threadIdx.x;
    if (thread == 0) left_over = 0;
    const bool without = tile.fill(filled, grey, height, width, invalid);
    int16_t* const corner = disparity + at(blockIdx.y * BLOCK_Y, blockIdx.x * STRIDE, width);
    const int rows = height - blockIdx.y * BLOCK_Y, columns = width - blockIdx.x * STRIDE;
    NearPixels near;
    if (!without) near.gather(tile, tolerance);
#pragma unroll
    for (int i = 0; i < PIXELS; ++i) {
        const int row = threadIdx.y, column = threadIdx.x * PIXELS + i;
        const uint32_t found = without ? 0 : near.pixels[i].middle();
        if (row >= rows || column >= columns) continue;
        if (found == 0 || found >= FARTHEST)
            rest[atomicAdd(&left_over, 1u)] = row * STRIDE + column;
        else
            corner[at(row, column, width)] = invalid + tile.own(row, column) + int(found) - OWN;
    }
    __syncthreads();
    for (int i = thread; i < left_over; i += BLOCK_X * BLOCK_Y) {
        const int row = rest[i] / STRIDE, column = rest[i] % STRIDE;
        Window window;
        window.gather(tile, row, column, tolerance);
        corner[at(row, column, width)] = invalid + (tile.own(row, column) == NONE ? 0 : window.middle());
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
