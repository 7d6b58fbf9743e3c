// Census transform.  Computes gpu.reference.census_transform, for one view.
//
//   census_transform_global    every neighbour from global memory, its coordinates clamped by arithmetic
//   census_transform_texture   through the texture: its cache suits neighbourhoods, its addressing clamps
//
// Launch: block (BLOCK), one thread a pixel.
// Build: PAIRS is the kind of window: checkerboard, mean, symmetric, ring or ring_symmetric.

#include "common.cuh"
#include "census.cuh"

extern "C" __global__ void census_transform_global(const uint8_t* __restrict__ image,
                                                   uint32_t* __restrict__ words, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    words[at(y, x, width)] = PAIRS([=](int dy, int dx) -> int {
        return image[at(clamp(y + dy, 0, height - 1), clamp(x + dx, 0, width - 1), width)];
    });
}

extern "C" __global__ void census_transform_texture(cudaTextureObject_t image, uint32_t* __restrict__ words,
                                                    int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    words[at(y, x, width)] = PAIRS([=](int dy, int dx) { return texel(image, y + dy, x + dx); });
}
