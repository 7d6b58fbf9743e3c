// Find peaks in two launches.  Computes gpu.reference.find_peaks.
//
//   packed_peaks_list      which pixels can be a peak
//   packed_peaks_choose    the best of them that lie apart, their place and box; empties the list
//
// The list has room for a pixel in every four: of the pixels of a square of 2 x 2, one beats the others.
//
// Launch: packed_peaks_list: one-dimensional blocks of (THREADS), eight pixels a thread, of the image as one row.
//         packed_peaks_choose: one block of (CHOOSERS). `listed` is 0 before the first frame.

#include "common.cuh"
#include "peaks.cuh"

constexpr int TOGETHER = 4, TURNS = 2;  // pixels that a thread asks for at once, and how often
constexpr int HELD = 4096;              // keys in shared memory; more stay in the list
constexpr int WARPS = CHOOSERS / 32;

extern "C" __global__ void packed_peaks_list(const float32_t* __restrict__ scores,
                                             int64_t* __restrict__ listed_keys, int32_t* listed, int height,
                                             int width, float threshold) {
    __shared__ int64_t keys[THREADS * TOGETHER * TURNS];
    __shared__ int count, begin;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const uint64_t pixels = uint64_t(height) * width;
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
        const uint64_t first = ((uint64_t(blockIdx.x) * TURNS + turn) * THREADS + threadIdx.x) * TOGETHER;
        uint32_t bits[TOGETHER] = {};
        if (first + TOGETHER <= pixels) {
            const uint4 four = *reinterpret_cast<const uint4*>(scores + first);
            bits[0] = four.x, bits[1] = four.y, bits[2] = four.z, bits[3] = four.w;
        } else
            for (int k = 0; k < TOGETHER && first + k < pixels; ++k)
                bits[k] = __float_as_int(scores[first + k]);
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (first + k < pixels && __int_as_float(bits[k]) >= threshold &&
                is_highest(scores, (first + k) / width, (first + k) % width, height, width))
                keys[atomicAdd(&count, 1)] = key_of(__int_as_float(bits[k]), first + k);
    }
    __syncthreads();
    if (threadIdx.x == 0 && count > 0) begin = atomicAdd(listed, count);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += THREADS)
        listed_keys[begin + i] = keys[i];
}

__device__ inline int64_t larger_of_warp(int64_t key) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const uint64_t high = uint32_t(__shfl_xor_sync(0xFFFFFFFF, int(key >> 32), offset));
        const uint32_t low = __shfl_xor_sync(0xFFFFFFFF, int(key), offset);
        key = max(key, int64_t(high << 32 | low));
    }
    return key;
}

// The largest key of those in `keys` that are not close to a place, whose own keys become ABSENT; of all, if there
// is no such place. The same threads look at the same keys every time.
__device__ inline int64_t best_of(int64_t* keys, int count, int64_t chosen, int width, int template_width,
                                  int template_height) {
    int64_t best = ABSENT;
    for (int i = threadIdx.x; i < count; i += CHOOSERS) {
        const int64_t key = keys[i];
        if (key == ABSENT) continue;
        if (chosen != ABSENT &&
            are_close(place_of(key), place_of(chosen), width, template_width, template_height))
            keys[i] = ABSENT;
        else
            best = max(best, key);
    }
    __syncwarp();
    return best;
}

extern "C" __global__ void packed_peaks_choose(const float32_t* __restrict__ scores, int64_t* listed_keys,
                                               int32_t* listed, float32_t* __restrict__ peaks,
                                               int32_t* __restrict__ boxes, int height, int width,
                                               int template_width, int template_height, int top, int start,
                                               int peak_count, int most_peaks) {
    __shared__ int64_t held[HELD], of_warps[2][WARPS], chosen[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, count = *listed;
    int64_t* keys = count <= HELD ? held : listed_keys;
    if (count <= HELD)
        for (int i = threadIdx.x; i < count; i += CHOOSERS)
            held[i] = listed_keys[i];
    if (warp == 0) chosen[lane] = ABSENT;
    int64_t best = ABSENT;
    for (int rank = 0; rank < peak_count; ++rank) {
        const int64_t own = best_of(keys, count, best, width, template_width, template_height);
        const int64_t of_warp = larger_of_warp(own);
        if (lane == 0) of_warps[rank % 2][warp] = of_warp;
        __syncthreads();
        best = larger_of_warp(lane < WARPS ? of_warps[rank % 2][lane] : ABSENT);
        if (best == ABSENT) break;  // for every thread
        if (threadIdx.x == 0) chosen[rank] = best;
    }
    __syncthreads();
    if (threadIdx.x == 0) *listed = 0;
    if (threadIdx.x < most_peaks)
        refine(scores, chosen[threadIdx.x], peaks + 4 * threadIdx.x, boxes + 4 * threadIdx.x, height, width,
               template_width, template_height, top, start);
}
