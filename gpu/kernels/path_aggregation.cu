// Path aggregation, one direction.  Computes gpu.reference.path_aggregation; its sweeps are path_sweep's.
//
//   path_aggregation_global_scanline   a thread walks a scanline: few threads, and neighbouring ones read and
//                                      write far apart
//   path_aggregation_global            a block walks a scanline, a thread a disparity: neighbouring threads
//                                      read neighbouring costs, but each re-reads all for their minimum
//   path_aggregation_shared            prior costs and their minimum in shared memory: global memory sees one
//                                      read and one write a cost
//   path_aggregation_texture           as shared, grey levels through the texture
//
// Launch: path_aggregation_global_scanline: block (32), one thread a scanline.
//         The others: one block a scanline, one thread a disparity.
// Build: as message.cuh says; MAX_DISPARITIES is the largest block.

#include "common.cuh"
#include "message.cuh"
#include "scanline.cuh"

// The walk, once: `begin(p)` for the first pixel of the path, then `step(q, p, penalty)` for each pixel p and
// the q before it; both are places in the volumes. `grey(y, x)` is where a variant decides which memory to
// read.
template <class Grey, class Begin, class Step>
__device__ void walk(Walker pixel, int disparities, int p1, int p2, Grey grey, Begin begin, Step step) {
    uint64_t before = at(pixel.y, pixel.x, pixel.width, disparities);
    int level_before = grey(pixel.y, pixel.x);
    begin(before);
    for (pixel.advance(); pixel.inside(); pixel.advance()) {
        const uint64_t place = at(pixel.y, pixel.x, pixel.width, disparities);
        const int level = grey(pixel.y, pixel.x);
        step(before, place, ADAPTATION(p1, p2, abs(level - level_before)));
        before = place;
        level_before = level;
    }
}

extern "C" __global__ void path_aggregation_global_scanline(const uint8_t* __restrict__ left,
                                                            const COST* __restrict__ cost,
                                                            PATH_COST* path_costs, int height, int width,
                                                            int disparities, int lines, int p1, int p2,
                                                            int dx, int dy) {
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    walk(
        Walker(line, height, width, dx, dy), disparities, p1, p2,
        [=](int y, int x) -> int { return left[at(y, x, width)]; },
        [=](uint64_t p) {
            for (int d = 0; d < disparities; ++d)
                path_costs[p + d] = cost[p + d];
        },
        [=](uint64_t q, uint64_t p, int penalty) {
            const auto before = [=](int k) -> int { return path_costs[q + k]; };
            const int smallest = minimum(before, disparities);
            for (int d = 0; d < disparities; ++d)
                path_costs[p + d] = cost[p + d] + message(before, d, disparities, smallest, p1, penalty);
        });
}

extern "C" __global__ void path_aggregation_global(const uint8_t* __restrict__ left,
                                                   const COST* __restrict__ cost, PATH_COST* path_costs,
                                                   int height, int width, int disparities, int lines, int p1,
                                                   int p2, int dx, int dy) {
    const int d = threadIdx.x;
    walk(
        Walker(blockIdx.x, height, width, dx, dy), disparities, p1, p2,
        [=](int y, int x) -> int { return left[at(y, x, width)]; },
        [=](uint64_t p) { path_costs[p + d] = cost[p + d]; },
        [=](uint64_t q, uint64_t p, int penalty) {
            __syncthreads();  // the whole block has written L(q, .) before any thread reads it
            const auto before = [=](int k) -> int { return path_costs[q + k]; };
            const int smallest = minimum(before, disparities);
            path_costs[p + d] = cost[p + d] + message(before, d, disparities, smallest, p1, penalty);
        });
}

// The shared and the texture kernel, which differ in where grey levels come from.
template <class Grey>
__device__ void walk_in_shared(Grey grey, Walker start, const COST* __restrict__ cost,
                               PATH_COST* __restrict__ path_costs, int disparities, int p1, int p2) {
    // Two rows in turn: a thread may write the next row while a slower one still reads this one, and gets no
    // further ahead, since the next barrier holds it. So one barrier a pixel is enough.
    __shared__ PATH_COST rows[2][MAX_DISPARITIES];
    __shared__ int minima[2][(MAX_DISPARITIES + 31) / 32];
    const int d = threadIdx.x;
    int turn = 0, value = 0;
    walk(
        start, disparities, p1, p2, grey,
        [&](uint64_t p) {
            value = cost[p + d];
            path_costs[p + d] = value;
        },
        [&](uint64_t, uint64_t p, int penalty) {
            PATH_COST* row = rows[turn];
            row[d] = value;
            const int smallest = block_minimum(value, minima[turn]);
            const auto before = [=](int k) -> int { return row[k]; };
            value = cost[p + d] + message(before, d, disparities, smallest, p1, penalty);
            path_costs[p + d] = value;
            turn ^= 1;
        });
}

extern "C" __global__ void path_aggregation_shared(const uint8_t* __restrict__ left,
                                                   const COST* __restrict__ cost,
                                                   PATH_COST* __restrict__ path_costs, int height, int width,
                                                   int disparities, int lines, int p1, int p2, int dx,
                                                   int dy) {
    walk_in_shared([=](int y, int x) -> int { return left[at(y, x, width)]; },
                   Walker(blockIdx.x, height, width, dx, dy), cost, path_costs, disparities, p1, p2);
}

extern "C" __global__ void path_aggregation_texture(cudaTextureObject_t left, const COST* __restrict__ cost,
                                                    PATH_COST* __restrict__ path_costs, int height, int width,
                                                    int disparities, int lines, int p1, int p2, int dx,
                                                    int dy) {
    walk_in_shared([=](int y, int x) { return texel(left, y, x); }, Walker(blockIdx.x, height, width, dx, dy),
                   cost, path_costs, disparities, p1, p2);
}
