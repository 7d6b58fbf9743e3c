// Find peaks in two launches.  Computes gpu.reference.find_peaks.
//
//   packed_peaks_list      which pixels can be a peak
//   packed_peaks_choose    the best of them that lie apart, their place and box; empties the list
//
// List. A warp has four rows of 128 pixels, and reads scores only if the highest of one of these rows reaches the
// threshold, which `highest` tells as packed_correlation writes it, if it is `told`: then the rows above and below
// too, all at once, four pixels a lane. The list has room for a pixel in every four: of the pixels of a square of
// 2 x 2, one beats the others.
//
// Choose. A thread keeps the best of its part of the list. Only if a peak is chosen that this one is close to, it
// looks for another.
//
// Launch: packed_peaks_list: blocks of (THREADS) for 128 x 32 pixels.
//         packed_peaks_choose: one block of (CHOOSERS). `listed` is 0 before the first frame.

#include "common.cuh"
#include "peaks.cuh"
#include "warp.cuh"

constexpr int WARPS = THREADS / 32;
constexpr int SEGMENT = 128, TOGETHER = 4, ROWS = 4;  // pixels of a row, of them a lane's; rows of a warp
constexpr float32_t NO_SCORE = -2;                    // below every score

// Four scores of a row; outside the image, none.
__device__ inline void four_scores(float32_t (&four)[TOGETHER], const float32_t* __restrict__ scores, int y,
                                   int x, int height, int width) {
    const bool in_rows = y >= 0 && y < height;
    const float32_t* from = scores + at(in_rows ? y : 0, x, width);
    if (width % TOGETHER == 0) {
        uint4 bits = make_uint4(0, 0, 0, 0);
        const bool inside = in_rows && x < width;
        if (inside) bits = *reinterpret_cast<const uint4*>(from);
        four[0] = inside ? __int_as_float(bits.x) : NO_SCORE;
        four[1] = inside ? __int_as_float(bits.y) : NO_SCORE;
        four[2] = inside ? __int_as_float(bits.z) : NO_SCORE;
        four[3] = inside ? __int_as_float(bits.w) : NO_SCORE;
    } else
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            four[k] = in_rows && x + k < width ? from[k] : NO_SCORE;
}

struct Sides {  // of four scores
    float32_t left, right;
};

// Lanes at the ends of a segment have read what is beside it, others ask their neighbours.
__device__ inline Sides sides_of(const float32_t (&four)[TOGETHER], float32_t beside) {
    const int lane = threadIdx.x & 31;
    const float32_t left = __int_as_float(__shfl_up_sync(0xFFFFFFFF, __float_as_int(four[TOGETHER - 1]), 1));
    const float32_t right = __int_as_float(__shfl_down_sync(0xFFFFFFFF, __float_as_int(four[0]), 1));
    return {lane == 0 ? beside : left, lane == 31 ? beside : right};
}

// The highest of three neighbours in a row.
__device__ inline float32_t highest_of(const float32_t (&four)[TOGETHER], Sides sides, int k) {
    const float32_t left = k > 0 ? four[k > 0 ? k - 1 : 0] : sides.left;
    const float32_t right = k < TOGETHER - 1 ? four[k < TOGETHER - 1 ? k + 1 : k] : sides.right;
    return max(max(left, right), four[k]);
}

// A bit for each pixel of a lane that reaches the threshold and beats its neighbours: of equal scores, the first.
__device__ inline uint32_t peaks_among(const float32_t (&rows)[ROWS + 2][TOGETHER],
                                       const float32_t (&beside)[ROWS + 2], float32_t threshold) {
    Sides sides[ROWS + 2];
#pragma unroll
    for (int row = 0; row < ROWS + 2; ++row)
        sides[row] = sides_of(rows[row], beside[row]);
    uint32_t found = 0;
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k) {
            const float32_t own = rows[i + 1][k];
            const float32_t before = k > 0 ? rows[i + 1][k > 0 ? k - 1 : 0] : sides[i + 1].left;
            const float32_t earlier = max(highest_of(rows[i], sides[i], k), before);
            const float32_t later =
                max(highest_of(rows[i + 1], sides[i + 1], k), highest_of(rows[i + 2], sides[i + 2], k));
            if (own >= threshold && own > earlier && own >= later) found |= 1u << (TOGETHER * i + k);
        }
    return found;
}

