// Gradient.  Computes gpu.reference.gradient.
//
//   gradient_global    every neighbour from global memory
//   gradient_texture   through the texture, whose addressing repeats the edge
//   gradient_shared    the block's pixels and a halo of half the aperture, staged once in shared memory
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.
// Build: APERTURE is 3, 5 or 7, SMOOTHING and DERIVATIVE are its Sobel weights, PIXEL an element of the image.

#include "common.cuh"

#define RADIUS (APERTURE / 2)
#define TAN_22_5 13573  // in 1/32768
#define UNIT (APERTURE == 7 ? 16 : 1)

// A sixteenth, rounded to the nearest integer, halves to even.
__device__ inline int sixteenth(int value) {
    const int rounded = (value + 8) >> 4;
    return (value & 15) == 8 && (rounded & 1) ? rounded - 1 : rounded;
}

// The label of a direction.
__device__ inline int sector(int gx, int gy) {
    if (gx == 0 && gy == 0) return 4;
    const int down = abs(gy) << 15, flat = abs(gx) * TAN_22_5;
    if (down < flat) return 0;
    if (down > flat + (abs(gx) << 16)) return 2;
    return (gx ^ gy) < 0 ? 3 : 1;
}

// Root of a sum of squares, rounded up or down. Squares of aperture 3 sum to less than 2^24, which float holds,
// and no root that is not whole lies so close to a whole number that float cannot tell them apart.
__device__ inline int root(int64_t squares, bool up) {
    if (APERTURE == 3) {
        const float exact = __fsqrt_rn(float(squares));
        return up ? ceilf(exact) : floorf(exact);
    }
    const double exact = __dsqrt_rn(double(squares));
    return up ? ceil(exact) : floor(exact);
}

// What a thread writes; `framed`: pixels on the edge of the image have no gradient, and roots are rounded down.
struct Gradient {
    int16_t* __restrict__ x;
    int16_t* __restrict__ y;
    int32_t* __restrict__ magnitude;
    uint8_t* __restrict__ direction;
    bool squared, framed;
    int sign_x, sign_y;

    // The arithmetic, once; `pixel(dy, dx)` is where a variant decides which memory to read.
    template <class Pixel>
    __device__ void write(uint64_t place, bool on_edge, Pixel pixel) const {
        const int smoothing[] = {SMOOTHING}, derivative[] = {DERIVATIVE};
        int gx = 0, gy = 0;
#pragma unroll
        for (int i = 0; i < APERTURE; ++i)
#pragma unroll
            for (int j = 0; j < APERTURE; ++j) {
                const int grey = pixel(i - RADIUS, j - RADIUS);
                gx += smoothing[i] * derivative[j] * grey;
                gy += derivative[i] * smoothing[j] * grey;
            }
        if (APERTURE == 7) gx = sixteenth(gx), gy = sixteenth(gy);
        if (framed && on_edge) gx = gy = 0;
        const int64_t squares = int64_t(gx) * gx + int64_t(gy) * gy;
        x[place] = sign_x * gx;
        y[place] = sign_y * gy;
        magnitude[place] = squared ? root(squares * UNIT * UNIT, !framed) : UNIT * (abs(gx) + abs(gy));
        direction[place] = sector(gx, gy);
    }
};

__device__ inline bool on_edge(int y, int x, int height, int width) {
    return y == 0 || x == 0 || y == height - 1 || x == width - 1;
}

extern "C" __global__ void gradient_global(const PIXEL* __restrict__ blurred,
                                           int16_t* __restrict__ gradient_x, int16_t* __restrict__ gradient_y,
                                           int32_t* __restrict__ magnitude, uint8_t* __restrict__ direction,
                                           int height, int width, int squared, int framed, int sign_x,
                                           int sign_y) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Gradient gradient{gradient_x,    gradient_y,   magnitude, direction,
                            bool(squared), bool(framed), sign_x,    sign_y};
    gradient.write(at(y, x, width), on_edge(y, x, height, width), [=](int dy, int dx) -> int {
        return blurred[at(clamp(y + dy, 0, height - 1), clamp(x + dx, 0, width - 1), width)];
    });
}

extern "C" __global__ void gradient_texture(cudaTextureObject_t blurred, int16_t* __restrict__ gradient_x,
                                            int16_t* __restrict__ gradient_y, int32_t* __restrict__ magnitude,
                                            uint8_t* __restrict__ direction, int height, int width,
                                            int squared, int framed, int sign_x, int sign_y) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Gradient gradient{gradient_x,    gradient_y,   magnitude, direction,
                            bool(squared), bool(framed), sign_x,    sign_y};
    gradient.write(at(y, x, width), on_edge(y, x, height, width),
                   [=](int dy, int dx) { return texel(blurred, y + dy, x + dx); });
}

extern "C" __global__ void gradient_shared(const PIXEL* __restrict__ blurred,
                                           int16_t* __restrict__ gradient_x, int16_t* __restrict__ gradient_y,
                                           int32_t* __restrict__ magnitude, uint8_t* __restrict__ direction,
                                           int height, int width, int squared, int framed, int sign_x,
                                           int sign_y) {
    __shared__ uint8_t tile[BLOCK_Y + 2 * RADIUS][BLOCK_X + 2 * RADIUS];
    const int top = blockIdx.y * BLOCK_Y - RADIUS, first = blockIdx.x * BLOCK_X - RADIUS;
    for (int row = threadIdx.y; row < BLOCK_Y + 2 * RADIUS; row += BLOCK_Y)
        for (int column = threadIdx.x; column < BLOCK_X + 2 * RADIUS; column += BLOCK_X)
            tile[row][column] =
                blurred[at(clamp(top + row, 0, height - 1), clamp(first + column, 0, width - 1), width)];
    __syncthreads();  // before any thread leaves: the whole block fills the tile
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Gradient gradient{gradient_x,    gradient_y,   magnitude, direction,
                            bool(squared), bool(framed), sign_x,    sign_y};
    gradient.write(at(y, x, width), on_edge(y, x, height, width),
                   [&](int dy, int dx) -> int { return tile[y + dy - top][x + dx - first]; });
}
