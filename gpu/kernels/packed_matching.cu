// Matching costs of all disparities, packed as packed_aggregation takes them.  Computes
// gpu.reference.matching_cost.
//
// Every path compares every pixel with the same candidates. To count bits anew for each of eight paths takes
// the counter, which is slow (16 a clock and multiprocessor), longer than everything else; a byte a cost is
// written once, and read from the second-level cache while it fits there.
//
// A thread compares COLUMNS neighbouring pixels with 16 candidates each, of which all but one are those of the
// pixel before, moved by one: so it reads a right word for every 4 costs, not for each, in 0.09 ms instead of
// 0.14 at 1920x1080 on an H200. The smallest cost of a pixel, which every path asks for, is found here once.
//
// Launch: block (THREADS), grid (tiles of TILE pixels of a row, height).
// Build: DIFFERENCE compares two descriptors, absolute or hamming; GRADIENT whether gradients are compared too, of
// which LARGEST_ADDED is the most that they add; LANES is the smallest power of two with
// LANES * 16 >= disparities; TILE = COLUMNS * THREADS / LANES pixels.

#include "common.cuh"
#include "packed.cuh"

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

constexpr int COLUMNS = 8, REACH = 16 * LANES + TILE;

// Where a word lies in shared memory: one is left out after eight, so that lanes meet in no bank.
__device__ constexpr int place_of(int i) { return i + i / 8; }

// What a thread compares: the right words of disparities that begin at one, for the first pixel from place 7
// down, for the next from place 8 down; their gradients, four in a word; and the column in the image of place 0.
struct Candidates {
    uint32_t words[COLUMNS + 7], slopes[GRADIENT ? 4 : 1];
    int column;

    __device__ Candidates(const uint32_t* right, const uint2* gradients, int column) : column(column) {
#pragma unroll
        for (int i = 0; i < COLUMNS + 7; ++i)
            words[i] = right[place_of(i)];
        if constexpr (GRADIENT) {
            const uint2 first = gradients[0], second = gradients[1];
            slopes[0] = first.x, slopes[1] = first.y, slopes[2] = second.x, slopes[3] = second.y;
        }
    }

    // The gradient of the place before in the lowest byte, and of the place above it.
    __device__ uint32_t two_slopes(int place) const {
        return __funnelshift_r(slopes[(place - 1) / 4], slopes[place / 4], (place - 1) % 4 * 8);
    }

    __device__ uint32_t match(uint32_t word, int place) const { return DIFFERENCE(word, words[place]); }

    __device__ uint32_t inside(int place, int width) const {
        return unsigned(column + place) < unsigned(width) ? 0xFF : 0;
    }
};

__device__ inline uint32_t bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return a | b << 8 | c << 16 | d << 24;
}

// What gradients add to four costs, a byte each: half their difference, and no more than LARGEST_ADDED, a power of two.
// A difference is below four times that: if it reaches twice, a bit tells, and the bits below it are left out.
__device__ inline uint32_t added(uint32_t a, uint32_t b) {
    constexpr uint32_t TWICE = 2 * LARGEST_ADDED;
    const uint32_t difference = __vabsdiffu4(a, b), much = difference & TWICE * 0x01010101;
    return (difference & ~(much - much / TWICE) & 0xFEFEFEFE) >> 1;
}

// Costs of a pixel, a byte each, at a place and the one before it, first of low disparities, then of high ones.
template <bool CHECKS>
__device__ uint32_t four_costs(uint32_t word, uint32_t slopes, const Candidates& low, const Candidates& high,
                               int place, int width, int outside) {
    uint32_t costs = bytes(low.match(word, place), low.match(word, place - 1), high.match(word, place),
                           high.match(word, place - 1));
    if constexpr (GRADIENT)
        costs += added(slopes, __byte_perm(low.two_slopes(place), high.two_slopes(place), 0x4501));
    if constexpr (CHECKS) {
        const uint32_t inside = bytes(low.inside(place, width), low.inside(place - 1, width),
                                      high.inside(place, width), high.inside(place - 1, width));
        costs = costs & inside | outside * 0x01010101u & ~inside;
    }
    return costs;
}

