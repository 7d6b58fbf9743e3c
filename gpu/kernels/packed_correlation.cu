// Correlation by products of matrices of bytes.  Computes gpu.reference.template_statistics and correlation.
//
// Products. Of a row of the image and a row of the template, A has at (m, k) the pixel 8 m + k of the image, and B
// at (k, n) the pixel k - n of the template, 0 outside it: then A B has at (m, n) the sum of products of the window
// that begins at pixel 8 m + n, 128 windows in a row. A warp adds these up for eight rows of windows: row r of
// the image meets row r - y of the template for row y. B's columns are the same bytes shifted, made once a block.
//
// Which k is which slot of the instruction is free, as long as A and B agree. Here a lane's slots hold pixels that
// lie together, 16 t to 16 t + 15 of 64 (8 t to 8 t + 7 of 32 for narrow templates), and lanes g of A rows 16 g and
// 16 g + 8 pixels on: its part of A is 16 bytes of the tile, whose words are stored in the order 0, 2, 1, 3, or of
// a second tile that begins 8 bytes later.
//
// Sums of grey levels and of their squares are, by column, those of the row before, less the row that leaves, plus
// the one that enters; along a row, the same with columns, added up over a warp, whose lanes then have the sums of
// four windows side by side. Products come to them through shared memory, scores go straight out. What limits this
// part is shared memory, which takes a warp's words 32 at a time: nothing is written there twice.
//
// Score. Sums fit 32 bits up to 66051 pixels of template, differences of their products 48. The quotient is
// num * rsqrt(own) / sqrt(others), whose relative error is far below 2^-44: unless the bits that rounding to single
// precision drops lie that near a half, the exact quotient rounds to the same. If they do, it is computed. Beside
// scores goes the highest of every 128 in a row, as an integer that compares as it does.
//
// A template too wide or too high for the tile is taken part by part: all products, then all sums, which wait for
// the next part in global memory.
//
// Launch: a block of 256 threads for 128 x 64 windows. SHARED bytes: see shared_bytes() in packed_correlation.py.
// Build: CONVENTION is exact or book; STEPS 1 for parts of at most 25 columns, else 2, for at most 57.

#include "common.cuh"
#include "coefficient.cuh"
#include "peaks.cuh"
#include "tensor.cuh"
#include "unaligned.cuh"
#include "warp.cuh"

extern __shared__ uint4 shared[];

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane takes part in every shuffle
constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int ROWS = 8;  // of windows, of a warp
constexpr int TILE_WIDTH = 128, TILE_HEIGHT = WARPS * ROWS;
constexpr int COLUMNS = 192, GROUPS = COLUMNS / 16;  // of a row of the tile: pixels, and 16 of them together
constexpr int QUAD = 2 * STEPS;                      // words of B that a lane holds of a row of the template
constexpr int PADDED = 32 * STEPS + 16;              // bytes of such a row, with room before and behind it
constexpr int BEFORE = 8;                            // that room
constexpr int TOGETHER = 4;                          // windows side by side, of a lane
constexpr int APART = COLUMNS + COLUMNS / 16;        // pairs from one row of column sums to the next

struct Part {  // of the template, and where its tile begins in the image
    int x, y, width, height;
    int column, row;
};

// What the score needs to know about the template.
struct Pattern {
    uint32_t pixels, total;
    int64_t squares;
    double others, inverse_root;  // of its variance: times pixels squared, and the root's inverse
};

// Where a block's arrays lie. Sums are made in the place of what is made for products.
struct Places {
    uint4 *tile, *second, *quads;
    uint32_t *padded, *parked;
    uint2* columns;  // total and squares of each, of a row for every warp, twice

    __device__ explicit Places(int part_height) {
        const int groups = (TILE_HEIGHT + part_height - 1) * GROUPS;
        tile = shared;
        padded = reinterpret_cast<uint32_t*>(tile + groups);
        second = tile + (groups + part_height * PADDED / 16 + 7) / 8 * 8 + 4;  // in other banks than the tile
        quads = second + groups;
        parked = padded;
        columns = reinterpret_cast<uint2*>(parked + TILE_HEIGHT * TILE_WIDTH);
    }
};

// The place in a row of column sums of a column: those that lanes read together, 4 apart, fall into different banks.
__device__ inline int padded(int column) { return column + column / 16; }

