// Median, uniqueness and consistency in one pass over the small images.  Computes
// gpu.reference.median_filter, and what uniqueness_check and consistency_check mark invalid.
//
// A thread has four pixels side by side: where rows begin at a multiple of four, they are loaded and stored at once,
// and two of their medians are found in a word. Counted for sm_90, a pixel takes 73 instructions, four of them loads,
// where a thread a pixel took 180 and thirteen.
//
// Launch: block (BLOCK), one thread for PIXELS pixels.
// Build: SUBPIXEL_STEPS is how many stored steps a pixel has.

#include "common.cuh"
#include "rivals.cuh"

static_assert(PIXELS == 4, "pixels are loaded in words of two");

constexpr uint32_t SIGNS = 0x80008000;  // turned round, they put negative values first

__device__ inline void sort(uint32_t& a, uint32_t& b) {
    const uint32_t larger = __vmaxu2(a, b);
    a = __vminu2(a, b);
    b = larger;
}

__device__ inline uint32_t middle(uint32_t a, uint32_t b, uint32_t c) {
    return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

// Four pixels of a row, two a word, or one; outside the image the nearest edge pixel's.
template <bool WHOLE>
__device__ uint2 four_of(const int16_t* row, int x, int width) {
    if constexpr (WHOLE) {
        return *reinterpret_cast<const uint2*>(row + x);
    } else {
        uint32_t values[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            values[i] = uint16_t(row[min(x + i, width - 1)]);
        return make_uint2(values[0] | values[1] << 16, values[2] | values[3] << 16);
    }
}
template <bool WHOLE>
__device__ uint4 four_of(const uint32_t* row, int x, int width) {
    if constexpr (WHOLE)
        return *reinterpret_cast<const uint4*>(row + x);
    else
        return make_uint4(row[x], row[min(x + 1, width - 1)], row[min(x + 2, width - 1)],
                          row[min(x + 3, width - 1)]);
}

// Pairs of values beside each other, from that of the column to the left on.
struct Pairs {
    uint32_t pairs[5];

    __device__ Pairs(const int16_t* row, uint2 four, int x, int width) {
        const uint32_t before = row[max(x - 1, 0)], after = row[min(x + 4, width - 1)];
        pairs[0] = __byte_perm(before, four.x, 0x5410);
        pairs[1] = four.x;
        pairs[2] = __byte_perm(four.x, four.y, 0x5432);
        pairs[3] = four.y;
        pairs[4] = __byte_perm(four.y, after, 0x5432);
#pragma unroll
        for (int i = 0; i < 5; ++i)
            pairs[i] ^= SIGNS;
    }
};

// The medians of 3x3 values: with the columns sorted, the middle one of the largest of the low, the middle of
// the middle, and the smallest of the high.
struct Medians {
    uint32_t low[5], centre[5], high[5];  // of columns

    __device__ Medians(const Pairs& above, const Pairs& own, const Pairs& below) {
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            low[i] = above.pairs[i], centre[i] = own.pairs[i], high[i] = below.pairs[i];
            sort(low[i], centre[i]);
            sort(centre[i], high[i]);
            sort(low[i], centre[i]);
        }
    }

    // Those of two pixels, whose columns begin with this one.
    __device__ uint32_t from(int i) const {
        return SIGNS ^ middle(__vmaxu2(__vmaxu2(low[i], low[i + 1]), low[i + 2]),
                              middle(centre[i], centre[i + 1], centre[i + 2]),
                              __vminu2(__vminu2(high[i], high[i + 1]), high[i + 2]));
    }
};

// What a thread does to four pixels; WHOLE if they can be loaded and stored at once.
template <bool WHOLE>
__device__ void check(const int16_t* refined, const int16_t* winner, const uint32_t* rivals,
                      const uint32_t* right_best, int16_t* consistent, int y, int x, int height, int width,
                      int min_disparity, int smooths, int uniqueness, int lr_check) {
    const uint64_t row = at(y, 0, width);
    uint2 values = four_of<WHOLE>(refined + row, x, width);
    const uint2 winners = four_of<WHOLE>(winner + row, x, width);
    const uint4 sums = four_of<WHOLE>(rivals + row, x, width);
    if (smooths) {
        const int16_t* up = refined + at(max(y - 1, 0), 0, width);
        const int16_t* down = refined + at(min(y + 1, height - 1), 0, width);
        const uint2 above = four_of<WHOLE>(up, x, width), below = four_of<WHOLE>(down, x, width);
        const Medians medians(Pairs(up, above, x, width), Pairs(refined + row, values, x, width),
                              Pairs(down, below, x, width));
        values = make_uint2(medians.from(0), medians.from(2));
    }
    const uint32_t pairs[4] = {sums.x, sums.y, sums.z, sums.w};
    uint32_t found[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int d = int16_t((i < 2 ? winners.x : winners.y) >> 16 * (i % 2));
        const int partner = x + i - min_disparity - d;
        bool valid = !is_rivalled(pairs[i], uniqueness);
        if (lr_check >= 0) {
            const bool seen = 0 <= partner && partner < width;
            valid = valid && seen && abs(int(right_best[row + partner] & 0xFFFF) - d) <= lr_check;
        }
        const uint32_t value = (i < 2 ? values.x : values.y) >> 16 * (i % 2);
        found[i] = uint16_t(valid ? value : (min_disparity - 1) * SUBPIXEL_STEPS);
    }
    int16_t* to = consistent + row + x;
    if constexpr (WHOLE) {
        *reinterpret_cast<uint2*>(to) = make_uint2(found[0] | found[1] << 16, found[2] | found[3] << 16);
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (x + i < width) to[i] = found[i];
    }
}

extern "C" __global__ void packed_checks(const int16_t* __restrict__ refined,
                                         const int16_t* __restrict__ winner,
                                         const uint32_t* __restrict__ rivals,
                                         const uint32_t* __restrict__ right_best,
                                         int16_t* __restrict__ consistent, int height, int width,
                                         int min_disparity, int smooths, int uniqueness, int lr_check) {
    wait_for_previous();
    const int x = PIXELS * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    if (width % PIXELS == 0)
        check<true>(refined, winner, rivals, right_best, consistent, y, x, height, width, min_disparity,
                    smooths, uniqueness, lr_check);
    else
        check<false>(refined, winner, rivals, right_best, consistent, y, x, height, width, min_disparity,
                     smooths, uniqueness, lr_check);
}
