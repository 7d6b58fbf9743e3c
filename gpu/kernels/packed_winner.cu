// Sum of the packed path costs and the winners of both views.  Computes gpu.reference.path_sum,
// winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check.
//
// A block sums TILE pixels of a row; the sums stay in shared memory and never reach global memory. In large images
// nor do the path costs of rows, but at the ends of stretches: a build that WALKS carries them once more. On an
// H200, at 1920x1080 with 128 disparities and 8 paths, that took 0.51 ms instead of 0.54, where packed_aggregation
// saves 0.17; but 0.59 before the winner and its rival were found from two sums at once, which fit 16 bits with
// their places.
//
// packed.cuh tells how path costs are packed. Eight of at most 255 + 4095 fit 16 bits, so that whole words are
// added without a carry between the halves.
//
// Where packed_leaned summed the paths that leave a row, what is left to sum are two sums and the rows.
//
// Launch: block (THREADS), grid (tiles of a row, height).
// Build: LANES, PATH_COST, STRETCH as for packed_aggregation, and ADAPTIVE if it WALKS; SUM_BYTES as for swept.cuh;
// PATHS how many paths there are, at most, of which all costs are kept; SUBPIXEL_STEPS the stored steps of a pixel;
// DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "stretch.cuh"
#include "swept.cuh"
#include "tile.cuh"
#include "rivals.cuh"
#include "vertex.cuh"

__device__ inline uint32_t smallest_of_pixel(uint32_t value) {
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = min(value, uint32_t(__shfl_xor_sync(ALL, value, offset)));
    return value;
}

// The winner, after its sum.
__device__ inline uint32_t best(const uint32_t (&sums)[8], int first, int half, bool active) {
    uint32_t smallest = NOTHING;
    if constexpr (NARROW) {
        uint32_t least = sums[0] * 8;
#pragma unroll
        for (int j = 1; j < 8; ++j)
            least = __vminu2(least, sums[j] * 8 + j * 0x10001);
        const uint32_t low = least & 0xFFFF, high = least >> 16;
        smallest =
            min((low >> 3) << 16 | ((low & 7) + first), (high >> 3) << 16 | ((high & 7) + first + half));
    } else {
#pragma unroll
        for (int j = 0; j < 8; ++j)
            smallest =
                min(smallest, min(sums[j] << 16 | (first + j), (sums[j] & 0xFFFF0000) | (first + j + half)));
    }
    return smallest_of_pixel(active ? smallest : NOTHING);
}

// The smallest sum more than one away from d.
__device__ inline uint32_t rival(const uint32_t (&sums)[8], int first, int half, bool active, int d) {
    uint32_t smallest = NOTHING;
    if constexpr (NARROW) {
        // What is at most one away becomes smaller by a MARGIN, and the largest of what remains is looked for.
        constexpr uint32_t MARGIN = 2048;
        const uint32_t from = (1 - (d - first) & 0xFFFF) | uint32_t(1 - (d - first - half)) << 16;
        uint32_t largest = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const uint32_t away = __viaddmin_u16x2(from, j * 0x10001, 0x30003);  // 0, 1 or 2: not far
            largest = __vmaxu2(largest, away * MARGIN + (MARGIN * 0x10001 - sums[j]));
        }
        smallest = 4 * MARGIN - max(largest & 0xFFFF, largest >> 16);
    } else {
        const auto near = [d](int k) { return unsigned(k - d + 1) <= 2; };
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            if (!near(first + j)) smallest = min(smallest, sums[j] & 0xFFFF);
            if (!near(first + j + half)) smallest = min(smallest, sums[j] >> 16);
        }
    }
    return smallest_of_pixel(active ? smallest : NOTHING);
}

// Add path costs. Of bytes, first the odd ones and all are summed: what is left of these are the even ones.
__device__ inline void add_all(uint32_t (&sums)[8], const Stored<PATH_COST> (&found)[PATHS], int count) {
    if constexpr (sizeof(PATH_COST) == 1) {
        uint32_t all[4] = {}, odd[4] = {};
#pragma unroll
        for (int i = 0; i < PATHS; ++i)
            if (i < count) {
                const uint4 quad = found[i].quads[0];
                const uint32_t bytes[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    all[k] += bytes[k];
                    odd[k] += odd_of(bytes[k]);
                }
            }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sums[2 * k] += odd[k] * 0xFFFFFF00u + all[k];
            sums[2 * k + 1] += odd[k];
        }
    } else {
#pragma unroll
        for (int i = 0; i < PATHS; ++i)
            if (i < count) {
                uint32_t costs[8];
                found[i].unpack(costs);
                add(sums, costs);
            }
    }
}

// What walks a group's stretch: the matching costs of its pixels, and the path costs beside it, of the directions
// that are summed.
__device__ inline void prepare(Stretch& stretch, const Tile& tile, const uint8_t* matches,
                               const uint8_t* row_costs, bool leftward, bool rightward) {
    const int begin = tile.group * STRETCH, index = (tile.start + begin) / STRETCH;
    const RowEnds ends(tile.height, tile.width, tile.disparities);
    const bool active = stretch.lane.active;
#pragma unroll
    for (int i = 0; i < STRETCH; ++i)
        stretch.matches[i].load(matches, tile.costs(begin + i), active && begin + i < tile.columns);
    // Costs of paths to the left lie first, if there are any, as in directions.cuh.
    stretch.left.load(row_costs, ends.place(leftward, blockIdx.y, index - 1) + 2 * tile.first,
                      active && rightward && 0 < index && index <= ends.count);
    stretch.right.load(row_costs, ends.place(0, blockIdx.y, index + 1) + 2 * tile.first,
                       active && leftward && index + 1 < ends.count);
}

