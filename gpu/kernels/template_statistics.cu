// Template statistics.  Computes gpu.reference.template_statistics.
//
//   template_statistics_texture    the image through a texture
//   template_statistics_global     the image from global memory
//
// Launch: one block of (BLOCK); a thread sums every BLOCK-th pixel.

#include "common.cuh"

// The sums, once; `pixel(row, column)` is where a variant decides which memory to read.
template <class Pixel>
__device__ void sum_template(Pixel pixel, int64_t* template_sums, int template_width, int template_height) {
    __shared__ uint64_t sums[2];  // unsigned, as atomicAdd is
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    uint64_t total = 0, squares = 0;
    for (int i = threadIdx.x; i < template_width * template_height; i += blockDim.x) {
        const uint32_t grey = pixel(i / template_width, i % template_width);
        total += grey;
        squares += grey * grey;
    }
    atomicAdd(&sums[0], total);
    atomicAdd(&sums[1], squares);
    __syncthreads();
    if (threadIdx.x < 2) template_sums[threadIdx.x] = sums[threadIdx.x];
}

extern "C" __global__ void template_statistics_texture(cudaTextureObject_t left,
                                                       int64_t* __restrict__ template_sums, int template_x,
                                                       int template_y, int template_width,
                                                       int template_height) {
    sum_template([=](int row, int column) { return texel(left, template_y + row, template_x + column); },
                 template_sums, template_width, template_height);
}

extern "C" __global__ void template_statistics_global(const uint8_t* __restrict__ left,
                                                      int64_t* __restrict__ template_sums, int width,
                                                      int template_x, int template_y, int template_width,
                                                      int template_height) {
    sum_template([=](int row, int column) { return left[at(template_y + row, template_x + column, width)]; },
                 template_sums, template_width, template_height);
}