// The place in a row of the tile of a byte, whose words lie in another order in every group of four.
__device__ inline int stored_at(int column) {
    return (column & ~12) | (column >> 2 & 1) << 3 | (column >> 3 & 1) << 2;
}

// Sixteen of 32 bytes, from the one on that `first`, 0 to 16, counts to.
__device__ inline uint4 sixteen_of(uint4 low, uint4 high, int first) {
    uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int step = 4; step > 0; step /= 2)
#pragma unroll
        for (int k = 0; k + step < 8; ++k)
            if (first & 4 * step) words[k] = words[k + step];
    const int bits = 8 * (first & 3);
    return make_uint4(__funnelshift_r(words[0], words[1], bits), __funnelshift_r(words[1], words[2], bits),
                      __funnelshift_r(words[2], words[3], bits), __funnelshift_r(words[3], words[4], bits));
}

__device__ inline uint4 sixteen_times(uint32_t byte) {
    const uint32_t word = byte * 0x01010101u;
    return make_uint4(word, word, word, word);
}

// Sixteen pixels of a row at x, given those at the nearest place where the row has as many; beside it, the edge pixel.
__device__ inline uint4 moved_to(int x, uint4 pixels, int width) {
    if (x < 0) return sixteen_of(sixteen_times(pixels.x & 0xFF), pixels, max(16 + x, 0));
    if (x > width - 16) return sixteen_of(pixels, sixteen_times(pixels.w >> 24), min(x + 16 - width, 16));
    return pixels;
}

// A row of the tile, as the image has it; above and below the image, its edge row.
__device__ inline const uint8_t* row_of(const Part& part, int row, const uint8_t* __restrict__ searched,
                                        int height, int width) {
    return searched + at(clamp(part.row + row, 0, height - 1), 0, width);
}

// The tile of an image that is too narrow for 16 pixels, pixel by pixel.
__device__ inline void fill_narrow(const Places& at_block, const Part& part,
                                   const uint8_t* __restrict__ searched, int height, int width) {
    uint8_t* tile = reinterpret_cast<uint8_t*>(at_block.tile);
    for (int i = threadIdx.x; i < (TILE_HEIGHT + part.height - 1) * COLUMNS; i += THREADS) {
        const int column = i % COLUMNS;
        tile[i - column + stored_at(column)] =
            row_of(part, i / COLUMNS, searched, height, width)[clamp(part.column + column, 0, width - 1)];
    }
    __syncwarp();
}

// A thread asks for several pieces before it stores the first.
__device__ inline void fill_tile(const Places& at_block, const Part& part,
                                 const uint8_t* __restrict__ searched, int height, int width) {
    constexpr int PIECES = 3;
    const int groups = (TILE_HEIGHT + part.height - 1) * GROUPS;
    if (width < 16) return fill_narrow(at_block, part, searched, height, width);
    for (int first = threadIdx.x; first < groups; first += PIECES * THREADS) {
        uint4 pixels[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = min(first + k * THREADS, groups - 1), x = part.column + i % GROUPS * 16;
            pixels[k] =
                sixteen_bytes(row_of(part, i / GROUPS, searched, height, width) + clamp(x, 0, width - 16));
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = first + k * THREADS;
            if (i >= groups) continue;
            const uint4 own = moved_to(part.column + i % GROUPS * 16, pixels[k], width);
            at_block.tile[i] = make_uint4(own.x, own.z, own.y, own.w);
        }
    }
    __syncwarp();
}

// Four pixels of a row of the part, zeros beside it: `first` is a multiple of four.
__device__ inline uint32_t four_of(const uint8_t* __restrict__ row, int first, int width) {
    uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        word |= uint32_t(row[clamp(first + k, 0, width - 1)]) << 8 * k;
    const int rest = width - first;
    if (first < 0 || rest <= 0) return 0;
    return rest < 4 ? word & (1u << 8 * rest) - 1 : word;
}

// The part of the template. Adds its grey levels and their squares to a thread's sums.
__device__ inline void fill_pattern(const Places& at_block, const Part& part,
                                    const uint8_t* __restrict__ left, int width, uint32_t& total,
                                    uint32_t& squares) {
    constexpr int EACH = PADDED / 4, PIECES = 4;
    const uint8_t* corner = left + at(part.y, part.x, width);
    const int count = part.height * EACH;
    for (int first = threadIdx.x; first < count; first += PIECES * THREADS) {
        uint32_t words[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = min(first + k * THREADS, count - 1);
            words[k] = four_of(corner + at(i / EACH, 0, width), i % EACH * 4 - BEFORE, part.width);
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            if (first + k * THREADS >= count) continue;
            at_block.padded[first + k * THREADS] = words[k];
            total = __dp4a(words[k], 0x01010101u, total);
            squares = __dp4a(words[k], words[k], squares);
        }
    }
    __syncwarp();
}

