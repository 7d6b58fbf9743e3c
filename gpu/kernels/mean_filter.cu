// Mean filter.  Computes gpu.reference.mean_filter.
//
//   mean_filter_global     the window by a loop, every pixel from global memory
//   mean_filter_unrolled   as global, the loop written out: no counting, and offsets known to the compiler
//   mean_filter_texture    as global, through the texture: its cache suits neighbourhoods
//   mean_filter_shared     as unrolled, the block's pixels and a halo of RADIUS staged once in shared memory
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.
// Build: CONVENTION is opencv or blog, RADIUS the radius of the kernels that take none.

#include "common.cuh"
#include "mirror.cuh"
#include "window.cuh"

#define WINDOW (2 * RADIUS + 1)

// How a mean is rounded, and whether windows that leave the image have one; otherwise theirs is 0.
struct opencv {
    static const bool mirrors = true;
    static __device__ int mean(int sum, int area) { return (sum + area / 2) / area; }
};

struct blog {
    static const bool mirrors = false;
    static __device__ int mean(int sum, int area) { return sum / area; }
};

// The arithmetic, once; `pixel(y, x)` is where a variant decides which memory to read. UNROLL is how many
// turns of each loop are written out.
template <int UNROLL, class Pixel>
__device__ int window_mean(Pixel pixel, int y, int x, int radius) {
    int sum = 0;
#pragma unroll UNROLL
    for (int dy = -radius; dy <= radius; ++dy)
#pragma unroll UNROLL
        for (int dx = -radius; dx <= radius; ++dx)
            sum += pixel(y + dy, x + dx);
    return CONVENTION::mean(sum, (2 * radius + 1) * (2 * radius + 1));
}

// The mean at any pixel, where `pixel` reads the image alone. The border's loop stays one in every variant:
// written out it would take more code than all the rest, for few pixels.
template <int UNROLL, class Pixel>
__device__ int mean_at(Pixel pixel, int y, int x, int height, int width, int radius) {
    if (inside(y, x, height, width, radius)) return window_mean<UNROLL>(pixel, y, x, radius);
    if (!CONVENTION::mirrors) return 0;
    const auto mirrored = [=](int row, int column) {
        return pixel(reflected(row, height), reflected(column, width));
    };
    return window_mean<1>(mirrored, y, x, radius);
}

extern "C" __global__ void mean_filter_global(const uint8_t* __restrict__ left, uint8_t* __restrict__ mean,
                                              int height, int width, int radius) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [=](int row, int column) -> int { return left[at(row, column, width)]; };
    mean[at(y, x, width)] = mean_at<1>(pixel, y, x, height, width, radius);
}

extern "C" __global__ void mean_filter_unrolled(const uint8_t* __restrict__ left, uint8_t* __restrict__ mean,
                                                int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [=](int row, int column) -> int { return left[at(row, column, width)]; };
    mean[at(y, x, width)] = mean_at<WINDOW>(pixel, y, x, height, width, RADIUS);
}

extern "C" __global__ void mean_filter_texture(cudaTextureObject_t left, uint8_t* __restrict__ mean,
                                               int height, int width, int radius) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [=](int row, int column) { return texel(left, row, column); };
    mean[at(y, x, width)] = mean_at<1>(pixel, y, x, height, width, radius);
}

extern "C" __global__ void mean_filter_shared(const uint8_t* __restrict__ left, uint8_t* __restrict__ mean,
                                              int height, int width) {
    __shared__ uint8_t tile[BLOCK_Y + 2 * RADIUS][BLOCK_X + 2 * RADIUS];
    const int top = blockIdx.y * BLOCK_Y - RADIUS, first = blockIdx.x * BLOCK_X - RADIUS;
    fill_tile(tile, left, top, first, height, width, RADIUS);
    __syncthreads();  // before any thread leaves: the whole block fills the tile
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto pixel = [&](int row, int column) -> int { return tile[row - top][column - first]; };
    const bool has_mean = CONVENTION::mirrors || inside(y, x, height, width, RADIUS);
    mean[at(y, x, width)] = has_mean ? window_mean<WINDOW>(pixel, y, x, RADIUS) : 0;
}
