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
// the one that enters; along a row, differences of running sums. They go to global memory, from where the same
// block takes them back: one half of the blocks sums first, the other multiplies first, so that both kinds of
// work, of different units, meet on a multiprocessor.
//
// Score. Sums fit 32 bits up to 66051 pixels of template, differences of their products 53. The quotient is
// num * rsqrt(own) / sqrt(others), whose relative error is far below 2^-44: unless the bits that rounding to single
// precision drops lie that near a half, the exact quotient rounds to the same. If they do, it is computed.
//
// A template too wide or too high for the tile is taken part by part.
//
// Launch: a block of 256 threads for 128 x 64 windows. SHARED bytes: see shared_bytes() in packed_correlation.py.
// Build: CONVENTION is exact or book; STEPS 1 for parts of at most 25 columns, else 2, for at most 57.

#include "common.cuh"
#include "coefficient.cuh"
#include "tensor.cuh"
#include "unaligned.cuh"

extern __shared__ uint4 shared[];

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane takes part in every shuffle
constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int ROWS = 8;  // of windows, of a warp
constexpr int TILE_WIDTH = 128, TILE_HEIGHT = WARPS * ROWS;
constexpr int COLUMNS = 192, GROUPS = COLUMNS / 16;  // of a row of the tile: pixels, and 16 of them together
constexpr int QUAD = 2 * STEPS;                      // words of B that a lane holds of a row of the template
constexpr int PADDED = 32 * STEPS + 16;              // bytes of such a row, with room before and behind it
constexpr int BEFORE = 8;                            // that room
constexpr int SLAB = 16;                             // rows of column sums that are held at once
constexpr int APART = COLUMNS + 8;                   // words from one row of running sums to the next

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
    uint32_t *padded, *squares, *running;
    uint16_t* totals;

    __device__ explicit Places(int part_height) {
        const int groups = (TILE_HEIGHT + part_height - 1) * GROUPS;
        tile = shared;
        padded = reinterpret_cast<uint32_t*>(tile + groups);
        second = tile + (groups + part_height * PADDED / 16 + 7) / 8 * 8 + 4;  // in other banks than the tile
        quads = second + groups;
        squares = reinterpret_cast<uint32_t*>(second);
        totals = reinterpret_cast<uint16_t*>(squares + 2 * SLAB * COLUMNS);
        running = reinterpret_cast<uint32_t*>(totals + 2 * SLAB * COLUMNS);
    }
};

// The place in a row of the tile of a byte, whose words lie in another order in every group of four.
__device__ inline int stored_at(int column) {
    return (column & ~12) | (column >> 2 & 1) << 3 | (column >> 3 & 1) << 2;
}

// Sixteen pixels of a row of the image; beside it, the nearest edge pixel.
__device__ inline uint4 pixels_at(const uint8_t* __restrict__ row, int x, int width) {
    if (x >= 0 && x + 16 <= width) return sixteen_bytes(row + x);
    uint32_t words[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 16; ++k)
        words[k / 4] |= uint32_t(row[clamp(x + k, 0, width - 1)]) << 8 * (k % 4);
    return make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ inline void fill_tile(const Places& at_block, const Part& part,
                                 const uint8_t* __restrict__ searched, int height, int width) {
    for (int i = threadIdx.x; i < (TILE_HEIGHT + part.height - 1) * GROUPS; i += THREADS) {
        const int row = clamp(part.row + i / GROUPS, 0, height - 1);
        const uint4 pixels = pixels_at(searched + at(row, 0, width), part.column + i % GROUPS * 16, width);
        at_block.tile[i] = make_uint4(pixels.x, pixels.z, pixels.y, pixels.w);
    }
}

// The part of the template, zeros beside it. Adds its grey levels and their squares to a thread's sums.
__device__ inline void fill_pattern(const Places& at_block, const Part& part,
                                    const uint8_t* __restrict__ left, int width, uint32_t& total,
                                    uint32_t& squares) {
    for (int i = threadIdx.x; i < part.height * (PADDED / 4); i += THREADS) {
        const uint8_t* row = left + at(part.y + i / (PADDED / 4), part.x, width);
        const int first = i % (PADDED / 4) * 4 - BEFORE;
        uint32_t word = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (first + k >= 0 && first + k < part.width) word |= uint32_t(row[first + k]) << 8 * k;
        at_block.padded[i] = word;
        total = __dp4a(word, 0x01010101u, total);
        squares = __dp4a(word, word, squares);
    }
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

// Running sums of a row of column sums, by a warp: what comes before each column. Both wrap at 32 bits, as their
// differences do, which fit.
__device__ inline void run_along(const Places& at_block, int row, uint32_t* running) {
    constexpr int EACH = COLUMNS / 32;
    const int lane = threadIdx.x & 31;
    const uint32_t* pairs =
        reinterpret_cast<const uint32_t*>(at_block.totals + row * COLUMNS) + lane * (EACH / 2);
    const uint2* squares =
        reinterpret_cast<const uint2*>(at_block.squares + row * COLUMNS) + lane * (EACH / 2);
    uint32_t total[EACH], square[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k += 2) {
        const uint32_t pair = pairs[k / 2];
        const uint2 both = squares[k / 2];
        total[k] = pair & 0xFFFF, total[k + 1] = pair >> 16;
        square[k] = both.x, square[k + 1] = both.y;
    }
#pragma unroll
    for (int k = 1; k < EACH; ++k)
        total[k] += total[k - 1], square[k] += square[k - 1];
    uint32_t before = total[EACH - 1], before_squares = square[EACH - 1];
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t other = __shfl_up_sync(ALL, before, offset);
        const uint32_t other_squares = __shfl_up_sync(ALL, before_squares, offset);
        if (lane >= offset) before += other, before_squares += other_squares;
    }
    before -= total[EACH - 1], before_squares -= square[EACH - 1];
    if (lane == 0) running[0] = running[APART] = 0;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        running[lane * EACH + 1 + k] = before + total[k];
        running[APART + lane * EACH + 1 + k] = before_squares + square[k];
    }
    __syncwarp();
}

