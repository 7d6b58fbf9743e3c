// Matching costs of all disparities, packed as packed_aggregation takes them.  Computes
// gpu.reference.matching_cost.
//
// Every path compares every pixel with the same candidates. To count bits anew for each of eight paths takes
// the counter, which is slow (16 a clock and multiprocessor), longer than everything else; a byte a cost is
// written once, and read from the second-level cache while it fits there.
//
// A thread compares COLUMNS neighbouring pixels with 16 candidates each, of which all but one are those of the
// pixel before, moved by one: so it reads a right word for every 4 costs, not for each.
//
// Launch: block (THREADS), grid (tiles of TILE pixels of a row, height).
// Build: DIFFERENCE compares two descriptors, absolute or hamming; LANES is the smallest power of two with
// LANES * 16 >= disparities; TILE pixels, a multiple of COLUMNS.

#include "common.cuh"
#include "packed.cuh"

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

constexpr int COLUMNS = 8, REACH = 16 * LANES + TILE;

// What a thread compares: the right words of disparities that begin at one, for the first pixel from place 7
// down, for the next from place 8 down; and the column in the image of place 0.
struct Candidates {
    uint32_t words[COLUMNS + 7];
    int column;

    __device__ Candidates(const uint32_t* right, int column) : column(column) {
#pragma unroll
        for (int i = 0; i < COLUMNS + 7; ++i)
            words[i] = right[i];
    }

    template <bool CHECKS>
    __device__ unsigned cost(uint32_t word, int place, int width, int outside) const {
        const int match = DIFFERENCE(word, words[place]);
        return !CHECKS || unsigned(column + place) < unsigned(width) ? match : outside;
    }
};

// Costs of the thread's pixels, from `to` on; CHECKS whether a candidate may lie outside the image.
template <bool CHECKS>
__device__ void compare(uint8_t* to, const uint32_t* left, const Candidates& low, const Candidates& high,
                        int columns, int width, int disparities, int outside) {
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
        if (column >= columns) return;
        const uint32_t word = left[column];
        uint32_t pairs[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int even = column + 7 - 2 * k, odd = even - 1;
            pairs[k] = low.cost<CHECKS>(word, even, width, outside) |
                       low.cost<CHECKS>(word, odd, width, outside) << 8 |
                       high.cost<CHECKS>(word, even, width, outside) << 16 |
                       high.cost<CHECKS>(word, odd, width, outside) << 24;
        }
        *reinterpret_cast<uint4*>(to + uint64_t(column) * disparities) =
            make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
}

extern "C" __global__ void packed_matching(const uint32_t* __restrict__ left,
                                           const uint32_t* __restrict__ right, uint8_t* __restrict__ costs,
                                           int height, int width, int disparities, int min_disparity,
                                           int outside) {
    __shared__ uint32_t words[REACH];
    const int start = blockIdx.x * TILE, columns = min(TILE, width - start), half = disparities / 2;
    const uint64_t row = at(blockIdx.y, 0, width);
    const int least = start - min_disparity - disparities + 1;  // column of words[0]
    for (int i = threadIdx.x; i < TILE + disparities - 1; i += THREADS)
        words[i] = right[row + clamp(least + i, 0, width - 1)];
    __syncthreads();  // the right words of the tile are there
    const bool inside = least >= 0 && least + TILE + disparities - 1 <= width;
    const int chunks = disparities / 16;
    for (int i = threadIdx.x; i < TILE / COLUMNS * chunks; i += THREADS) {
        const int column = i / chunks * COLUMNS, first = i % chunks * 8;
        if (column >= columns) break;
        const int place = column + disparities - 8 - first;
        const Candidates low(words + place, least + place);
        const Candidates high(words + place - half, least + place - half);
        const uint32_t* from = left + row + start + column;
        uint8_t* to = costs + (row + start + column) * disparities + 2 * first;
        if (inside)
            compare<false>(to, from, low, high, columns - column, width, disparities, outside);
        else
            compare<true>(to, from, low, high, columns - column, width, disparities, outside);
    }
}
