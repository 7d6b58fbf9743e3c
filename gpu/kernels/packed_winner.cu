// Sum of the packed path costs and the winners of both views.  Computes gpu.reference.path_sum,
// winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check.
//
// A block sums TILE pixels of a row, LANES lanes each; the sums stay in shared memory and never reach global
// memory. A sum and its disparity make one number, sum * 65536 + d: the smallest is the winner, and of equal
// sums the lowest d. A right pixel's candidates lie on a diagonal over several tiles: each tile finds the
// best of its own and takes part in an atomic minimum, (TILE + D) / TILE a pixel.
//
// packed.cuh tells how path costs are packed. Eight of at most 255 + 4095 fit 16 bits, so that whole words are
// added without a carry between the halves.
//
// Launch: block (THREADS), grid (tiles of a row, height).
// Build: LANES, PATH_COST as for packed_aggregation; TILE pixels; SUBPIXEL_STEPS the stored steps of a pixel;
// SEGMENT columns whose number fits 16 bits together with a sum that is `narrow`.

#include "common.cuh"
#include "packed.cuh"
#include "rivals.cuh"

constexpr uint32_t NOTHING = 0xFFFFFFFF;  // above every sum and disparity
constexpr int PITCH = 8 * LANES + 1;      // words a pixel; odd, so that a diagonal meets every bank

// Add 16 path costs to 8 words.
__device__ inline void add(uint32_t (&sums)[8], const uint8_t* costs) {
    const uint4* quads = reinterpret_cast<const uint4*>(costs);
#pragma unroll
    for (int i = 0; i < int(sizeof(PATH_COST)); ++i) {
        const uint4 quad = __ldcs(quads + i);  // read once
        const uint32_t words[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (sizeof(PATH_COST) == 1) {
                sums[2 * k] += even_of(words[k]);
                sums[2 * k + 1] += odd_of(words[k]);
            } else {
                sums[4 * i % 8 + k] += words[k];
            }
    }
}

// Add up 16 disparities of a pixel; `place` is the first of them in a volume of path costs.
__device__ inline void add_all(uint32_t (&sums)[8], const uint8_t* costs, uint64_t place, uint64_t volume,
                               int paths) {
#pragma unroll 4
    for (int path = 0; path < paths; ++path)
        add(sums, costs + (path * volume + place) * sizeof(PATH_COST));
}

__device__ inline uint32_t smallest_of_pixel(uint32_t value) {
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = min(value, uint32_t(__shfl_xor_sync(ALL, value, offset)));
    return value;
}

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

// The same for the right pixels of two diagonals, half the disparities apart, whose sums share words: a sum and a
// column fit 16 bits while sums are narrow and columns are counted anew from SEGMENT to SEGMENT.
__device__ inline void best_on_diagonals(uint32_t (&found)[2], const Sums& sums, int origin, int columns) {
    found[0] = found[1] = NOTHING;
    const int end = min(columns, origin + sums.half);
    for (int begin = max(0, origin); begin < end; begin += SEGMENT) {
        const uint32_t* word = sums.words + begin * PITCH + begin - origin;
        uint32_t smallest = NOTHING, column = 0;
#pragma unroll 8
        for (int i = min(SEGMENT, end - begin); i > 0; --i) {
            smallest = __vminu2(smallest, *word * SEGMENT + column);
            word += PITCH + 1;
            column += 0x10001;
        }
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            const uint32_t own = part == 0 ? smallest & 0xFFFF : smallest >> 16;
            const int d = begin + int(own % SEGMENT) - origin + part * sums.half;
            found[part] = min(found[part], own / SEGMENT << 16 | d);
        }
    }
}

// Lower the right pixel's best, if the image has that pixel.
__device__ inline void offer(uint32_t* row, int x, int width, uint32_t found) {
    if (0 <= x && x < width) atomicMin(row + x, found);
}

extern "C" __global__ void packed_winner(const uint8_t* __restrict__ costs, uint32_t* __restrict__ right_best,
                                         int16_t* __restrict__ winner, int16_t* __restrict__ refined,
                                         uint32_t* __restrict__ rivals, int height, int width,
                                         int disparities, int paths, int min_disparity, int subpixel,
                                         int checks_right, int narrow) {
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
        const int d = found & 0xFFFF;
        const uint32_t other = rival(sums, first, shared.half, active, d);
        if (active && first == 0) {
            winners[column] = d;
            winner[row + column] = d;
            rivals[row + column] = pair_of(found >> 16, other);
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
    uint32_t* right_row = right_best + at(blockIdx.y, 0, width);
    const int partner = start - min_disparity;  // of column 0, at d = 0
    for (int i = threadIdx.x; narrow && i < columns + shared.half - 1; i += THREADS) {
        const int origin = i - shared.half + 1;  // column of the right pixel's d = 0
        uint32_t found[2];
        best_on_diagonals(found, shared, origin, columns);
        offer(right_row, partner + origin, width, found[0]);
        offer(right_row, partner + origin - shared.half, width, found[1]);
    }
    for (int i = threadIdx.x; !narrow && i < columns + disparities - 1; i += THREADS) {
        const int origin = i - disparities + 1;
        offer(right_row, partner + origin, width, best_on_diagonal(shared, origin, columns));
    }
}
