// Sum of the packed path costs and the winners of both views.  Computes gpu.reference.path_sum,
// winner_takes_all, subpixel_refinement, right_winner_takes_all and the search for rivals of
// uniqueness_check.
//
// A block sums TILE pixels of a row; the sums stay in shared memory and never reach global memory. In large images
// nor do the path costs of rows, but at the ends of stretches: a build that WALKS carries them once more, which
// takes less time than to write and read them.
//
// A sum and its disparity make one number, sum * 65536 + d: the smallest is the winner, and of equal
// sums the lowest d. A right pixel's candidates lie on a diagonal over several tiles: each tile finds the
// best of its own and takes part in an atomic minimum, (TILE + D) / TILE a pixel.
//
// packed.cuh tells how path costs are packed. Eight of at most 255 + 4095 fit 16 bits, so that whole words are
// added without a carry between the halves.
//
// Launch: block (THREADS), grid (tiles of a row, height).
// Build: LANES, PATH_COST, STRETCH as for packed_aggregation, and ADAPTIVE if it WALKS; SUBPIXEL_STEPS the stored
// steps of a pixel.

#include "common.cuh"
#include "packed.cuh"
#include "stretch.cuh"
#include "rivals.cuh"

constexpr uint32_t NOTHING = 0xFFFFFFFF;                                  // above every sum and disparity
constexpr int TURNS = WALKS ? STRETCH : 4, UNROLL = WALKS ? STRETCH : 1;  // pixels of LANES lanes
constexpr int TILE = TURNS * THREADS / LANES;
constexpr int PITCH = LANES == 1 ? 8 : 8 * LANES + 4;  // words a pixel; a diagonal meets many banks
constexpr int PATHS = WALKS ? 6 : 8;                   // at most, of which all costs are kept
constexpr bool NARROW = sizeof(PATH_COST) == 1;  // eight path costs, and three or five bits more, fit 16
constexpr int SEGMENT = 32;                      // columns, counted by five bits

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
// column fit 16 bits, and columns are counted anew from SEGMENT to SEGMENT.
__device__ inline void best_on_diagonals(uint32_t (&found)[2], const Sums& sums, int origin, int columns) {
    found[0] = found[1] = NOTHING;
    const int end = min(columns, origin + sums.half);
    for (int begin = max(0, origin); begin < end; begin += SEGMENT) {
        const int k = begin - origin;
        const uint32_t* word = sums.words + begin * PITCH + k;
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

extern "C" __launch_bounds__(THREADS, WALKS ? 5 : 4) __global__
    void packed_winner(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ matches,
                       const uint8_t* __restrict__ row_costs, const uint8_t* __restrict__ volumes,
                       uint32_t* __restrict__ right_best, int16_t* __restrict__ winner,
                       int16_t* __restrict__ refined, uint32_t* __restrict__ rivals, int height, int width,
                       int disparities, int p1, int p2, int adaptation, int leftward, int rightward,
                       int paths, int min_disparity, int subpixel, int checks_right) {
    __shared__ uint4 memory[TILE * PITCH / 4];
    __shared__ int winners[TILE];
    __shared__ uint8_t grey[TILE + 2];
    __shared__ uint32_t by_change[256];
    uint32_t* words = reinterpret_cast<uint32_t*>(memory);
    const Sums shared = {words, disparities / 2};
    const int start = blockIdx.x * TILE, columns = min(TILE, width - start);
    const uint64_t row = at(blockIdx.y, start, width), volume = at(height, 0, width, disparities);
    const int turn = threadIdx.x % LANES, group = threadIdx.x / LANES, first = turn * 8;
    const Lane lane(turn, 8, shared.half);
    const Penalties penalties = {by_change, p1 * 0x10001u, p2 * 0x10001u};
    Stretch stretch = {lane, penalties, grey + group * STRETCH + 1};
    if constexpr (WALKS) {
        if constexpr (ADAPTIVE) {
            tabulate(by_change, p1, p2, adaptation);
            for (int i = threadIdx.x; i < TILE + 2; i += THREADS)
                if (unsigned(start + i - 1) < unsigned(width)) grey[i] = grey_of(steps[row + i - 1]);
            __syncthreads();  // penalties and grey levels are there
        }
        const int begin = group * STRETCH, index = (start + begin) / STRETCH;
        const int stretches = (width + STRETCH - 1) / STRETCH;
#pragma unroll
        for (int i = 0; i < STRETCH; ++i)
            stretch.matches[i].load(matches, (row + begin + i) * disparities + 2 * first,
                                    lane.active && begin + i < columns);
        const uint64_t kept = at(blockIdx.y, index, stretches, disparities) + 2 * first;
        stretch.left.load(row_costs + leftward * at(height, 0, stretches, disparities) * sizeof(PATH_COST),
                          kept - disparities, lane.active && rightward && 0 < index && index <= stretches);
        stretch.right.load(row_costs, kept + disparities, lane.active && leftward && index + 1 < stretches);
        if (rightward) {
            stretch.begin(stretch.left);
#pragma unroll
            for (int i = 0; i < STRETCH; ++i) {
                stretch.go(i, i - 1);
                put(words + (begin + i) * PITCH + first, stretch.path);
            }
        }
        if (leftward) stretch.begin(stretch.right);
    }
#pragma unroll UNROLL
    for (int i = TURNS - 1; i >= 0; --i) {
        const int column = WALKS ? group * TURNS + i : i * (THREADS / LANES) + group;
        const bool exists = lane.active && column < columns;
        Stored<PATH_COST> found[PATHS];
#pragma unroll
        for (int path = 0; path < PATHS; ++path)
            found[path].load(volumes + path * volume * sizeof(PATH_COST),
                             (row + column) * disparities + 2 * first, exists && path < paths);
        uint32_t* own = words + column * PITCH + first;
        uint32_t sums[8] = {};
        if constexpr (WALKS) {
            if (rightward) add_put(sums, own);
            if (leftward) {
                stretch.go(i, i + 1);
                add(sums, stretch.path);
            }
        }
        add_all(sums, found, paths);
        put(own, sums);
        const uint32_t smallest = best(sums, first, shared.half, exists);
        const int d = smallest & 0xFFFF;
        const uint32_t other = rival(sums, first, shared.half, exists, d);
        if (exists && turn == 0) {
            winners[column] = d;
            winner[row + column] = d;
            rivals[row + column] = pair_of(smallest >> 16, other);
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
    for (int i = threadIdx.x; NARROW && i < columns + shared.half - 1; i += THREADS) {
        const int origin = i - shared.half + 1;  // column of the right pixel's d = 0
        uint32_t found[2];
        best_on_diagonals(found, shared, origin, columns);
        offer(right_row, partner + origin, width, found[0]);
        offer(right_row, partner + origin - shared.half, width, found[1]);
    }
    for (int i = threadIdx.x; !NARROW && i < columns + disparities - 1; i += THREADS) {
        const int origin = i - disparities + 1;
        offer(right_row, partner + origin, width, best_on_diagonal(shared, origin, columns));
    }
}