// Writes the sums of the part's windows, or adds them to those of the parts before: `sums` are a block's, 128 pairs
// a row.
__device__ inline void sum_windows(const Places& at_block, const Part& part, uint2* sums, int rows,
                                   bool add) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, column = threadIdx.x;
    const uint8_t* pixels = reinterpret_cast<const uint8_t*>(at_block.tile) + stored_at(column);
    uint32_t* running = at_block.running + warp * 2 * APART;
    uint32_t total = 0, squares = 0;
    if (column < COLUMNS)
#pragma unroll 4
        for (int row = 0; row < part.height - 1; ++row) {
            const uint32_t grey = pixels[row * COLUMNS];
            total += grey, squares += grey * grey;
        }
    for (int first = 0; first < rows; first += SLAB) {
        const int held = first / SLAB % 2 * SLAB;
        if (column < COLUMNS)
#pragma unroll 4
            for (int k = 0; k < SLAB; ++k) {
                const uint32_t entering = pixels[(first + k + part.height - 1) * COLUMNS];
                const uint32_t leaving = pixels[(first + k) * COLUMNS];
                total += entering, squares += entering * entering;
                at_block.totals[(held + k) * COLUMNS + column] = total;
                at_block.squares[(held + k) * COLUMNS + column] = squares;
                total -= leaving, squares -= leaving * leaving;
            }
        __syncthreads();
        for (int row = warp; row < SLAB; row += WARPS) {
            run_along(at_block, held + row, running);
            uint2* out = sums + (first + row) * TILE_WIDTH;
#pragma unroll
            for (int x = lane; x < TILE_WIDTH; x += 32) {
                const uint2 known = add ? out[x] : make_uint2(0, 0);
                const uint32_t* from = running + x;
                out[x] = make_uint2(known.x + from[part.width] - from[0],
                                    known.y + from[APART + part.width] - from[APART]);
            }
            __syncwarp();  // before the next row's running sums take the place of this one's
        }
    }
}

struct Window {
    uint32_t total, squares, products;
};

__device__ inline float book(const Pattern& pattern, Window window) {
    return book(int64_t(pattern.pixels), Sums{window.total, window.squares, window.products}, pattern.total,
                pattern.squares);
}

// a b - c d, which fits 53 bits and a sign.
__device__ inline int64_t less(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return int64_t(uint64_t(a) * b - uint64_t(c) * d);
}

// The quotient that its neighbours in double precision would not all round to.
__device__ __noinline__ float quotient(int64_t numerator, int64_t own, double others) {
    return __double2float_rn(
        __ddiv_rn(__ll2double_rn(numerator), __dsqrt_rn(__dmul_rn(__ll2double_rn(own), others))));
}

__device__ inline float exact(const Pattern& pattern, Window window) {
    const int64_t numerator = less(pattern.pixels, window.products, window.total, pattern.total);
    const int64_t own = less(pattern.pixels, window.squares, window.total, window.total);
    if (own == 0 || pattern.others == 0) return 0;
    const double variance = __ll2double_rn(own);
    double root = rsqrtf(__ll2float_rn(own));  // its inverse, and once nearer to that
    const double error = __fma_rn(__dmul_rn(-variance, root), root, 1.0);
    root = __fma_rn(__dmul_rn(root, error), __fma_rn(0.375, error, 0.5), root);
    const double found = __dmul_rn(__ll2double_rn(numerator), __dmul_rn(root, pattern.inverse_root));
    const uint32_t dropped = uint32_t(__double2loint(found)) & 0x1FFFFFFF;
    if (dropped - (0x10000000u - 256u) < 512u) return quotient(numerator, own, pattern.others);
    return __double2float_rn(found);
}

