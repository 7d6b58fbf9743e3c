// Matching cost and path aggregation of all directions in one launch, in packed 16-bit arithmetic.  Computes
// gpu.reference.matching_cost and gpu.reference.path_aggregation, and keeps the path costs only.
//
//   packed_rows.cuh    paths along rows
//   packed_lines.cuh   paths from row to row
//
// Launch: block (THREADS). First the two directions along rows, `across` blocks each, since they take longest; then the
// others, four oblique ones, `oblique` blocks each, and last `straight` blocks down and as many up.
// Build: LANES is the smallest power of two with LANES * 16 >= disparities; ACROSS_SPAN are the lanes of a pixel of a
// row; DIFFERENCE compares two descriptors, absolute or hamming; PATH_COST is what a path cost is stored as,
// uint8_t where the largest fits.

#include "common.cuh"
#include "packed.cuh"
#include "packed_rows.cuh"
#include "packed_lines.cuh"

extern "C" __global__ void packed_aggregation(
    const uint32_t* __restrict__ left, const uint32_t* __restrict__ right, uint8_t* __restrict__ costs, int height,
    int width, int pitch, int disparities, int min_disparity, int outside, int p1, int p2, int adaptation, int across,
    int straight, int oblique, int upper) {
    __shared__ uint32_t penalties[256];
    __shared__ uint4 pool[LINE_POOL > ROW_POOL ? LINE_POOL : ROW_POOL];
    for (int g = threadIdx.x; g < 256; g += THREADS)
        penalties[g] = large_penalty(p1, p2, adaptation, g) * 0x10001;
    __syncthreads();
    const Views views = {reinterpret_cast<const uint2*>(left),
                         reinterpret_cast<const uint4*>(right),
                         height,
                         width,
                         pitch,
                         disparities / 2,
                         min_disparity,
                         outside,
                         upper};
    const uint64_t volume = at(height, 0, width, disparities) * sizeof(PATH_COST);
    const uint32_t both = p1 * 0x10001;
    int block = blockIdx.x;
    if (block < 2 * across) {
        constexpr int WORDS = 8 * LANES / ACROSS_SPAN;
        const int row = block / 2 * (THREADS / ACROSS_SPAN) + threadIdx.x / ACROSS_SPAN;
        if (block % 2)
            RowWalk<WORDS, ACROSS_SPAN, -1>(views, costs + volume, penalties, both, row, pool).walk();
        else
            RowWalk<WORDS, ACROSS_SPAN, 1>(views, costs, penalties, both, row, pool).walk();
        return;
    }
    block -= 2 * across;
    if (block < 4 * oblique) {
        const int slide = block / 2 % 2 ? 1 : -1, first = block / 4 * COLUMNS;
        follow({views, costs + (4 + block % 4) * volume, penalties, both, slide > 0 ? first - height + 1 : first, slide,
                bool(block % 2)},
               pool);
    } else {
        block -= 4 * oblique;
        follow({views, costs + (2 + block % 2) * volume, penalties, both, block / 2 * COLUMNS, 0, bool(block % 2)},
               pool);
    }
}
