// Template statistics.  Computes gpu.reference.template_statistics.
//
// Launch: one block of (BLOCK); a thread sums every BLOCK-th pixel.

#include "common.cuh"

extern "C" __global__ void template_statistics(cudaTextureObject_t left, int64_t* __restrict__ template_sums,
                                               int template_x, int template_y, int template_width,
                                               int template_height) {
    __shared__ uint64_t sums[2];  // unsigned, as atomicAdd is
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    uint64_t total = 0, squares = 0;
    for (int i = threadIdx.x; i < template_width * template_height; i += blockDim.x) {
        const uint32_t grey = texel(left, template_y + i / template_width, template_x + i % template_width);
        total += grey;
        squares += grey * grey;
    }
    atomicAdd(&sums[0], total);
    atomicAdd(&sums[1], squares);
    __syncthreads();
    if (threadIdx.x < 2) template_sums[threadIdx.x] = sums[threadIdx.x];
}