// The sums over the threads of a block, which finds them in `sums` behind the next barrier.
__device__ inline void add_up(uint32_t total, uint32_t squares, uint32_t* sums) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        total += __shfl_xor_sync(ALL, total, offset);
        squares += __shfl_xor_sync(ALL, squares, offset);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], total);
        atomicAdd(&sums[1], squares);
    }
}

__device__ inline Pattern pattern_of(uint32_t pixels, const uint32_t* sums) {
    const int64_t others = less(pixels, sums[1], sums[0], sums[0]);
    const double variance = __ll2double_rn(others);
    return {pixels, sums[0], sums[1], variance, others == 0 ? 0 : __ddiv_rn(1, __dsqrt_rn(variance))};
}

// Writes the scores of a warp's windows, in pairs where rows begin at multiples of two.
__device__ inline void write_scores(const uint32_t (&products)[ROWS][4], const Pattern& pattern,
                                    const uint2* sums, float32_t* __restrict__ scores, int height,
                                    int width) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, column = 16 * (lane >> 2) + 2 * (lane & 3);
#pragma unroll
    for (int y = 0; y < ROWS; ++y) {
        const int row = warp * ROWS + y, image_row = blockIdx.y * TILE_HEIGHT + row;
        if (image_row >= height) break;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int x = blockIdx.x * TILE_WIDTH + column + 8 * k;
            if (x >= width) continue;
            const uint4 pair = *reinterpret_cast<const uint4*>(sums + row * TILE_WIDTH + column + 8 * k);
            const float first = CONVENTION(pattern, Window{pair.x, pair.y, products[y][2 * k]});
            const float second = CONVENTION(pattern, Window{pair.z, pair.w, products[y][2 * k + 1]});
            float32_t* out = scores + at(image_row, x, width);
            if (width % 2 == 0)
                *reinterpret_cast<uint2*>(out) = make_uint2(__float_as_int(first), __float_as_int(second));
            else {
                out[0] = first;
                if (x + 1 < width) out[1] = second;
            }
        }
    }
}

extern "C" __launch_bounds__(THREADS, 2) __global__
    void packed_correlation(const uint8_t* __restrict__ left, const uint8_t* __restrict__ searched,
                            int64_t* __restrict__ template_sums, uint32_t* window_sums,
                            float32_t* __restrict__ scores, int height, int width, int template_x,
                            int template_y, int template_width, int template_height, int top, int start,
                            int part_width, int part_height) {
    __shared__ uint32_t of_template[2];
    __shared__ Pattern pattern;
    const Places at_block(part_height);
    const int block = blockIdx.y * gridDim.x + blockIdx.x,
              rows = min(TILE_HEIGHT, height - int(blockIdx.y) * TILE_HEIGHT);
    const int summing = 2 * block < int(gridDim.x * gridDim.y) ? 1 : 0;  // its turn
    uint2* sums = reinterpret_cast<uint2*>(window_sums) + uint64_t(block) * TILE_HEIGHT * TILE_WIDTH;
    uint32_t products[ROWS][4] = {}, total = 0, squares = 0;
    if (threadIdx.x < 2) of_template[threadIdx.x] = 0;
    for (int y = 0; y < template_height; y += part_height)
        for (int x = 0; x < template_width; x += part_width) {
            const Part part = {template_x + x,
                               template_y + y,
                               min(part_width, template_width - x),
                               min(part_height, template_height - y),
                               int(blockIdx.x) * TILE_WIDTH + start + x,
                               int(blockIdx.y) * TILE_HEIGHT + top + y};
            __syncthreads();  // before what the part before needs is overwritten
            fill_tile(at_block, part, searched, height, width);
            fill_pattern(at_block, part, left, width, total, squares);
            __syncthreads();
            for (int turn = 0; turn < 2; ++turn) {
                if (turn == summing)
                    sum_windows(at_block, part, sums, rows, x > 0 || y > 0);
                else {
                    make_second_tile(at_block, part.height);
                    make_quads(at_block, part.height);
                    __syncthreads();
                    add_products(products, at_block, part.height);
                }
                __syncthreads();
            }
        }
    add_up(total, squares, of_template);
    __syncthreads();
    if (threadIdx.x == 0) pattern = pattern_of(template_width * template_height, of_template);
    if (block == 0 && threadIdx.x < 2) template_sums[threadIdx.x] = of_template[threadIdx.x];
    __syncthreads();
    write_scores(products, pattern, sums, scores, height, width);
}
