// Rectify a view by its map.  Computes gpu.reference.rectify, one view a launch.
//
//   rectify_global     four taps from global memory
//   rectify_texture    four taps through the texture, point sampled: the unit's own interpolation rounds
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel; a pixel is a word of four channels.

#include "common.cuh"
#include "rectify.cuh"

extern "C" __global__ void rectify_global(const uint8_t* __restrict__ raw, const int16_t* __restrict__ map,
                                          uint8_t* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto tap = [=](int row, int column) { return words(raw)[row * width + column]; };
    words(out)[at(y, x, width)] = rectified(tap, places(map)[at(y, x, width)], y, x, height, width);
}

extern "C" __global__ void rectify_texture(cudaTextureObject_t raw, const int16_t* __restrict__ map,
                                           uint8_t* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto tap = [=](int row, int column) -> uint32_t {
        const uchar4 pixel = tex2D<uchar4>(raw, column + 0.5f, row + 0.5f);
        return pixel.x | pixel.y << 8 | pixel.z << 16 | uint32_t(pixel.w) << 24;
    };
    words(out)[at(y, x, width)] = rectified(tap, places(map)[at(y, x, width)], y, x, height, width);
}