// The tile once more, 8 bytes on.
__device__ inline void make_second_tile(const Places& at_block, int part_height) {
    for (int i = threadIdx.x; i < (TILE_HEIGHT + part_height - 1) * GROUPS; i += THREADS) {
        const uint4 own = at_block.tile[i], next = i % GROUPS < GROUPS - 1 ? at_block.tile[i + 1] : own;
        at_block.second[i] = make_uint4(own.y, next.x, own.w, next.z);
    }
}

// B of every row of the part, and of rows of zeros before and behind it: what a lane holds lies together.
__device__ inline void make_quads(const Places& at_block, int part_height) {
    uint32_t* quads = reinterpret_cast<uint32_t*>(at_block.quads);
    for (int i = threadIdx.x; i < (part_height + 2 * ROWS - 1) * 32; i += THREADS) {
        const int row = i / 32 - (ROWS - 1), first = BEFORE + 4 * QUAD * (i & 3) - (i >> 2 & 7);
        const bool present = row >= 0 && row < part_height;
        const uint32_t* words = at_block.padded + (present ? row : 0) * (PADDED / 4) + first / 4;
#pragma unroll
        for (int k = 0; k < QUAD; ++k)
            quads[QUAD * i + k] = present ? __funnelshift_r(words[k], words[k + 1], 8 * (first & 3)) : 0;
    }
}

// Adds the products of a warp's windows. Of the first rows of the image, row q serves rows 0 to q of windows; of
// the last ones, those that its row of the template exists for.
__device__ inline void add_products(uint32_t (&products)[ROWS][4], const Places& at_block, int part_height) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    const uint4* rows = (STEPS == 1 && t % 2 ? at_block.second : at_block.tile) + warp * ROWS * GROUPS + g +
                        (STEPS == 1 ? t / 2 : t);
    const int between = at_block.second - at_block.tile;
    const uint32_t* quads = reinterpret_cast<const uint32_t*>(at_block.quads) + QUAD * lane;
    uint32_t b[ROWS][QUAD];  // a ring: what row y of windows meets in row r of the image is in r - y - 1
    const auto load = [&](int slot, int row) {
        if (STEPS == 1) {
            const uint2 quad = *reinterpret_cast<const uint2*>(quads + row * 32 * QUAD);
            b[slot][0] = quad.x, b[slot][1] = quad.y;
        } else {
            const uint4 quad = *reinterpret_cast<const uint4*>(quads + row * 32 * QUAD);
            b[slot][0] = quad.x, b[slot][1] = quad.y, b[slot][QUAD - 2] = quad.z, b[slot][QUAD - 1] = quad.w;
        }
    };
    const auto meet = [&](int r, int q, bool first, bool last) {
        const uint4 a = rows[r * GROUPS];
        const uint4 later = STEPS == 1 ? a : rows[r * GROUPS + between];
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
#pragma unroll
            for (int y = 0; y < ROWS; ++y)
                if ((!first || y <= q) && (!last || r - y < part_height)) {
                    const uint32_t (&quad)[QUAD] = b[(q - y + 2 * ROWS - 1) % ROWS];
                    multiply(products[y], step ? later : a, quad[2 * step], quad[2 * step + 1]);
                }
        load(q, r + ROWS);
    };
#pragma unroll
    for (int k = 0; k < ROWS; ++k)
        load(k, k);
    int r = 0;
    if (part_height >= ROWS) {
#pragma unroll
        for (int q = 0; q < ROWS; ++q)
            meet(q, q, true, false);
        for (r = ROWS; r + ROWS <= part_height; r += ROWS)
#pragma unroll
            for (int q = 0; q < ROWS; ++q)
                meet(r + q, q, false, false);
    }
    for (; r < part_height + ROWS - 1; r += ROWS)
#pragma unroll
        for (int q = 0; q < ROWS; ++q)
            if (r + q < part_height + ROWS - 1) meet(r + q, q, false, true);
    __syncwarp();
}

