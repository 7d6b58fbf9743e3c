// Intensity normalization.  Computes gpu.reference.intensity_normalization.
//
//   intensity_normalization_begin     no peak yet
//   intensity_normalization_peak      a block's largest value in shared memory, then one atomic a block
//   intensity_normalization_stretch   every value by the peak
//
// Launch: begin: one thread; peak: block (BLOCK), at most BLOCKS blocks share the pixels; stretch: block
// (BLOCK), one thread a pixel.

#include "common.cuh"

extern "C" __global__ void intensity_normalization_begin(int32_t* __restrict__ peak) { *peak = 0; }

extern "C" __global__ void intensity_normalization_peak(const uint16_t* __restrict__ smoothed,
                                                        int32_t* __restrict__ peak, int count) {
    __shared__ int largest;
    if (threadIdx.x == 0) largest = 0;
    __syncthreads();  // before any thread adds its own
    int value = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        value = max(value, int(smoothed[i]));
    atomicMax(&largest, value);
    __syncthreads();  // all have
    if (threadIdx.x == 0) atomicMax(peak, largest);
}

extern "C" __global__ void intensity_normalization_stretch(const uint16_t* __restrict__ smoothed,
                                                           const int32_t* __restrict__ peak,
                                                           uint8_t* __restrict__ blurred, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) blurred[i] = 255 * smoothed[i] / max(*peak, 1);
}
