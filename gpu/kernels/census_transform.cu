// Census transform.  Computes gpu.reference.census_transform, for one view.
//
//   census_transform_global    every neighbour from global memory, its coordinates clamped by arithmetic
//   census_transform_texture   through the texture: its cache suits neighbourhoods, its addressing clamps
//
// Launch: block (BLOCK), one thread a pixel.
// Build: PAIRS is the kind of window: checkerboard, symmetric or ring.

#include "common.cuh"

// The arithmetic, once a window; `pixel(dy, dx)` is where a variant decides which memory to read.
template <class Pixel>
__device__ uint32_t checkerboard(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -4; dx <= 4; ++dx)
            if ((dy + dx) % 2 != 0) word = word << 1 | (center > pixel(dy, dx));
    return word;
}

template <class Pixel>
__device__ uint32_t symmetric(Pixel pixel) {
    uint32_t word = 0;
    for (int dy = -3; dy <= 0; ++dy)
        for (int dx = -4; dx <= 4; ++dx)
            if (dy < 0 || dx < 0) word = word << 1 | (pixel(dy, dx) > pixel(-dy, -dx));
    return word;
}

template <class Pixel>
__device__ uint32_t ring(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            if (dy != 0 || dx != 0) word = word << 1 | (center > pixel(dy, dx));
    for (int dy = -3; dy <= 3; dy += 3)
        for (int dx = -4; dx <= 4; dx += 4)
            if (dy != 0 || dx != 0) word = word << 1 | (center > pixel(dy, dx));
    return word;
}

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
