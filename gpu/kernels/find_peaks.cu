// Find peaks.  Computes gpu.reference.find_peaks.
//
//   find_peaks_begin    no peak is known
//   find_peaks_next     the best pixel that is not too close to a better peak
//   find_peaks_refine   place, score and box of every peak
//
// Launch: find_peaks_next: block (BLOCK), one thread a pixel, once for each peak; the rank of the peak is given.
//         The others: one block, one thread a peak.

#include "common.cuh"
#include "peaks.cuh"

__device__ bool is_close(const int64_t* peak_keys, int rank, int y, int x, int width, int template_width,
                         int template_height) {
    for (int k = 0; k < rank; ++k)
        if (are_close(place_of(peak_keys[k]), y * width + x, width, template_width, template_height))
            return true;
    return false;
}

extern "C" __global__ void find_peaks_begin(int64_t* __restrict__ peak_keys) {
    peak_keys[threadIdx.x] = ABSENT;
}

extern "C" __global__ void find_peaks_next(const float32_t* __restrict__ scores, int64_t* peak_keys,
                                           int height, int width, int template_width, int template_height,
                                           int rank, float threshold) {
    __shared__ int64_t best;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (threadIdx.x == 0 && threadIdx.y == 0) best = ABSENT;
    __syncthreads();
    if (x < width && y < height && scores[at(y, x, width)] >= threshold &&
        is_highest(scores, y, x, height, width) &&
        !is_close(peak_keys, rank, y, x, width, template_width, template_height))
        atomicMax(&best, key_of(scores[at(y, x, width)], at(y, x, width)));
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && best != ABSENT) atomicMax(&peak_keys[rank], best);
}

extern "C" __global__ void find_peaks_refine(const float32_t* __restrict__ scores,
                                             const int64_t* __restrict__ peak_keys,
                                             float32_t* __restrict__ peaks, int32_t* __restrict__ boxes,
                                             int height, int width, int template_width, int template_height,
                                             int top, int start) {
    refine(scores, peak_keys[threadIdx.x], peaks + 4 * threadIdx.x, boxes + 4 * threadIdx.x, height, width,
           template_width, template_height, top, start);
}