// Sums of the windows of a row of column sums, four a lane, by a warp: of the first one all its columns, of the
// others what the one before has, less the column that leaves, plus the one that enters.
__device__ inline void sum_row(uint2 (&windows)[TOGETHER], const uint2* columns,
                               const int (&leaving)[TOGETHER], const int (&entering)[TOGETHER],
                               int part_width) {
    const int lane = threadIdx.x & 31;
    uint2 first = make_uint2(0, 0), all = make_uint2(0, 0), steps[TOGETHER];
#pragma unroll
    for (int column = 0; column < 64; column += 32)
        if (lane + column < part_width) {
            const uint2 sums = columns[padded(lane + column)];
            first.x += sums.x, first.y += sums.y;
        }
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        const uint2 out = columns[leaving[k]], in = columns[entering[k]];
        steps[k] = make_uint2(in.x - out.x, in.y - out.y);
        all.x += steps[k].x, all.y += steps[k].y;
    }
    uint2 up_to = all;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t total = __shfl_up_sync(ALL, up_to.x, offset);
        const uint32_t squares = __shfl_up_sync(ALL, up_to.y, offset);
        if (lane >= offset) up_to.x += total, up_to.y += squares;
    }
    windows[0] = make_uint2(sum_of_warp(first.x) + up_to.x - all.x, sum_of_warp(first.y) + up_to.y - all.y);
#pragma unroll
    for (int k = 1; k < TOGETHER; ++k)
        windows[k] = make_uint2(windows[k - 1].x + steps[k - 1].x, windows[k - 1].y + steps[k - 1].y);
}

// Sums the part's windows, and lets a warp take those of a row: four a lane, side by side.
template <class Take>
__device__ inline void sum_windows(const Places& at_block, const Part& part, int rows, Take take) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, column = threadIdx.x;
    const uint8_t* pixels = reinterpret_cast<const uint8_t*>(at_block.tile) + stored_at(column);
    int leaving[TOGETHER], entering[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        leaving[k] = padded(TOGETHER * lane + k);
        entering[k] = padded(TOGETHER * lane + k + part.width);
    }
    uint32_t total = 0, squares = 0;
    if (column < COLUMNS)
#pragma unroll 8
        for (int row = 0; row < part.height - 1; ++row) {
            const uint32_t grey = pixels[row * COLUMNS];
            total += grey, squares += grey * grey;
        }
    for (int first = 0; first < rows; first += WARPS) {
        uint2* held = at_block.columns + first / WARPS % 2 * WARPS * APART;
        if (column < COLUMNS) {
            uint32_t in[WARPS], out[WARPS];  // read before anything is written, which could be the same bytes
#pragma unroll
            for (int k = 0; k < WARPS; ++k) {
                in[k] = pixels[(first + k + part.height - 1) * COLUMNS];
                out[k] = pixels[(first + k) * COLUMNS];
            }
#pragma unroll
            for (int k = 0; k < WARPS; ++k) {
                total += in[k], squares += in[k] * in[k];
                held[k * APART + padded(column)] = make_uint2(total, squares);
                total -= out[k], squares -= out[k] * out[k];
            }
        }
        __syncthreads();
        if (first + warp < rows) {
            uint2 windows[TOGETHER];
            sum_row(windows, held + warp * APART, leaving, entering, part.width);
            take(first + warp, windows);
        }
        __syncwarp();
    }
}

// Adds to the sums of four windows those of the parts before, if there are any, and keeps them for the next.
__device__ inline void add_known(uint2 (&windows)[TOGETHER], uint2* sums, bool known, bool keep) {
    uint4* pairs = reinterpret_cast<uint4*>(sums);
#pragma unroll
    for (int k = 0; k < TOGETHER; k += 2) {
        const uint4 pair = known ? pairs[k / 2] : make_uint4(0, 0, 0, 0);
        windows[k].x += pair.x, windows[k].y += pair.y;
        windows[k + 1].x += pair.z, windows[k + 1].y += pair.w;
        if (keep) pairs[k / 2] = make_uint4(windows[k].x, windows[k].y, windows[k + 1].x, windows[k + 1].y);
    }
}

