// Gaussian filter of convention opencv, in whole numbers.  Computes gpu.reference.gaussian_filter.
//
// The weights are products of two from one row of whole numbers, and no sum is rounded before the last: so it may be
// taken along rows first, where it fits 16 bits, and then along columns.
//
// A block stages the grey levels of a tile and its halo in shared memory, then their sums along rows. Both times one
// instruction multiplies and adds several: four pixels of a word for each of the four outputs above it, two sums below
// each other for each of eight outputs. Pixels stay where they are; each output has weights of its own, moved by
// its distance, 0 where its window does not reach.
//
// Launch: block (BLOCK_X * BLOCK_Y), BLOCK_X 32, for a tile of 128 columns and 8 * BLOCK_Y rows.
// Build: MAX_RADIUS is the largest radius. Weights from the centre on are bytes of five words; their row sums to
// the root of 2 to the power of `bits`.

#include "common.cuh"
#include "window.cuh"
#include "grey.cuh"

constexpr int WARPS = BLOCK_Y, THREADS = 32 * WARPS;
constexpr int COLUMNS = 128, ROWS = 8 * WARPS;
constexpr int REACH = (MAX_RADIUS + 3) / 4;  // of a window, in words to either side
constexpr int WORDS = COLUMNS / 4 + 2 * REACH, HIGH = ROWS + 2 * MAX_RADIUS;
constexpr int AHEAD = 4;  // rows that a warp loads before it stores one

struct Staged {
    uint32_t levels[HIGH][WORDS];
    uint2 sums[HIGH][COLUMNS / 4];      // four a row and lane
    uint32_t across[2 * REACH + 1][4];  // weights by word, and by output of a word
    uint32_t down[4 + MAX_RADIUS][4];   // by pair of rows, and by pair of outputs
};

struct Row {
    uint32_t words[5];
    int radius;

    // The weight at a distance from the centre, moved up by so many bytes.
    __device__ uint32_t weight(int distance, int bytes) const {
        uint32_t word = 0;
#pragma unroll
        for (int i = 0; i < 5; ++i)
            if (abs(distance) / 4 == i) word = words[i];
        return abs(distance) > radius ? 0 : (word >> abs(distance) % 4 * 8 & 0xFF) << 8 * bytes;
    }
};

__device__ inline void tabulate(Staged& staged, const Row& row, int reach) {
    for (int i = threadIdx.x; i < 4 * (2 * reach + 1); i += THREADS) {
        uint32_t weights = 0;
        for (int k = 0; k < 4; ++k)
            weights |= row.weight(4 * (i / 4 - reach) + k - i % 4, k);
        staged.across[i / 4][i % 4] = weights;
    }
    for (int i = threadIdx.x; i < 4 * (4 + row.radius); i += THREADS) {
        const int first =
            2 * (i / 4) - row.radius - 2 * (i % 4);  // from the pair's first row to its first output
        staged.down[i / 4][i % 4] =
            row.weight(first, 0) | row.weight(first + 1, 1) | row.weight(first - 1, 2) | row.weight(first, 3);
    }
}

// Four pixels from column x on; outside the image its mirror image.
__device__ inline uint32_t four_of(const Grey& grey, uint64_t row, int x, int radius) {
    if (grey.has_four(row, x)) return grey.four(row, x);
    uint32_t levels = 0;
    for (int k = 3; k >= 0; --k)  // no window reaches further to the right
        levels = levels << 8 | grey.image[row + reflected(min(x + k, grey.width - 1 + radius), grey.width)];
    return levels;
}

// Load the rows from y on, and columns from x on.
__device__ inline void load(Staged& staged, const Grey& grey, int y, int x, int radius, int reach) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = lane; i < COLUMNS / 4 + 2 * reach; i += 32)
        for (int first = warp; first < ROWS + 2 * radius; first += AHEAD * WARPS) {
            uint32_t levels[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const int row = min(y + first + k * WARPS, grey.height - 1 + radius);
                levels[k] = four_of(grey, grey.row(reflected(row, grey.height)), x + 4 * i, radius);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k)
                if (first + k * WARPS < ROWS + 2 * radius) staged.levels[first + k * WARPS][i] = levels[k];
        }
}

__device__ inline void sum_rows(Staged& staged, int radius, int reach) {
    const int lane = threadIdx.x % 32;
    for (int row = threadIdx.x / 32; row < ROWS + 2 * radius; row += WARPS) {
        uint32_t sums[4] = {};
        for (int i = 0; i <= 2 * reach; ++i)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                sums[k] = __dp4a(staged.levels[row][lane + i], staged.across[i][k], sums[k]);
        staged.sums[row][lane] = make_uint2(sums[0] | sums[1] << 16, sums[2] | sums[3] << 16);
    }
}

// Sums of eight outputs of four columns.
__device__ inline void sum_columns(uint32_t (&sums)[8][4], const Staged& staged, int first, int radius) {
    const int lane = threadIdx.x % 32;
    for (int pair = 0; pair < 4 + radius; ++pair) {
        const uint2 upper = staged.sums[first + 2 * pair][lane],
                    lower = staged.sums[first + 2 * pair + 1][lane];
        const uint32_t columns[] = {
            __byte_perm(upper.x, lower.x, 0x5410), __byte_perm(upper.x, lower.x, 0x7632),
            __byte_perm(upper.y, lower.y, 0x5410), __byte_perm(upper.y, lower.y, 0x7632)};
#pragma unroll
        for (int i = 0; i < 8; i += 2)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                sums[i][k] = __dp2a_lo(columns[k], staged.down[pair][i / 2], sums[i][k]);
                sums[i + 1][k] = __dp2a_hi(columns[k], staged.down[pair][i / 2], sums[i + 1][k]);
            }
    }
}

extern "C" __launch_bounds__(32 * WARPS) __global__
    void packed_gaussian(const uint8_t* __restrict__ left, uint8_t* __restrict__ blurred, int height,
                         int width, int radius, int bits, int w0, int w1, int w2, int w3, int w4) {
    __shared__ Staged staged;
    const Row row{{uint32_t(w0), uint32_t(w1), uint32_t(w2), uint32_t(w3), uint32_t(w4)}, radius};
    const int reach = (radius + 3) / 4, top = blockIdx.y * ROWS, start = blockIdx.x * COLUMNS;
    load(staged, {left, height, width}, top - radius, start - 4 * reach, radius, reach);
    tabulate(staged, row, reach);
    __syncthreads();  // levels and weights are there
    sum_rows(staged, radius, reach);
    __syncthreads();  // and the sums of rows
    const int first = threadIdx.x / 32 * 8, x = start + threadIdx.x % 32 * 4;
    uint32_t sums[8][4] = {};
    sum_columns(sums, staged, first, radius);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        uint32_t levels = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            levels |= (sums[i][k] + (1u << (bits - 1)) >> bits) << 8 * k;
        if (top + first + i >= height || x >= width) continue;
        uint8_t* to = blurred + at(top + first + i, x, width);
        if (width % 4 == 0)
            *reinterpret_cast<uint32_t*>(to) = levels;
        else
            for (int k = 0; k < min(4, width - x); ++k)
                to[k] = levels >> 8 * k;
    }
}
