// Matching costs of all disparities, packed as packed_aggregation takes them.  Computes
// gpu.reference.matching_cost.
//
// Every path compares every pixel with the same candidates. To count bits anew for each of eight paths takes
// the counter, which is slow (16 a clock and multiprocessor), longer than everything else; a byte a cost is
// written once, and read from the second-level cache while it fits there.
//
// Launch: block (THREADS), grid (tiles of TILE pixels of a row, height).
// Build: DIFFERENCE compares two descriptors, absolute or hamming; LANES is the smallest power of two with
// LANES * 16 >= disparities; TILE pixels.

#include "common.cuh"
#include "packed.cuh"

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

constexpr int REACH = 16 * LANES + TILE;

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
    const int chunks = disparities / 16;
    for (int i = threadIdx.x; i < columns * chunks; i += THREADS) {
        const int column = i / chunks, first = i % chunks * 8;
        const uint32_t word = left[row + start + column];
        const int place = column + disparities - 1 - first, partner = least + place;
        const auto cost = [&](int d) {
            const int match = DIFFERENCE(word, words[place - d]);
            return unsigned(partner - d) < unsigned(width) ? match : outside;
        };
        uint32_t pairs[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            pairs[k] =
                cost(2 * k) | cost(2 * k + 1) << 8 | cost(2 * k + half) << 16 | cost(2 * k + 1 + half) << 24;
        reinterpret_cast<uint4*>(costs + (row + start + column) * disparities)[first / 8] =
            make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
}
