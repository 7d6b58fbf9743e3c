// Horizontal gradient.  Computes gpu.reference.horizontal_gradient, for one view.
//
//   horizontal_gradient_global    every neighbour from global memory, its coordinates clamped by arithmetic
//   horizontal_gradient_texture   through the texture, whose addressing clamps
//
// Launch: block (BLOCK), one thread a pixel.
// Build: REACH is the largest gradient; larger ones count as that.

#include "common.cuh"
#include "slope.cuh"

extern "C" __global__ void horizontal_gradient_global(const uint8_t* __restrict__ image,
                                                      uint8_t* __restrict__ gradient, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    gradient[at(y, x, width)] = slope([=](int dy, int dx) -> int {
        return image[at(clamp(y + dy, 0, height - 1), clamp(x + dx, 0, width - 1), width)];
    });
}

extern "C" __global__ void horizontal_gradient_texture(cudaTextureObject_t image,
                                                       uint8_t* __restrict__ gradient, int height,
                                                       int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    gradient[at(y, x, width)] = slope([=](int dy, int dx) { return texel(image, y + dy, x + dx); });
}
