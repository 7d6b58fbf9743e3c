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
#include "mirror.cuh"
#include "window.cuh"
#include "grey.cuh"

constexpr int WARPS = BLOCK_Y, THREADS = 32 * WARPS;
constexpr int COLUMNS = 128, ROWS = 8 * WARPS;
constexpr int REACH = (MAX_RADIUS + 3) / 4;  // of a window, in words to either side
constexpr int WORDS = COLUMNS / 4 + 2 * REACH, HIGH = ROWS + 2 * MAX_RADIUS;
constexpr int AHEAD = 4;  // rows that a warp has under way

struct Staged {
    uint32_t levels[HIGH][WORDS];
    uint2 sums[HIGH][COLUMNS / 4];  // four a row and lane
    uint4 across[2 * REACH + 1];    // weights by word, and by output of a word
    uint4 down[4 + MAX_RADIUS];     // by pair of rows, and by pair of outputs
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
        reinterpret_cast<uint32_t*>(staged.across)[i] = weights;
    }
    for (int i = threadIdx.x; i < 4 * (4 + row.radius); i += THREADS) {
        const int first = 2 * (i / 4) - row.radius - 2 * (i % 4);  // from its first output to its first row
        reinterpret_cast<uint32_t*>(staged.down)[i] =
            row.weight(first, 0) | row.weight(first + 1, 1) | row.weight(first - 1, 2) | row.weight(first, 3);
    }
}

// Four pixels from column x on; outside the image its mirror image.
template <bool ALIGNED>
__device__ uint32_t four_of(const Grey& grey, uint64_t row, int x, int radius) {
    if (grey.has_four<ALIGNED>(row, x)) return grey.four<ALIGNED>(row, x);
    uint32_t levels = 0;
    for (int k = 3; k >= 0; --k)  // no window reaches further to the right
        levels = levels << 8 | grey.image[row + reflected(min(x + k, grey.width - 1 + radius), grey.width)];
    return levels;
}

// Load the rows from y on, and columns from x on.
template <bool ALIGNED>
__device__ void load(Staged& staged, const Grey& grey, int y, int x, int radius, int reach) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = lane; i < COLUMNS / 4 + 2 * reach; i += 32)
        for (int first = warp; first < ROWS + 2 * radius; first += AHEAD * WARPS) {
            uint32_t levels[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const int row = min(y + first + k * WARPS, grey.height - 1 + radius);
                levels[k] = four_of<ALIGNED>(grey, grey.row(reflected(row, grey.height)), x + 4 * i, radius);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k)
                if (first + k * WARPS < ROWS + 2 * radius) staged.levels[first + k * WARPS][i] = levels[k];
        }
}

__device__ inline void sum_rows(Staged& staged, int radius, int reach) {
    const int lane = threadIdx.x % 32, rows = ROWS + 2 * radius;
    for (int first = threadIdx.x / 32; first < rows; first += AHEAD * WARPS) {
        uint32_t sums[AHEAD][4] = {};
        for (int i = 0; i <= 2 * reach; ++i) {
            const uint4 four = staged.across[i];
            const uint32_t weights[] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int j = 0; j < AHEAD; ++j) {
                const uint32_t levels = staged.levels[min(first + j * WARPS, rows - 1)][lane + i];
#pragma unroll
                for (int k = 0; k < 4; ++k)
                    sums[j][k] = __dp4a(levels, weights[k], sums[j][k]);
            }
        }
#pragma unroll
        for (int j = 0; j < AHEAD; ++j)
            if (first + j * WARPS < rows)
                staged.sums[first + j * WARPS][lane] =
                    make_uint2(sums[j][0] | sums[j][1] << 16, sums[j][2] | sums[j][3] << 16);
    }
}

// Sums of eight outputs of four columns.
__device__ inline void sum_columns(uint32_t (&sums)[8][4], const Staged& staged, int first, int radius) {
    const int lane = threadIdx.x % 32;
    for (int pair = 0; pair < 4 + radius; ++pair) {
        const uint4 four = staged.down[pair];
        const uint32_t weights[] = {four.x, four.y, four.z, four.w};
        const uint2 upper = staged.sums[first + 2 * pair][lane],
                    lower = staged.sums[first + 2 * pair + 1][lane];
        const uint32_t columns[] = {
            __byte_perm(upper.x, lower.x, 0x5410), __byte_perm(upper.x, lower.x, 0x7632),
            __byte_perm(upper.y, lower.y, 0x5410), __byte_perm(upper.y, lower.y, 0x7632)};
#pragma unroll
        for (int i = 0; i < 8; i += 2)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                sums[i][k] = __dp2a_lo(columns[k], weights[i / 2], sums[i][k]);
                sums[i + 1][k] = __dp2a_hi(columns[k], weights[i / 2], sums[i + 1][k]);
            }
    }
}

extern "C" __launch_bounds__(32 * WARPS) __global__
    void packed_gaussian(const uint8_t* __restrict__ left, uint8_t* __restrict__ blurred, int height,
                         int width, int radius, int bits, int w0, int w1, int w2, int w3, int w4) {
    wait_for_previous();
    __shared__ Staged staged;
    const Row row{{uint32_t(w0), uint32_t(w1), uint32_t(w2), uint32_t(w3), uint32_t(w4)}, radius};
    const int reach = (radius + 3) / 4, top = blockIdx.y * ROWS, start = blockIdx.x * COLUMNS;
    const Grey grey{left, height, width};
    if (width % 4 == 0)
        load<true>(staged, grey, top - radius, start - 4 * reach, radius, reach);
    else
        load<false>(staged, grey, top - radius, start - 4 * reach, radius, reach);
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