// The scores of a lane's windows, from their sums and products.
__device__ inline void book(float32_t (&scores)[TOGETHER], const Pattern& pattern,
                            const uint2 (&windows)[TOGETHER], const uint32_t (&products)[TOGETHER]) {
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
        scores[k] = book(int64_t(pattern.pixels), Sums{windows[k].x, windows[k].y, products[k]},
                         pattern.total, pattern.squares);
}

// a b - c d, which fits 48 bits and a sign.
__device__ inline int64_t less(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return int64_t(uint64_t(a) * b - uint64_t(c) * d);
}

// The number itself, if it fits 51 bits: added to the bits of a double whose last one counts 1. A conversion of 64
// bits is slower.
__device__ inline double as_double(int64_t value) {
    constexpr double MIDDLE = 6755399441055744.0;  // 3 * 2^51
    return __dsub_rn(__hiloint2double(int(value >> 32) + 0x43380000, int(value)), MIDDLE);
}

// One over the root, with 20 bits that are right.
__device__ inline double rough_inverse_root(double square) {
#ifdef __CUDA_ARCH__
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(square));
    return root;
#else
    return rsqrtf(float32_t(square));
#endif
}

// The quotient that its neighbours in double precision would not all round to.
__device__ __noinline__ float quotient(int64_t numerator, int64_t own, double others) {
    return __double2float_rn(
        __ddiv_rn(__ll2double_rn(numerator), __dsqrt_rn(__dmul_rn(__ll2double_rn(own), others))));
}

// Whether the quotient, which is as near as that, could round to another float.
__device__ inline bool is_doubtful(double found) {
    return (uint32_t(__double2loint(found)) & 0x1FFFFFFF) - (0x10000000u - 256u) < 512u;
}

// All windows at once, those in doubt behind them. Where a variance is 0, so is the numerator.
__device__ inline void exact(float32_t (&scores)[TOGETHER], const Pattern& pattern,
                             const uint2 (&windows)[TOGETHER], const uint32_t (&products)[TOGETHER]) {
    int64_t numerator[TOGETHER], own[TOGETHER];
    bool doubtful[TOGETHER], any = false;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        numerator[k] = less(pattern.pixels, products[k], windows[k].x, pattern.total);
        own[k] = less(pattern.pixels, windows[k].y, windows[k].x, windows[k].x);
        const double variance = as_double(own[k]);
        double root = rough_inverse_root(variance);  // its inverse, and once nearer to that
        const double error = __fma_rn(__dmul_rn(-variance, root), root, 1.0);
        root = __fma_rn(__dmul_rn(root, error), __fma_rn(0.375, error, 0.5), root);
        const double found = __dmul_rn(as_double(numerator[k]), __dmul_rn(root, pattern.inverse_root));
        doubtful[k] = own[k] != 0 && is_doubtful(found);
        scores[k] = own[k] == 0 ? 0 : __double2float_rn(found);
        any |= doubtful[k];
    }
    if (any)
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (doubtful[k]) scores[k] = quotient(numerator[k], own[k], pattern.others);
    __syncwarp();
}

// Adds the sums over the threads of a block to `sums`.
__device__ inline void add_up(uint32_t total, uint32_t squares, uint32_t* sums) {
    const uint32_t of_warp[2] = {sum_of_warp(total), sum_of_warp(squares)};
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], of_warp[0]);
        atomicAdd(&sums[1], of_warp[1]);
    }
}

__device__ inline Pattern pattern_of(uint32_t pixels, const uint32_t* sums) {
    const int64_t others = less(pixels, sums[1], sums[0], sums[0]);
    const double variance = __ll2double_rn(others);
    return {pixels, sums[0], sums[1], variance, others == 0 ? 0 : __ddiv_rn(1, __dsqrt_rn(variance))};
}

// The place in a row of parked products of a column: columns 32 apart fall into different banks.
__device__ inline int parked_at(int column) { return column ^ (column >> 2 & 8); }

// Hands the products of a warp's windows to the warps that will have their sums.
__device__ inline void park_products(const uint32_t (&products)[ROWS][4], const Places& at_block) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int column = 16 * (lane >> 2) + 2 * (lane & 3);
#pragma unroll
    for (int y = 0; y < ROWS; ++y)
#pragma unroll
        for (int k = 0; k < 2; ++k)
            *reinterpret_cast<uint2*>(at_block.parked + (warp * ROWS + y) * TILE_WIDTH +
                                      parked_at(column + 8 * k)) =
                make_uint2(products[y][2 * k], products[y][2 * k + 1]);
}