// Put the path costs of a stretch, walked to the right.
__device__ inline void walk_rightward(Stretch& stretch, const Tile& tile) {
    stretch.begin(stretch.left);
#pragma unroll
    for (int i = 0; i < STRETCH; ++i) {
        stretch.go(i, i - 1);
        put(tile.own(tile.group * STRETCH + i), stretch.path);
    }
}

// Disparities of a tile's winners, with parts of a pixel.
__device__ inline void refine(int16_t* refined, const Tile& tile, const int* winners, int min_disparity,
                              int subpixel) {
    const Sums sums = tile.sums();
    for (int column = threadIdx.x; column < tile.columns; column += THREADS) {
        const int d = winners[column];
        const bool between = subpixel != OFF && 0 < d && d < tile.disparities - 1;
        const int offset =
            between ? vertex(sums.at(column, d - 1), sums.at(column, d), sums.at(column, d + 1), subpixel)
                    : 0;
        refined[tile.row + column] = (min_disparity + d) * SUBPIXEL_STEPS + offset;
    }
}

// Write the winner of a column of a tile and its rival, which all lanes of the pixel find from their sums.
__device__ __forceinline__ void choose(const uint32_t (&sums)[8], const Tile& tile, int column, bool exists,
                                       int* winners, int16_t* winner, uint32_t* rivals) {
    const uint32_t smallest = best(sums, tile.first, tile.disparities / 2, exists);
    const int d = smallest & 0xFFFF;
    const uint32_t other = rival(sums, tile.first, tile.disparities / 2, exists, d);
    if (exists && tile.turn == 0) {
        winners[column] = d;
        winner[tile.row + column] = d;
        rivals[tile.row + column] = pair_of(smallest >> 16, other);
    }
}

extern "C" __launch_bounds__(THREADS, WALKS ? 5 : 4) __global__
    void packed_winner(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ matches,
                       const uint8_t* __restrict__ row_costs, const uint8_t* __restrict__ volumes,
                       const uint8_t* __restrict__ swept_sums, const uint16_t* __restrict__ swept_ninths,
                       uint32_t* __restrict__ right_best, int16_t* __restrict__ winner,
                       int16_t* __restrict__ refined, uint32_t* __restrict__ rivals, int height, int width,
                       int disparities, int p1, int p2, int adaptation, int leftward, int rightward,
                       int paths, int min_disparity, int subpixel, int checks_right) {
    wait_for_previous();
    __shared__ uint4 memory[TILE * PITCH / 4];
    __shared__ int winners[TILE];
    __shared__ uint8_t grey[TILE + 2];
    __shared__ uint32_t by_change[256];
    const Tile tile(reinterpret_cast<uint32_t*>(memory), height, width, disparities);
    const Lane lane(tile.turn, 8, disparities / 2);
    const Penalties penalties = {by_change, p1 * 0x10001u, p2 * 0x10001u};
    Stretch stretch = {lane, penalties, grey + tile.group * STRETCH + 1};
    if constexpr (ADAPTIVE) {
        tabulate(by_change, p1, p2, adaptation);
        for (int i = threadIdx.x; i < TILE + 2; i += THREADS)
            if (unsigned(tile.start + i - 1) < unsigned(width)) grey[i] = grey_of(steps[tile.row + i - 1]);
        __syncthreads();  // penalties and grey levels are there
    }
    if constexpr (WALKS) {
        prepare(stretch, tile, matches, row_costs, leftward, rightward);
        if (rightward) walk_rightward(stretch, tile);
        if (leftward) stretch.begin(stretch.right);
    }
    const uint64_t volume = at(height, 0, width, disparities);
#pragma unroll UNROLL
    for (int i = TURNS - 1; i >= 0; --i) {
        const int column = WALKS ? tile.group * TURNS + i : i * (THREADS / LANES) + tile.group;
        const bool exists = lane.active && column < tile.columns;
        Stored<PATH_COST> found[PATHS];
#pragma unroll
        for (int path = 0; path < PATHS; ++path)
            found[path].load(volumes + path * volume * sizeof(PATH_COST), tile.costs(column),
                             exists && path < paths);
        Swept swept;
        swept.load(swept_sums, swept_ninths, volume, tile.costs(column), exists);
        uint32_t sums[8] = {};
        if constexpr (WALKS) {
            if (rightward) add_put(sums, tile.own(column));
            if (leftward) {
                stretch.go(i, i + 1);
                add(sums, stretch.path);
            }
        }
        add_all(sums, found, paths);
        swept.add_to(sums);
        put(tile.own(column), sums);
        choose(sums, tile, column, exists, winners, winner, rivals);
    }
    __syncthreads();  // sums and winners of the whole tile are there
    refine(refined, tile, winners, min_disparity, subpixel);
    if (checks_right) offer_all(right_best, tile, min_disparity);
}
