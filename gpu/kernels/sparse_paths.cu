// Path aggregation along diagonals and in sweeps, of the disparities that tiles search, in packed 16-bit arithmetic.
// Computes gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
//   sparse_paths         along diagonals, all in one launch
//   sparse_paths_sweep   down and up, with two pixels before each: a block a sweep
//
// SLOTS lanes have a pixel, and a block of disparities each; where a tile searches more, they take turns. Lines of a warp
// are in different tiles, and leave them at different steps: so every step reads what the one before stored.
//
// A path that leaves the image sideways enters it again on the other side, as a new path; packed_aggregation does the
// same.
//
// Launch: sparse_paths: block (32), grid (groups of 32 / SLOTS lines, directions), of which `first` is the first;
// sparse_paths_sweep: block (THREADS), grid (sweeps), of which the first leads in direction `dy`. Volumes of `others` come
// first.
// Build: as tiles.cuh says; SLOTS; PATH_COST as for packed_aggregation; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"
#include "sparse_step.cuh"

extern "C" __global__ void sparse_paths(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                                        const uint16_t* __restrict__ tables, uint8_t* volumes, int height,
                                        int width, int disparities, int p1, int p2, int adaptation, int first,
                                        int others) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    const int path = first + blockIdx.y, dx = dx_of(path), dy = dy_of(path);
    const int line = blockIdx.x * (32 / SLOTS) + threadIdx.x / SLOTS;
    const bool exists = line < width;
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + (others + blockIdx.y) * tiles.volume(height);
    int y = dy > 0 ? 0 : height - 1, x = min(line, width - 1);
    uint32_t smallest = 0;
    bool begins = true;
    for (int i = 0; i < height; ++i) {
        const int change = begins ? 0 : abs(left[at(y, x, width)] - left[at(y - dy, x - dx, width)]);
        const uint32_t penalty = large_penalty(p1, p2, adaptation, change);
        smallest =
            step(tiles, costs, volume, tiles.of(y, x), pixel_of(y, x), exists,
                 [&](uint32_t (&path)[WORDS], int block, bool has) {
                     if (begins) {
#pragma unroll
                         for (int k = 0; k < WORDS; ++k)
                             path[k] = 0;
                     } else {
                         Before(tiles, volume, tiles.of(y - dy, x - dx), pixel_of(y - dy, x - dx), block, has)
                             .send(path, smallest, penalty, p1);
                     }
                 });
        __syncwarp();  // what other lanes stored is there
        y += dy;
        x += dx;
        begins = x < 0 || x >= width;
        if (begins) x = x < 0 ? width - 1 : 0;
    }
}

extern "C" __launch_bounds__(THREADS) __global__
    void sparse_paths_sweep(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                            const uint16_t* __restrict__ tables, uint8_t* volumes, uint16_t* minima,
                            int height, int width, int disparities, int p1, int p2, int adaptation,
                            int others, int dy) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + (others + blockIdx.x) * tiles.volume(height);
    minima += 2 * width * blockIdx.x;  // of this row, and of the row before
    if (blockIdx.x > 0) dy = -dy;
    for (int row = 0; row < height; ++row) {
        const int y = dy > 0 ? row : height - 1 - row;
        uint16_t *own = minima + row % 2 * width, *before = minima + (row + 1) % 2 * width;
        for (int start = 0; start < width; start += THREADS / SLOTS) {
            const int column = start + threadIdx.x / SLOTS, x = min(column, width - 1);
            const bool exists = column < width, begins = row == 0 || width == 1;
            const auto message = [&](uint32_t (&path)[WORDS], int block, bool has) {
                uint32_t sent[2][WORDS] = {};
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                    // Where one of the two pixels lies outside the image the other counts twice.
                    const int step = side == 0 ? x > 0 ? -1 : 1 : x < width - 1 ? 1 : -1;
                    if (begins) continue;
                    const int change = abs(left[at(y, x, width)] - left[at(y - dy, x + step, width)]);
                    const uint32_t penalty = large_penalty(p1, p2, adaptation, change);
                    Before(tiles, volume, tiles.of(y - dy, x + step), pixel_of(y - dy, x + step), block, has)
                        .send(sent[side], before[x + step], penalty, p1);
                }
#pragma unroll
                for (int k = 0; k < WORDS; ++k)
                    path[k] = (sent[0][k] + sent[1][k] + 0x10001) >> 1 & 0x7FFF7FFF;
            };
            const uint32_t smallest =
                step(tiles, costs, volume, tiles.of(y, x), pixel_of(y, x), exists, message);
            if (exists && threadIdx.x % SLOTS == 0) own[x] = smallest;
        }
        __syncthreads();  // the row is there
    }
}