// Costs of the thread's pixels, from `to` on, of which `columns` are stored, and the smallest of each pixel's,
// two in a word; CHECKS whether a candidate may lie outside the image.
template <bool CHECKS>
__device__ void compare(uint8_t* to, uint32_t (&smallest)[COLUMNS / 2], const uint32_t* left,
                        const uint8_t* gradients, const Candidates& low, const Candidates& high, int columns,
                        int width, int disparities, int outside) {
    uint32_t least[COLUMNS];
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
        const uint32_t word = left[column], slopes = GRADIENT ? gradients[column] * 0x01010101u : 0;
        uint32_t costs[4];
        least[column] = NEVER_TWICE;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            costs[k] = four_costs<CHECKS>(word, slopes, low, high, column + 7 - 2 * k, width, outside);
            least[column] = __vimin3_u16x2(least[column], costs[k] & 0x00FF00FF, odd_of(costs[k]));
        }
        if (column < columns)
            *reinterpret_cast<uint4*>(to + uint64_t(column) * disparities) =
                make_uint4(costs[0], costs[1], costs[2], costs[3]);
    }
#pragma unroll
    for (int i = 0; i < COLUMNS / 2; ++i)
        smallest[i] = __vminu2(__byte_perm(least[2 * i], least[2 * i + 1], 0x5410),
                               __byte_perm(least[2 * i], least[2 * i + 1], 0x7632));
}

extern "C" __global__ void
packed_matching(const uint8_t* __restrict__ left, const uint32_t* __restrict__ left_words,
                const uint32_t* __restrict__ right_words, const uint8_t* __restrict__ left_slopes,
                const uint8_t* __restrict__ right_slopes, uint8_t* __restrict__ costs,
                uint32_t* __restrict__ steps, int height, int width, int disparities, int min_disparity,
                int outside) {
    wait_for_previous();
    __shared__ uint32_t right[place_of(REACH)], ours[TILE];
    __shared__ uint8_t grey[TILE], slopes[GRADIENT ? TILE : 1];
    __shared__ uint2 theirs[GRADIENT ? REACH / 8 : 1];  // right gradients, eight at once
    const int start = blockIdx.x * TILE, columns = min(TILE, width - start), half = disparities / 2;
    const uint64_t row = at(blockIdx.y, 0, width);
    const int leftmost = start - min_disparity - disparities + 1;  // column of the first right word
    for (int i = threadIdx.x; i < TILE + disparities - 1; i += THREADS)
        fetch(right + place_of(i), right_words + row + clamp(leftmost + i, 0, width - 1));
    for (int i = threadIdx.x; i < columns; i += THREADS)
        fetch(ours + i, left_words + row + start + i);
    fetched();
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        grey[i] = left[row + start + i];
        if constexpr (GRADIENT) slopes[i] = left_slopes[row + start + i];
    }
    if constexpr (GRADIENT)
        for (int i = threadIdx.x; i < TILE + disparities - 1; i += THREADS)
            reinterpret_cast<uint8_t*>(theirs)[i] = right_slopes[row + clamp(leftmost + i, 0, width - 1)];
    arrive<0>();
    __syncthreads();  // what the tile compares is there
    const bool inside = leftmost >= 0 && leftmost + TILE + disparities - 1 <= width;
    const int turn = threadIdx.x % LANES, column = threadIdx.x / LANES * COLUMNS;
    const Lane lane(turn, 8, half);  // one that is not active repeats the first
    const int place = column + disparities - 8 - lane.first;
    // Places are multiples of eight.
    const Candidates low(right + place_of(place), theirs + place / 8, leftmost + place);
    const Candidates high(right + place_of(place - half), theirs + (place - half) / 8,
                          leftmost + place - half);
    uint8_t* to = costs + (row + start + column) * disparities + 2 * lane.first;
    const int asked = lane.active ? columns - column : 0;
    uint32_t smallest[COLUMNS / 2];
    if (inside)
        compare<false>(to, smallest, ours + column, slopes + column, low, high, asked, width, disparities,
                       outside);
    else
        compare<true>(to, smallest, ours + column, slopes + column, low, high, asked, width, disparities,
                      outside);
#pragma unroll
    for (int i = 0; i < COLUMNS; ++i) {
        if (i % 2 == 0) smallest[i / 2] = of_pixel<LANES>(smallest[i / 2]);
        const uint32_t least = i % 2 == 0 ? smallest[i / 2] & 0xFFFF : smallest[i / 2] >> 16;
        if (i % LANES == turn && column + i < columns)
            steps[row + start + column + i] = step_of(grey[column + i], least);
    }
}