// Writes the scores of four windows that lie side by side, and of all that the warp has the highest.
__device__ inline void write_scores(const uint2 (&windows)[TOGETHER], uint4 products, const Pattern& pattern,
                                    float32_t* __restrict__ scores, int32_t* __restrict__ highest, int row,
                                    int width) {
    const int lane = threadIdx.x & 31, x = blockIdx.x * TILE_WIDTH + TOGETHER * lane;
    const uint32_t own_products[TOGETHER] = {products.x, products.y, products.z, products.w};
    float32_t own_scores[TOGETHER];
    CONVENTION(own_scores, pattern, windows, own_products);
    uint32_t bits[TOGETHER];
    int32_t best = LOWEST;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        bits[k] = __float_as_int(own_scores[k]);
        if (x + k < width) best = max(best, ordered(bits[k]));
    }
    float32_t* out = scores + at(row, x, width);
    if (width % TOGETHER == 0) {
        if (x < width) *reinterpret_cast<uint4*>(out) = make_uint4(bits[0], bits[1], bits[2], bits[3]);
    } else
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (x + k < width) out[k] = __int_as_float(bits[k]);
    best = largest_of_warp(best);
    if (lane == 0) highest[row * gridDim.x + blockIdx.x] = best;
}

extern "C" __launch_bounds__(THREADS, 2) __global__
    void packed_correlation(const uint8_t* __restrict__ left, const uint8_t* __restrict__ searched,
                            int64_t* __restrict__ template_sums, uint32_t* window_sums,
                            int32_t* __restrict__ highest, float32_t* __restrict__ scores, int height,
                            int width, int template_x, int template_y, int template_width,
                            int template_height, int top, int start, int part_width, int part_height) {
    __shared__ uint32_t of_template[2];
    __shared__ Pattern pattern;
    const Places at_block(part_height);
    const int block = blockIdx.y * gridDim.x + blockIdx.x, first_row = blockIdx.y * TILE_HEIGHT;
    const int across = (template_width + part_width - 1) / part_width;
    const int parts = across * ((template_height + part_height - 1) / part_height);
    const auto part_at = [=](int index) {
        const int x = index % across * part_width, y = index / across * part_height;
        return Part{template_x + x,
                    template_y + y,
                    min(part_width, template_width - x),
                    min(part_height, template_height - y),
                    int(blockIdx.x) * TILE_WIDTH + start + x,
                    first_row + top + y};
    };
    uint32_t products[ROWS][4] = {}, total = 0, squares = 0;
    if (threadIdx.x < 2) of_template[threadIdx.x] = 0;
    for (int index = 0; index < parts; ++index) {
        const Part part = part_at(index);
        fill_tile(at_block, part, searched, height, width);
        fill_pattern(at_block, part, left, width, total, squares);
        __syncthreads();
        make_second_tile(at_block, part.height);
        make_quads(at_block, part.height);
        __syncthreads();
        add_products(products, at_block, part.height);
        __syncthreads();  // before what the part needs is overwritten
    }
    park_products(products, at_block);
    add_up(total, squares, of_template);
    __syncthreads();
    if (threadIdx.x == THREADS - 1)  // whose warp has no columns to sum meanwhile
        pattern = pattern_of(template_width * template_height, of_template);
    if (block == 0 && threadIdx.x < 2) template_sums[threadIdx.x] = of_template[threadIdx.x];
    uint2* sums = reinterpret_cast<uint2*>(window_sums) + uint64_t(block) * TILE_HEIGHT * TILE_WIDTH;
    for (int index = parts - 1; index >= 0; --index) {  // the last one's tile is there
        const Part part = part_at(index);
        if (index < parts - 1) {
            __syncthreads();
            fill_tile(at_block, part, searched, height, width);
            __syncthreads();
        }
        const auto take = [&](int row, uint2(&windows)[TOGETHER]) {
            const int place = row * TILE_WIDTH + TOGETHER * (threadIdx.x & 31);
            if (parts > 1) add_known(windows, sums + place, index < parts - 1, index > 0);
            if (index > 0) return;
            const uint4 own = *reinterpret_cast<const uint4*>(at_block.parked + parked_at(place));
            write_scores(windows, own, pattern, scores, highest, first_row + row, width);
        };
        sum_windows(at_block, part, min(TILE_HEIGHT, height - first_row), take);
    }
}
