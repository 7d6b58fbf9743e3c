// Sum of the packed path costs and the winners of both views.  Computes gpu.reference.path_sum,
// winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check.
//
// A block sums TILE pixels of a row, LANES lanes each; the sums stay in shared memory and never reach global
// memory. A sum and its disparity make one number, sum * 65536 + d: the smallest is the winner, and of equal
// sums the lowest d. A right pixel's candidates lie on a diagonal over several tiles: each tile finds the
// best of its own and takes part in an atomic minimum, (TILE + D) / TILE a pixel.
//
// packed.cuh tells how path costs are packed, packed_sums.cuh how they are added up.
//
// Launch: block (THREADS), grid (tiles of a row, height).
// Build: LANES, PATH_COST as for packed_aggregation; TILE pixels; SUBPIXEL_STEPS the stored steps of a pixel.

#include "common.cuh"
#include "packed.cuh"
#include "packed_sums.cuh"

constexpr uint32_t NOTHING = 0xFFFFFFFF;  // above every sum and disparity
constexpr int PITCH = 8 * LANES + 1;      // words a pixel; odd, so that a diagonal meets every bank

// Sums of a tile's pixels, packed as their path costs are.
struct Sums {
    const uint32_t* words;
    int half;

    __device__ uint32_t low(int column, int k) const { return words[column * PITCH + k] & 0xFFFF; }
    __device__ uint32_t high(int column, int k) const { return words[column * PITCH + k] >> 16; }
    __device__ int at(int column, int d) const { return d < half ? low(column, d) : high(column, d - half); }
};

// The winner, after its sum.
__device__ inline uint32_t best(const uint32_t (&sums)[8], int first, int half, bool active) {
    uint32_t smallest = NOTHING;
    if (active)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            smallest =
                min(smallest, min(sums[j] << 16 | (first + j), (sums[j] & 0xFFFF0000) | (first + j + half)));
    return smallest_of_pixel(smallest);
}

// The smallest sum more than one away from d.
__device__ inline uint32_t rival(const uint32_t (&sums)[8], int first, int half, bool active, int d) {
    const auto near = [d](int k) { return unsigned(k - d + 1) <= 2; };
    uint32_t smallest = NOTHING;
    if (active)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            if (!near(first + j)) smallest = min(smallest, sums[j] & 0xFFFF);
            if (!near(first + j + half)) smallest = min(smallest, sums[j] >> 16);
        }
    return smallest_of_pixel(smallest);
}

// Where the parabola through three sums has its minimum, in steps from the middle one.
__device__ inline int vertex(int below, int middle, int above) {
    const int curvature = max(below + above - 2 * middle, 1);
    return ((below - above) * SUBPIXEL_STEPS + curvature) /
           (2 * curvature);  // rounds towards zero, as OpenCV does
}

// The best of a right pixel's candidates in the tile: column = origin + d, for columns from 0 to `columns`.
__device__ inline uint32_t best_on_diagonal(const Sums& sums, int origin, int columns) {
    uint32_t smallest = NOTHING;
    for (int k = max(0, -origin); k < min(sums.half, columns - origin); ++k)
        smallest = min(smallest, sums.low(origin + k, k) << 16 | k);
    const int middle = origin + sums.half;
    for (int k = max(0, -middle); k < min(sums.half, columns - middle); ++k)
        smallest = min(smallest, sums.high(middle + k, k) << 16 | (k + sums.half));
    return smallest;
}

extern "C" __global__ void packed_winner(const uint8_t* __restrict__ costs, uint32_t* __restrict__ right_best,
                                         int16_t* __restrict__ winner, int16_t* __restrict__ refined,
                                         uint8_t* __restrict__ rivalled, int height, int width,
                                         int disparities, int paths, int min_disparity, int subpixel,
                                         int uniqueness, int checks_right) {
    __shared__ uint32_t words[TILE * PITCH];
    __shared__ int winners[TILE];
    const Sums shared = {words, disparities / 2};
    const int start = blockIdx.x * TILE, columns = min(TILE, width - start);
    const uint64_t row = at(blockIdx.y, start, width), volume = at(height, 0, width, disparities);
    const int first = threadIdx.x % LANES * 8;
    for (int begin = 0; begin < columns; begin += THREADS / LANES) {
        const int column = begin + threadIdx.x / LANES;
        const bool active = column < columns && first < shared.half;
        const uint64_t place = (row + column) * disparities + 2 * first;
        uint32_t sums[8] = {};
        if (active) {
            add_all(sums, costs, place, volume, paths);
#pragma unroll
            for (int j = 0; j < 8; ++j)
                words[column * PITCH + first + j] = sums[j];
        }
        const uint32_t found = best(sums, first, shared.half, active);
        const int d = found & 0xFFFF, sum = found >> 16;
        bool beaten = false;
        if (uniqueness > 0) {
            const int other = rival(sums, first, shared.half, active, d) & 0xFFFF;
            beaten = other * (100 - uniqueness) < sum * 100;
        }
        if (active && first == 0) {
            winners[column] = d;
            winner[row + column] = d;
            rivalled[row + column] = beaten;
        }
    }
    __syncthreads();  // sums and winners of the whole tile are there
    for (int column = threadIdx.x; column < columns; column += THREADS) {
        const int d = winners[column];
        const bool between = subpixel && 0 < d && d < disparities - 1;
        const int offset =
            between ? vertex(shared.at(column, d - 1), shared.at(column, d), shared.at(column, d + 1)) : 0;
        refined[row + column] = (min_disparity + d) * SUBPIXEL_STEPS + offset;
    }
    if (!checks_right) return;
    for (int i = threadIdx.x; i < columns + disparities - 1; i += THREADS) {
        const int origin = i - disparities + 1;  // column of the right pixel's d = 0
        const int x = start + origin - min_disparity;
        if (x < 0 || x >= width) continue;
        atomicMin(&right_best[at(blockIdx.y, x, width)], best_on_diagonal(shared, origin, columns));
    }
}
