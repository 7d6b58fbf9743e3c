// Path aggregation, one direction, of the disparities that tiles search.  Computes gpu.reference.sparse_aggregation.
//
//   sparse_aggregation_global   a block walks a scanline, a thread a disparity: as path_aggregation_global
//   sparse_aggregation_shared   prior costs and their minimum in shared memory: as path_aggregation_shared
//   sparse_aggregation_row      takes the costs of a row away that are not searched, between the rows of a sweep
//
// Threads of disparities that are not searched wait with the others: what is saved is not time but the work of the
// reader. A cost that is absent is larger than any other with a penalty, so no minimum is different for it.
//
// Launch: one block a scanline, or a pixel of the row; one thread a disparity.
// Build: as message.cuh and tiles.cuh say; MAX_DISPARITIES is the largest block.

#include "common.cuh"
#include "message.cuh"
#include "scanline.cuh"
#include "tiles.cuh"

// The walk, once; `send(q, p, value, penalty)` is the message from q, where the thread's L is `value`, to p. Places are
// those of volumes; `begins` if there is no q.
template <class Send>
__device__ void walk(Walker pixel, const uint8_t* left, const COST* cost, const uint8_t* searched,
                     PATH_COST* path_costs, int disparities, int p1, int p2, Send send) {
    const int d = threadIdx.x, width = pixel.width;
    uint64_t before = 0;
    int level_before = 0, value = 0;
    for (bool begins = true; pixel.inside(); pixel.advance(), begins = false) {
        const uint64_t place = at(pixel.y, pixel.x, width, disparities);
        const int level = left[at(pixel.y, pixel.x, width)];
        const int penalty = ADAPTATION(p1, p2, abs(level - level_before));
        const int sent = begins ? 0 : send(before, value, penalty);
        const bool present = tile_of(searched, pixel.y, pixel.x, width, disparities)[d / BLOCK_DISPARITIES];
        value = present ? cost[place + d] + sent : ABSENT;
        path_costs[place + d] = value;
        before = place;
        level_before = level;
    }
}

extern "C" __global__ void sparse_aggregation_global(const uint8_t* __restrict__ left,
                                                     const COST* __restrict__ cost,
                                                     const uint8_t* __restrict__ searched,
                                                     PATH_COST* path_costs, int height, int width,
                                                     int disparities, int p1, int p2, int dx, int dy) {
    const int d = threadIdx.x;
    walk(Walker(blockIdx.x, height, width, dx, dy), left, cost, searched, path_costs, disparities, p1, p2,
         [=](uint64_t q, int, int penalty) {
             __syncthreads();  // the whole block has written L(q, .) before any thread reads it
             const auto before = [=](int k) -> int { return path_costs[q + k]; };
             return message(before, d, disparities, minimum(before, disparities), p1, penalty);
         });
}

extern "C" __global__ void
sparse_aggregation_shared(const uint8_t* __restrict__ left, const COST* __restrict__ cost,
                          const uint8_t* __restrict__ searched, PATH_COST* __restrict__ path_costs,
                          int height, int width, int disparities, int p1, int p2, int dx, int dy) {
    __shared__ PATH_COST rows[2][MAX_DISPARITIES];  // in turn, as in path_aggregation_shared
    __shared__ int minima[2][(MAX_DISPARITIES + 31) / 32];
    const int d = threadIdx.x;
    int turn = 0;
    walk(Walker(blockIdx.x, height, width, dx, dy), left, cost, searched, path_costs, disparities, p1, p2,
         [&](uint64_t, int value, int penalty) {
             PATH_COST* row = rows[turn];
             row[d] = value;
             const int smallest = block_minimum(value, minima[turn]);
             const auto before = [=](int k) -> int { return row[k]; };
             turn ^= 1;
             return message(before, d, disparities, smallest, p1, penalty);
         });
}

extern "C" __global__ void sparse_aggregation_row(const uint8_t* __restrict__ searched,
                                                  PATH_COST* __restrict__ path_costs, int height, int width,
                                                  int disparities, int y) {
    const int x = blockIdx.x, d = threadIdx.x;
    if (!tile_of(searched, y, x, width, disparities)[d / BLOCK_DISPARITIES])
        path_costs[at(y, x, width, disparities) + d] = ABSENT;
}
