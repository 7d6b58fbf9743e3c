// Gaussian filter.  Computes gpu.reference.gaussian_filter.
//
//   gaussian_filter_weights   puts weights, which the host computed, where the other kernels read them
//   gaussian_filter_global    every pixel of the window from global memory
//   gaussian_filter_texture   through the texture: its cache suits neighbourhoods
//   gaussian_filter_shared    the block's pixels and a halo as wide as the window reaches, staged once in shared
//                             memory: a narrower one gives wrong results along every edge of a tile
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel; gaussian_filter_weights: block (25).
// Build: CONVENTION is opencv, aveiro_2015 or aveiro_2025, MAX_RADIUS the largest radius.

#include "common.cuh"
#include "mirror.cuh"
#include "window.cuh"

// How a window is read, its sum rounded, and whether the image goes on beyond its edges; if not, windows that
// leave it give 0. In opencv all products and sums are whole numbers below 2^24, so float holds them exactly.
struct opencv {
    static const bool mirrors = true;
    static const int step = 1;
    static __device__ int rounded(float sum) { return (int(sum) + 32768) >> 16; }
};

struct aveiro_2015 {
    static const bool mirrors = false;
    static const int step = 1;  // from the window's top left pixel on
    static __device__ int rounded(float sum) { return int(sum); }
};

struct aveiro_2025 {
    static const bool mirrors = false;
    static const int step = -1;  // from its bottom right pixel on
    static __device__ int rounded(float sum) { return int(sum); }
};

// The arithmetic, once; `pixel(y, x)` is where a variant decides which memory to read. Product and sum are
// rounded one after the other: a fused multiply-add would change single pixels.
template <class Pixel>
__device__ int weighted_sum(Pixel pixel, int y, int x, const float* weights, int radius) {
    float sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            const float weight = weights[abs(dy) * (radius + 1) + abs(dx)];
            const float grey = pixel(y + CONVENTION::step * dy, x + CONVENTION::step * dx);
            sum = __fadd_rn(sum, __fmul_rn(grey, weight));
        }
    return CONVENTION::rounded(sum);
}

// The sum at any pixel, where `pixel` reads the image alone.
template <class Pixel>
__device__ int smoothed_at(Pixel pixel, int y, int x, int height, int width, const float* weights,
                           int radius) {
    if (inside(y, x, height, width, radius)) return weighted_sum(pixel, y, x, weights, radius);
    if (!CONVENTION::mirrors) return 0;
    const auto mirrored = [=](int row, int column) {
        return pixel(reflected(row, height), reflected(column, width));
    };
    return weighted_sum(mirrored, y, x, weights, radius);
}

extern "C" __global__ void gaussian_filter_weights(float32_t* __restrict__ weights, int first, int count,
                                                   float w0, float w1, float w2, float w3, float w4, float w5,
                                                   float w6, float w7, float w8, float w9, float w10,
                                                   float w11, float w12, float w13, float w14, float w15,
                                                   float w16, float w17, float w18, float w19, float w20,
                                                   float w21, float w22, float w23, float w24) {
    const float values[] = {w0,  w1,  w2,  w3,  w4,  w5,  w6,  w7,  w8,  w9,  w10, w11, w12,
                            w13, w14, w15, w16, w17, w18, w19, w20, w21, w22, w23, w24};
    if (threadIdx.x < count) weights[first + threadIdx.x] = values[threadIdx.x];
}

extern "C" __global__ void gaussian_filter_global(const uint8_t* __restrict__ left,
                                                  const float32_t* __restrict__ weights,
                                                  uint16_t* __restrict__ smoothed, int height, int width,
                                                  int radius) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [=](int row, int column) -> int { return left[at(row, column, width)]; };
    smoothed[at(y, x, width)] = smoothed_at(pixel, y, x, height, width, weights, radius);
}

extern "C" __global__ void gaussian_filter_texture(cudaTextureObject_t left,
                                                   const float32_t* __restrict__ weights,
                                                   uint16_t* __restrict__ smoothed, int height, int width,
                                                   int radius) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [=](int row, int column) { return texel(left, row, column); };
    smoothed[at(y, x, width)] = smoothed_at(pixel, y, x, height, width, weights, radius);
}

extern "C" __global__ void gaussian_filter_shared(const uint8_t* __restrict__ left,
                                                  const float32_t* __restrict__ weights,
                                                  uint16_t* __restrict__ smoothed, int height, int width,
                                                  int radius) {
    __shared__ uint8_t tile[BLOCK_Y + 2 * MAX_RADIUS][BLOCK_X + 2 * MAX_RADIUS];
    const int top = blockIdx.y * BLOCK_Y - radius, first = blockIdx.x * BLOCK_X - radius;
    fill_tile(tile, left, top, first, height, width, radius);
    __syncthreads();  // before any thread leaves: the whole block fills the tile
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [&](int row, int column) -> int { return tile[row - top][column - first]; };
    const bool has_sum = CONVENTION::mirrors || inside(y, x, height, width, radius);
    smoothed[at(y, x, width)] = has_sum ? weighted_sum(pixel, y, x, weights, radius) : 0;
}
