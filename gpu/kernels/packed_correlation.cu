// Correlation by products of matrices of bytes.  Computes gpu.reference.template_statistics and correlation, and lists
// what can be a peak (candidates.cuh).
//
// A block multiplies a tile of the image with the template (correlation_products.cuh), then sums the tile's windows
// (correlation_sums.cuh) and divides (correlation_score.cuh). Products come to the lanes that have the sums through
// shared memory, scores go straight out. Rows of 128 scores of which one reaches the threshold stay in the products'
// place, until the block has all of them and lists what beats its neighbours.
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
#include "candidates.cuh"
#include "correlation_block.cuh"
#include "correlation_tile.cuh"
#include "correlation_products.cuh"
#include "correlation_sums.cuh"
#include "correlation_score.cuh"

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

// Writes the scores of four windows that lie side by side.
__device__ inline void write_scores(float32_t* __restrict__ scores, const float32_t (&four)[TOGETHER],
                                    int row, int x, int width) {
    float32_t* out = scores + at(row, x, width);
    if (width % TOGETHER == 0) {
        if (x < width)
            *reinterpret_cast<uint4*>(out) = make_uint4(__float_as_int(four[0]), __float_as_int(four[1]),
                                                        __float_as_int(four[2]), __float_as_int(four[3]));
    } else
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (x + k < width) out[k] = four[k];
}

extern "C" __launch_bounds__(THREADS, 2) __global__
    void packed_correlation(const uint8_t* __restrict__ left, const uint8_t* __restrict__ searched,
                            int64_t* __restrict__ template_sums, uint32_t* window_sums,
                            float32_t* __restrict__ scores, int64_t* __restrict__ listed_keys,
                            int32_t* __restrict__ listed, int height, int width, int template_x,
                            int template_y, int template_width, int template_height, int top, int start,
                            int part_width, int part_height, float threshold) {
    wait_for_previous();
    let_next_come();  // packed_peaks_choose: one block, which comes when the last of these have begun
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
    const int lane = threadIdx.x & 31, x = blockIdx.x * TILE_WIDTH + TOGETHER * lane;
    uint32_t* column = at_block.parked + parked_at(TOGETHER * lane);
    uint32_t kept = 0;
    for (int index = parts - 1; index >= 0; --index) {  // the last one's tile is there
        const Part part = part_at(index);
        if (index < parts - 1) {
            __syncthreads();
            fill_tile(at_block, part, searched, height, width);
            __syncthreads();
        }
        const auto take = [&](int row, uint2(&windows)[TOGETHER]) {
            if (parts > 1)
                add_known(windows, sums + row * TILE_WIDTH + TOGETHER * lane, index < parts - 1, index > 0);
            if (index > 0) return;
            const uint4 own = *reinterpret_cast<const uint4*>(column + row * TILE_WIDTH);
            const uint32_t own_products[TOGETHER] = {own.x, own.y, own.z, own.w};
            float32_t four[TOGETHER];
            CONVENTION(four, pattern, windows, own_products);
            write_scores(scores, four, first_row + row, x, width);
            if (keep_row(column, row, four, x, width, threshold)) kept |= 1u << row / WARPS;
        };
        sum_windows(at_block, part, min(TILE_HEIGHT, height - first_row), take);
    }
    list_candidates(column, kept, listed_keys, listed, width, threshold);
}
