// Strong and weak local maxima of the gradient, a bit a pixel, and hysteresis within blocks of tiles.  Computes
// gpu.reference.gradient, non_maximum_suppression, manual_thresholds and edge_seeds of convention opencv in one
// pass; see tile_sets.cuh for what becomes of the bits.
//
// A thread walks down ROWS rows of eight pixels. It asks for all the rows that it needs before it uses the first; what
// lies left and right comes from the lanes beside it. Gradients and magnitudes stay in registers, three rows of
// them at a time, and of each row go two bytes into the tiles of the block, in shared memory.
//
// Launch: block (32 * TILES); grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, a warp each, MOST_SETS how many sets a tile has at most,
// BLOCKS how many blocks a multiprocessor holds at least. APERTURE is 3, 5 or 7, SMOOTHING and DERIVATIVE are its Sobel
// weights, SQUARED whether gx^2 + gy^2 is compared, ALIGNED_ROWS whether every row begins at a multiple of eight bytes.
// `low` and `high` are in the unit that is compared; but without squares, at aperture 3, two half-precision numbers
// each.

#include "common.cuh"
#include "words.cuh"
#include "bits.cuh"
#include "side_sets.cuh"
#include "tile_sets.cuh"
#include "grey.cuh"
#include "halves.cuh"
#include "maxima_halves.cuh"
#include "maxima_whole.cuh"

constexpr int LANES = BLOCK_COLUMNS * TILE / 8;                 // side by side
constexpr int ROWS = BLOCK_ROWS * TILE / (32 * TILES / LANES);  // of a thread
constexpr int READ = ROWS + 2 + 2 * RADIUS;

// Four pixels of a row from column x on; beyond the last column its pixel.
__device__ inline uint32_t four_of(const Grey& grey, uint64_t row, int x) {
    if (x >= grey.width) return grey.image[row + grey.width - 1] * 0x01010101u;
    if (grey.has_four<false>(row, x)) return grey.four<false>(row, x);
    uint32_t levels = 0;
    for (int k = 3; k >= 0; --k)
        levels = levels << 8 | grey.image[row + min(x + k, grey.width - 1)];
    return levels;
}

// What a thread reads: eight pixels of each row from column x on and, where no lane of the warp has them, the four
// before or after. With ALIGNED_ROWS, pixels beyond the last column are whatever there is.
struct Read {
    uint2 levels[READ];
    uint32_t beyond[READ];

    __device__ void rows(const Grey& grey, int first, int x, int column) {
        const bool before = column == 0 && x > 0, after = column == LANES - 1 && x + 8 < grey.width;
        const int side = before ? x - 4 : x + 8;
#pragma unroll
        for (int i = 0; i < READ; ++i) {
            const uint64_t row = grey.row(first + i);
            beyond[i] = 0;
            if (ALIGNED_ROWS) {
                const uint8_t* from = grey.image + row;
                levels[i] = *reinterpret_cast<const uint2*>(from + min(x, grey.width - 8));
                if (before || after) beyond[i] = *reinterpret_cast<const uint32_t*>(from + side);
            } else {
                levels[i] = make_uint2(four_of(grey, row, x), four_of(grey, row, x + 4));
                if (before || after) beyond[i] = four_of(grey, row, side);
            }
        }
        __syncwarp();
    }
};

// Two bytes of bits of each row that a thread walks down, to the block's tiles.
__device__ inline void find_seeds(Block& block, const Grey& grey, int low, int high) {
    const int column = threadIdx.x % LANES, start = threadIdx.x / LANES * ROWS;
    const int x = (blockIdx.x * LANES + column) * 8, first = blockIdx.y * BLOCK_ROWS * TILE + start;
    const int height = grey.height, width = grey.width;
    Read read;
    read.rows(grey, first - 1 - RADIUS, x, column);
    const int tile = start / TILE * BLOCK_COLUMNS + column / 4, place = start % TILE * 4 + column % 4;
    uint8_t* weak = reinterpret_cast<uint8_t*>(block.weak_rows(tile)) + place;
    uint8_t* strong = reinterpret_cast<uint8_t*>(block.strong_rows(tile)) + place;
    const uint32_t valid = x + 8 <= width ? 0xFF : x < width ? (1u << (width - x)) - 1 : 0;
    // Which of columns x - 1 to x + 8 the image has.
    const uint32_t beside = x + 8 >= width ? (1u << max(width - x + 1, 0)) - 1 - (x == 0)
                            : x == 0       ? ALL - 1
                                           : ALL;
    Row rows[APERTURE];
    Line lines[3];
#pragma unroll
    for (int i = 0; i < READ; ++i) {
        const uint2 levels = read.levels[i];
        uint32_t before = __shfl_up_sync(ALL, levels.y, 1), after = __shfl_down_sync(ALL, levels.x, 1);
        if (column == 0) before = x > 0 ? read.beyond[i] : permuted(levels.x, 0, 0x0000);
        if (column == LANES - 1) after = read.beyond[i];
        if (x + 8 >= width) after = permuted(levels.y, 0, 0x3333);
        rows[i % APERTURE] = Row(before, levels.x, levels.y, after);
        const int turn = i - 2 * RADIUS, y = first - 1 + turn;
        if (turn < 0) continue;
        Line& line = lines[turn % 3];
        line = Line([&](int k) -> const Row& { return rows[(turn + k) % APERTURE]; });
        if (y < 0 || y >= height) line.clear_outside([](int) { return false; });
        if (beside != ALL) line.clear_outside([=](int k) { return beside >> k & 1; });
        line.finish();
        if (turn < 2) continue;
        const uint32_t found = maxima(lines[(turn - 2) % 3], lines[(turn - 1) % 3], line, low, high);
        const uint32_t kept = y - 1 < height ? valid : 0;
        weak[4 * (turn - 2)] = found & kept;
        strong[4 * (turn - 2)] = found >> 8 & kept;
    }
}

extern "C" __launch_bounds__(32 * TILES, BLOCKS) __global__
    void packed_edges(const uint8_t* __restrict__ blurred, uint32_t* __restrict__ weak_bits,
                      uint32_t* __restrict__ strong_bits, uint16_t* __restrict__ side_sets,
                      uint32_t* __restrict__ set_parents, int height, int width, int low, int high) {
    wait_for_previous();
    __shared__ Block block;
    find_seeds(block, Grey{blurred, height, width}, low, high);
    __syncthreads();  // the rows of a tile are several warps'
    const int lane = threadIdx.x % 32, tile = threadIdx.x / 32;
    const TilePlace place(tile, (height + TILE - 1) / TILE, (width + TILE - 1) / TILE);
    if (place.inside) {
        weak_bits[place.words + lane] = block.weak_rows(tile)[lane];
        strong_bits[place.words + lane] = block.strong_rows(tile)[lane];
    }
    tell_apart(block, side_sets, set_parents);
}
