// Path aggregation of one direction in a band of rows, in packed 16-bit arithmetic.  Computes
// gpu.reference.path_aggregation, where the path costs `before` are those of the row before the band.
//
//   packed_handed         lanes walk a line of the band, as in packed_aggregation
//   packed_handed_sweep   lanes compute a pixel of row y, whose two pixels before lie in the row `before`
//
// Launch: block (THREADS), LANES threads for each column. packed_handed_sweep: a launch for each row in order.
//         `steps` has all rows of the image, costs and volume those of the band, which begins with row `first`.
//         `handed` is 0 where the image begins there, and nothing lies before.
// Build: as for packed_aggregation.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "stretch.cuh"
#include "line.cuh"
#include "packed_message.cuh"

static_assert(THREADS == WALKING, "a block is a warp");

template <class Course>
__device__ void walk_on(const Course& course, const uint32_t* steps, const uint8_t* costs, uint8_t* volume,
                        const uint8_t* before, int width, int disparities, int dy, const Penalties& penalties,
                        int first, int height, bool handed, Fetched<8, LANES>& memory) {
    const uint32_t* own = steps + int64_t(first) * width;
    const Before row = {handed ? before : nullptr, own + (dy > 0 ? -1 : height) * int64_t(width)};
    walk<8, LANES, false>({own, costs, disparities}, course, volume, penalties,
                          blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES, memory, row);
}

extern "C" __global__ void packed_handed(const uint32_t* __restrict__ steps,
                                         const uint8_t* __restrict__ costs, uint8_t* __restrict__ volume,
                                         const uint8_t* __restrict__ before, int height, int width,
                                         int disparities, int p1, int p2, int adaptation, int dx, int dy,
                                         int first, int handed) {
    __shared__ uint32_t by_change[256];
    __shared__ Fetched<8, LANES> memory;
    if (ADAPTIVE) {
        tabulate(by_change, p1, p2, adaptation);
        __syncthreads();  // the penalties are there
    }
    const Penalties penalties = {by_change, p1 * 0x10001u, p2 * 0x10001u};
    if (dx == 0)
        walk_on(Course<false, true>(0, dy, height, width, disparities), steps, costs, volume, before, width,
                disparities, dy, penalties, first, height, handed, memory);
    else
        walk_on(Course<true, true>(dx, dy, height, width, disparities), steps, costs, volume, before, width,
                disparities, dy, penalties, first, height, handed, memory);
}

extern "C" __global__ void packed_handed_sweep(const uint32_t* __restrict__ steps,
                                               const uint8_t* __restrict__ costs, uint8_t* volume,
                                               const uint8_t* before, int width, int disparities, int p1,
                                               int p2, int adaptation, int dy, int y, int first, int handed) {
    const int index = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES, x = min(index, width - 1);
    const Lane lane(threadIdx.x % LANES, 8, disparities / 2);
    const uint64_t place = at(y, x, width, disparities) + 2 * lane.first;
    uint32_t path[8], sent[2][8] = {};
    if (handed && width > 1) {
        const uint32_t *own = steps + int64_t(first + y) * width, *prior = own - dy * width;
        const int columns[2] = {x > 0 ? x - 1 : x + 1, x < width - 1 ? x + 1 : x - 1};
        for (int side = 0; side < 2; ++side) {
            const int change = abs(grey_of(own[x]) - grey_of(prior[columns[side]]));
            const uint32_t penalty = large_penalty(p1, p2, adaptation, change) * 0x10001u;
            Stored<PATH_COST> kept;
            kept.load(before, at(0, columns[side], width, disparities) + 2 * lane.first, true);
            kept.unpack(path);
            send(sent[side], path, penalty, p1 * 0x10001u, lane);
        }
    }
    Stored<uint8_t> matches;
    matches.load(costs, place, true);
    matches.unpack(path);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        path[j] += mean_of(sent[0][j], sent[1][j]);
    store<PATH_COST>(volume + place * sizeof(PATH_COST), path, 0, lane.active && index < width);
}
