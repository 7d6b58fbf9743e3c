// Which disparities tiles search, from the winners at half size.  Computes the steps of gpu.reference.searched_blocks that
// are not those of a full search.
//
//   searched_blocks_half    both views at half the size
//   searched_blocks_all     every block of every tile
//   searched_blocks_ask     what the winners of the level below ask for
//   searched_blocks_sides   what two opposite neighbours of a tile have
//
// Launch: half: block (BLOCK), one thread a pixel, grid of two layers, one a view; all: one thread a block of a tile;
// ask, sides: a block of THREADS threads a tile.
// Build: as tiles.cuh says; THREADS; MAX_BLOCKS the most blocks of a tile, MARGIN the disparities that are searched
// on both sides of those that a winner stands for.

#include "common.cuh"

extern "C" __global__ void searched_blocks_half(const uint8_t* __restrict__ left,
                                                const uint8_t* __restrict__ right,
                                                uint8_t* __restrict__ half_left,
                                                uint8_t* __restrict__ half_right, int height, int width,
                                                int whole_width) {
    wait_for_previous();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const bool is_left = blockIdx.z == 0;
    const uint8_t* above = (is_left ? left : right) + at(2 * y, 2 * x, whole_width);
    const uint8_t* below = above + whole_width;
    (is_left ? half_left : half_right)[at(y, x, width)] =
        (above[0] + above[1] + below[0] + below[1] + 2) >> 2;
}

extern "C" __global__ void searched_blocks_all(uint8_t* __restrict__ searched, int count) {
    wait_for_previous();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) searched[i] = 1;
}

extern "C" __global__ void searched_blocks_ask(const int16_t* __restrict__ winner,
                                               uint8_t* __restrict__ searched, int height, int width,
                                               int blocks, int first, int min_disparity, int needed,
                                               int reach) {
    wait_for_previous();
    constexpr int SIDE = TILE / 2, MAX_VOTES = MAX_BLOCKS * BLOCK_DISPARITIES / 2 + 16;
    __shared__ int votes[MAX_VOTES], asked[MAX_BLOCKS], most, any;
    const int last = blocks * BLOCK_DISPARITIES - 1;
    const int winners = blocks * BLOCK_DISPARITIES / 2 + 16;  // that the level below can have, at most
    for (int i = threadIdx.x; i < winners; i += THREADS)
        votes[i] = 0;
    for (int i = threadIdx.x; i < blocks; i += THREADS)
        asked[i] = 0;
    if (threadIdx.x == 0) most = any = 0;
    const int top = min(SIDE * int(blockIdx.y), height - SIDE),
              left = min(SIDE * int(blockIdx.x), width - SIDE);
    const int y0 = max(top - reach, 0), y1 = min(top + SIDE + reach, height);
    const int x0 = max(left - reach, 0), x1 = min(left + SIDE + reach, width), columns = x1 - x0;
    __syncthreads();  // all is 0
    for (int i = threadIdx.x; i < (y1 - y0) * columns; i += THREADS)
        atomicAdd(&votes[winner[at(y0 + i / columns, x0 + i % columns, width)]], 1);
    __syncthreads();  // all have voted
    for (int w = threadIdx.x; w < winners; w += THREADS)
        if (votes[w] >= needed) atomicOr(&most, 1);
    __syncthreads();  // whether enough have voted for one
    const int enough = most ? needed : 1;
    for (int w = threadIdx.x; w < winners; w += THREADS) {
        const int d = 2 * (first + w) - min_disparity;
        const int low = max(d - MARGIN, 0), high = min(d + 1 + MARGIN, last);
        if (votes[w] < enough || low > high) continue;
        atomicOr(&any, 1);
        for (int block = low / BLOCK_DISPARITIES; block <= high / BLOCK_DISPARITIES; ++block)
            atomicOr(&asked[block], 1);
    }
    __syncthreads();  // all that is asked for is known
    uint8_t* tile = searched + at(blockIdx.y, blockIdx.x, gridDim.x, blocks);
    for (int i = threadIdx.x; i < blocks; i += THREADS)
        tile[i] = any ? asked[i] : i == blocks - 1;
}

extern "C" __global__ void searched_blocks_sides(const uint8_t* __restrict__ own,
                                                 uint8_t* __restrict__ searched, int blocks) {
    wait_for_previous();
    const int i = blockIdx.x, j = blockIdx.y, columns = gridDim.x, rows = gridDim.y;
    const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int b = threadIdx.x; b < blocks; b += THREADS) {
        int found = own[at(j, i, columns, blocks) + b];
        for (int k = 0; k < 4; ++k) {
            const int dy = steps[k][0], dx = steps[k][1];
            const bool inside = j >= dy && j + dy < rows && i >= abs(dx) && i + abs(dx) < columns;
            if (inside)
                found |= own[at(j + dy, i + dx, columns, blocks) + b] &
                         own[at(j - dy, i - dx, columns, blocks) + b];
        }
        searched[at(j, i, columns, blocks) + b] = found;
    }
}
