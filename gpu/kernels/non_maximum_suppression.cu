// Non-maximum suppression.  Computes gpu.reference.non_maximum_suppression.
//
//   non_maximum_suppression_global   neighbours' magnitudes from global memory
//   non_maximum_suppression_shared   the block's magnitudes and a halo of 1, staged once in shared memory
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.

#include "common.cuh"

// What pixels are compared by: magnitudes, or the squares that these are the rounded roots of; 0 outside.
struct Compared {
    const int16_t* __restrict__ gradient_x;
    const int16_t* __restrict__ gradient_y;
    const int32_t* __restrict__ magnitude;
    int height, width;
    bool squares;

    __device__ int operator()(int y, int x) const {
        if (y < 0 || x < 0 || y >= height || x >= width) return 0;
        const uint64_t place = at(y, x, width);
        if (!squares) return magnitude[place];
        const int gx = gradient_x[place], gy = gradient_y[place];
        return gx * gx + gy * gy;
    }
};

// The arithmetic, once; `compared(dy, dx)` is where a variant decides which memory to read.
template <class Value>
__device__ bool is_maximum(Value compared, int direction, bool ties) {
    if (direction == 4) return false;
    const int dy = direction == 0 ? 0 : -1, dx = direction == 3 ? 1 : direction == 2 ? 0 : -1;
    const int here = compared(0, 0), before = compared(dy, dx), after = compared(-dy, -dx);
    const bool tie_counts = ties && direction % 2 == 0;
    return here > before && (here > after || (tie_counts && here == after));
}

extern "C" __global__ void non_maximum_suppression_global(const int16_t* __restrict__ gradient_x,
                                                          const int16_t* __restrict__ gradient_y,
                                                          const int32_t* __restrict__ magnitude,
                                                          const uint8_t* __restrict__ direction,
                                                          int32_t* __restrict__ suppressed, int height,
                                                          int width, int squares, int ties) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t place = at(y, x, width);
    const Compared compared{gradient_x, gradient_y, magnitude, height, width, bool(squares)};
    const auto neighbour = [=](int dy, int dx) { return compared(y + dy, x + dx); };
    suppressed[place] = is_maximum(neighbour, direction[place], ties) ? magnitude[place] : 0;
}

extern "C" __global__ void non_maximum_suppression_shared(const int16_t* __restrict__ gradient_x,
                                                          const int16_t* __restrict__ gradient_y,
                                                          const int32_t* __restrict__ magnitude,
                                                          const uint8_t* __restrict__ direction,
                                                          int32_t* __restrict__ suppressed, int height,
                                                          int width, int squares, int ties) {
    __shared__ int tile[BLOCK_Y + 2][BLOCK_X + 2];
    const Compared compared{gradient_x, gradient_y, magnitude, height, width, bool(squares)};
    const int top = blockIdx.y * BLOCK_Y - 1, first = blockIdx.x * BLOCK_X - 1;
    for (int row = threadIdx.y; row < BLOCK_Y + 2; row += BLOCK_Y)
        for (int column = threadIdx.x; column < BLOCK_X + 2; column += BLOCK_X)
            tile[row][column] = compared(top + row, first + column);
    __syncthreads();  // before any thread leaves: the whole block fills the tile
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t place = at(y, x, width);
    const auto neighbour = [&](int dy, int dx) { return tile[y + dy - top][x + dx - first]; };
    suppressed[place] = is_maximum(neighbour, direction[place], ties) ? magnitude[place] : 0;
}