extern "C" __global__ void packed_peaks_list(const float32_t* __restrict__ scores,
                                             const int32_t* __restrict__ highest,
                                             int64_t* __restrict__ listed_keys, int32_t* listed, int height,
                                             int width, float threshold, int told) {
    __shared__ int count, begin;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int first = (blockIdx.y * WARPS + warp) * ROWS, x = blockIdx.x * SEGMENT + TOGETHER * lane;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const bool reaches =
        lane < ROWS && first + lane < height &&
        (!told || highest[(first + lane) * gridDim.x + blockIdx.x] >= ordered(__float_as_int(threshold)));
    float32_t rows[ROWS + 2][TOGETHER] = {}, beside[ROWS + 2];
    uint32_t found = 0;
    if (__any_sync(0xFFFFFFFF, reaches)) {  // for the whole warp
        const int end = lane == 0 ? x - 1 : x + TOGETHER;
        const bool at_end = (lane == 0 || lane == 31) && end >= 0 && end < width;
#pragma unroll
        for (int row = 0; row < ROWS + 2; ++row) {
            const int y = first - 1 + row;
            four_scores(rows[row], scores, y, x, height, width);
            beside[row] = at_end && y >= 0 && y < height ? scores[at(y, end, width)] : NO_SCORE;
        }
        found = peaks_among(rows, beside, threshold);
    }
    __syncwarp();
    int place = found ? atomicAdd(&count, __popc(found)) : 0;
    __syncthreads();
    if (threadIdx.x == 0 && count > 0) begin = atomicAdd(listed, count);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (found >> (TOGETHER * i + k) & 1)
                listed_keys[begin + place++] = key_of(rows[i + 1][k], at(first + i, x + k, width));
}

// Key and place of a pixel that can be a peak.
struct Candidate {
    int64_t key;
    int y, x;
};

__device__ inline Candidate candidate_of(int64_t key, int width) {
    const uint32_t place = place_of(key);
    return {key, int(place / width), int(place % width)};
}

// The larger one of 64 bits, by halves.
__device__ inline int64_t largest_key(int64_t key) {
    constexpr uint32_t SIGN = 0x80000000;
    const int32_t high = largest_of_warp(int32_t(key >> 32));
    const uint32_t low = int32_t(key >> 32) == high ? uint32_t(key) : 0;
    const uint32_t largest = uint32_t(largest_of_warp(int32_t(low ^ SIGN))) ^ SIGN;
    return int64_t(uint64_t(uint32_t(high)) << 32 | largest);
}

// How near two places on one axis may be to be close: less than half the template.
__device__ inline bool near(int a, int b, int side) { return 2 * abs(a - b) < side; }

__device__ inline bool are_close(const Candidate& a, const Candidate& b, int template_width,
                                 int template_height) {
    return near(a.x, b.x, template_width) && near(a.y, b.y, template_height);
}

// The best of a thread's part of the list that is close to no peak.
__device__ inline Candidate best_of(const int64_t* __restrict__ keys, int count, const Candidate* peaks,
                                    int peak_count, int width, int template_width, int template_height) {
    Candidate best = {ABSENT, 0, 0};
#pragma unroll 8
    for (int i = threadIdx.x; i < count; i += CHOOSERS) {
        const int64_t key = keys[i];
        if (key <= best.key) continue;
        const Candidate found = candidate_of(key, width);
        bool close = false;
        for (int k = 0; k < peak_count; ++k)
            close |= are_close(found, peaks[k], template_width, template_height);
        if (!close) best = found;
    }
    return best;
}

extern "C" __global__ void packed_peaks_choose(const float32_t* __restrict__ scores,
                                               const int64_t* __restrict__ listed_keys, int32_t* listed,
                                               float32_t* __restrict__ peaks, int32_t* __restrict__ boxes,
                                               int height, int width, int template_width, int template_height,
                                               int top, int start, int peak_count, int most_peaks) {
    constexpr int MOST_WARPS = CHOOSERS / 32;
    __shared__ int64_t of_warps[2][MOST_WARPS];
    __shared__ Candidate chosen[MOST_WARPS][32];  // every warp notes them for itself
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, count = *listed;
    chosen[warp][lane].key = ABSENT;
    __syncwarp();
    Candidate own = best_of(listed_keys, count, chosen[warp], 0, width, template_width, template_height);
    for (int rank = 0; rank < peak_count; ++rank) {
        __syncwarp();
        const int64_t of_warp = largest_key(own.key);
        if (lane == 0) of_warps[rank % 2][warp] = of_warp;
        __syncthreads();
        const int64_t best = largest_key(lane < MOST_WARPS ? of_warps[rank % 2][lane] : ABSENT);
        if (best == ABSENT) break;  // for every thread
        const Candidate peak = candidate_of(best, width);
        if (lane == 0) chosen[warp][rank] = peak;
        __syncwarp();
        if (own.key != ABSENT && are_close(own, peak, template_width, template_height))
            own = best_of(listed_keys, count, chosen[warp], rank + 1, width, template_width, template_height);
    }
    __syncthreads();
    if (threadIdx.x == 0) *listed = 0;
    if (threadIdx.x < most_peaks)
        refine(scores, chosen[0][threadIdx.x].key, peaks + 4 * threadIdx.x, boxes + 4 * threadIdx.x, height,
               width, template_width, template_height, top, start);
}
