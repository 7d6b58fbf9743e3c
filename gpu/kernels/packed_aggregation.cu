// Path aggregation of all directions in one launch, in packed 16-bit arithmetic.  Computes
// gpu.reference.path_aggregation, and keeps the path costs of every direction.
//
// What a step costs is latency, since the minimum of a pixel is needed by the next. So nothing else is waited
// for. The costs are bytes that packed_matching left: one load a step for a lane, and no border concerns it.
// That load was begun a group of UNROLL steps or two before, into shared memory that no other lane touches.
// What else a step takes of its pixel is one word, asked for by one lane. And the steps of a group are straight
// code, from which the compiler takes what to do while the lanes agree on a minimum. Path costs are lowered to
// what they should be once a group, and as they are stored.
//
// A path that leaves the image sideways enters it again on the other side, as a new path. So every direction
// but the horizontal ones has width lines of height steps, and all lines of a launch take about as long.
//
// What each of these bought on an H200, with 128 disparities:
//   costs as bytes        half the code, and 0.5 ms of counting bits at 1920x1080 with 8 paths
//   copies begun before   a step of a column in 600 cycles instead of 1200, and as straight code in 300
//   one word of a pixel   10 to 20 % of the frame, against a copy for each lane
//   lowered once a group, a minimum of three, the smallest matching cost from outside
//                         a step of a row in 62 instructions instead of 86, of a column in 91 instead of 118
//   the ends of rows      1.01 ms instead of 1.18 at 1920x1080 with 8 paths
//
// Launch: block (THREADS). Rows are the longest lines, and come first, with fewer words a lane: `rows` of the two
// directions in turns, `across` blocks each. Then the `others` in turns. The first direction of all is `first`.
// With `ends` only what ends a stretch is kept of rows: packed_winner walks the stretches again.
// Build: LANES is the smallest power of two with LANES * 16 >= disparities; ACROSS_SPAN are the lanes of a
// pixel of a row; ADAPTIVE whether the large penalty depends on the image; STRETCH pixels of a row; PATH_COST is what
// a path cost is stored as, uint8_t where the largest fits; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "stretch.cuh"
#include "line.cuh"

static_assert(THREADS == WALKING, "a block is a warp");

extern "C" __global__ void packed_aggregation(const uint32_t* __restrict__ steps,
                                              const uint8_t* __restrict__ costs,
                                              uint8_t* __restrict__ row_costs, uint8_t* __restrict__ volumes,
                                              int height, int width, int disparities, int p1, int p2,
                                              int adaptation, int first, int rows, int across, int others,
                                              int ends) {
    wait_for_previous();
    __shared__ uint32_t by_change[256];
    __shared__ union {
        Fetched<8, LANES> down;
        Fetched<8 * LANES / ACROSS_SPAN, ACROSS_SPAN> across;
    } memory;
    if (ADAPTIVE) {
        tabulate(by_change, p1, p2, adaptation);
        __syncthreads();  // the penalties are there
    }
    const Penalties penalties = {by_change, p1 * 0x10001u, p2 * 0x10001u};
    const Views views = {steps, costs, disparities};
    const int block = blockIdx.x, rest = block - rows * across;
    const int path = rest < 0 ? first + block % rows : max(first, ROWS) + rest % others;
    uint8_t* volume =
        volumes + at(height, 0, width, disparities) * sizeof(PATH_COST) * (path - first - (ends ? rows : 0));
    if (path < ROWS) {
        constexpr int WORDS = 8 * LANES / ACROSS_SPAN;
        const int index = block / rows * (THREADS / ACROSS_SPAN) + threadIdx.x / ACROSS_SPAN;
        const Course<true, false> course(dx_of(path), 0, height, width, disparities);
        const RowEnds all(height, width, disparities);
        uint8_t* kept = row_costs + all.place(path - first, 0, 0) * sizeof(PATH_COST);
        if (ends)
            walk<WORDS, ACROSS_SPAN, true>(views, course, kept, penalties, index, memory.across);
        else
            walk<WORDS, ACROSS_SPAN, false>(views, course, volume, penalties, index, memory.across);
        return;
    }
    const int index = rest / others * (THREADS / LANES) + threadIdx.x / LANES;
    if (path < STRAIGHT) {
        const Course<false, true> course(0, dy_of(path), height, width, disparities);
        walk<8, LANES, false>(views, course, volume, penalties, index, memory.down);
    } else {
        const Course<true, true> course(dx_of(path), dy_of(path), height, width, disparities);
        walk<8, LANES, false>(views, course, volume, penalties, index, memory.down);
    }
}
