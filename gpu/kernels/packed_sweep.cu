// A row of the sweeps down and up, in packed 16-bit arithmetic.  Computes gpu.reference.path_aggregation where two
// pixels lie before each, and keeps the path costs of both sweeps.
//
// The pixels of a row do not depend on each other: what they wait for is the end of the launch before. So a lane
// reads the path costs of the two pixels before its own from where that launch left them; nothing is shared.
//
// Launch: one for each row, counted from the first of a sweep; block (THREADS), grid (pixels of LANES lanes,
// sweeps). The first sweep goes by `dy`, another the other way; their volumes follow `others` of rows.
// Build: LANES, PATH_COST as for packed_aggregation.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"

// The message from a pixel, by its path costs; `penalty` and `p1` in both halves.
__device__ inline void send(uint32_t (&sent)[8], const uint32_t (&path)[8], uint32_t penalty, uint32_t p1,
                            const Lane& lane) {
    const uint32_t nothing[8] = {}, smallest = of_pixel<LANES>(own_minimum(path) | lane.absent);
    uint32_t near[8];
    stay<8, LANES>(near, path, nothing, p1, lane);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        sent[j] = __vminu2(near[j], smallest + penalty) - smallest;
}

// The mean of two messages, halves rounded up. Each is at most 4095: sums need no more than the bits there are, and
// the lowest one of the upper half is kept out of the lower half.
__device__ inline uint32_t mean_of(uint32_t first, uint32_t second) {
    return (first + second + 0x10001) >> 1 & NEVER_TWICE;
}

extern "C" __global__ void packed_sweep(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ costs,
                                        uint8_t* volumes, int height, int width, int disparities, int p1,
                                        int p2, int adaptation, int others, int dy, int row) {
    const int column = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const int x = min(column, width - 1);  // a surplus pixel repeats the last
    const int walked = blockIdx.y == 0 ? dy : -dy, y = walked > 0 ? row : height - 1 - row;
    uint8_t* volume = volumes + at((others + blockIdx.y) * height, 0, width, disparities) * sizeof(PATH_COST);
    const Lane lane(threadIdx.x % LANES, 8, disparities / 2);
    const uint64_t place = at(y, x, width, disparities) + 2 * lane.first;
    const bool before = row > 0 && width > 1;
    uint32_t path[8], sent[2][8] = {};
    if (before) {  // for all pixels, or none
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            const int beside = side == 0 ? (x > 0 ? x - 1 : x + 1) : (x < width - 1 ? x + 1 : x - 1);
            const uint64_t from = at(y - walked, beside, width);
            const int change = abs(grey_of(steps[at(y, x, width)]) - grey_of(steps[from]));
            Stored<PATH_COST> found;
            found.load(volume, from * disparities + 2 * lane.first, true);
            found.unpack(path);
            send(sent[side], path, large_penalty(p1, p2, adaptation, change) * 0x10001u, p1 * 0x10001u, lane);
        }
    }
    Stored<uint8_t> matches;
    matches.load(costs, place, true);
    matches.unpack(path);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        path[j] += mean_of(sent[0][j], sent[1][j]);
    store<PATH_COST>(volume + place * sizeof(PATH_COST), path, 0, lane.active && column < width);
}
