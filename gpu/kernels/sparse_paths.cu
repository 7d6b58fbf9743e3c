// Path aggregation of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
//   sparse_paths         along lines of pixels, all directions in one launch
//   sparse_paths_sweep   down and up, with two pixels before each: a block a sweep
//
// SLOTS lanes have a pixel, and a block of disparities each; where a tile searches more, they take turns. What comes from
// the pixel before is read where it was stored: so it does not matter whether both lie in one tile, nor which blocks
// their tiles search.
//
// A path that leaves the image sideways enters it again on the other side, as a new path; packed_aggregation does the
// same.
//
// Launch: sparse_paths: block (32), grid (groups of 32 / SLOTS lines, directions), of which `first` is the first;
// sparse_paths_sweep: block (THREADS), grid (sweeps), of which the first leads in direction `dy`, and whose volumes follow
// those of `others`.
// Build: as tiles.cuh says; SLOTS; PATH_COST as for packed_aggregation; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"

// The path costs of a block at the pixel before, and those of the disparities below and above it; NEVER those that are
// not searched there.
struct Before {
    uint32_t path[WORDS], below, above;

    __device__ Before(const Tiles& tiles, const PATH_COST* volume, int y, int x, int block, bool exists) {
        const int tile = tiles.of(y, x), none = NO_SLOT;
        const int own = exists ? tiles.slot(tile, block) : none;
        const int low = exists ? tiles.slot(tile, block - 1) : none;
        const int high = exists ? tiles.slot(tile, block + 1) : none;
#pragma unroll
        for (int k = 0; k < WORDS; ++k)
            path[k] = NEVER_TWICE;
        if (own != none) load(path, volume + tiles.place(tile, own, y, x));
        below = low == none ? NEVER : volume[tiles.place(tile, low, y, x) + BLOCK_DISPARITIES - 1];
        above = high == none ? NEVER : volume[tiles.place(tile, high, y, x)];
    }

    // The message to the next pixel: without a jump, and with it. `smallest` is that of all path costs here.
    __device__ void send(uint32_t (&message)[WORDS], uint32_t smallest, uint32_t penalty, uint32_t p1) const {
        uint32_t moved[WORDS];  // by one disparity
#pragma unroll
        for (int k = 0; k < WORDS; ++k)
            moved[k] = path[k] + p1 * 0x10001;
        const uint32_t before = __byte_perm(moved[WORDS - 1], below + p1, 0x1054);
        const uint32_t after = __byte_perm(moved[0], above + p1, 0x5432);
        const uint32_t jump = (smallest + penalty) * 0x10001;
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            const uint32_t near = __vimin3_u16x2(path[k], k == 0 ? before : moved[(k + WORDS - 1) % WORDS],
                                                 k + 1 == WORDS ? after : moved[(k + 1) % WORDS]);
            message[k] = __vminu2(near, jump) - smallest * 0x10001;
        }
    }
};

// The smallest of a pixel's path costs, from those of its lanes, each half by itself.
__device__ inline uint32_t least_of_pixel(uint32_t least) {
    least = of_pixel<SLOTS>(least);
    return min(least & 0xFFFF, least >> 16);
}

// A pixel's step: the path costs of all blocks that its tile searches. `message(words, block, exists)` tells what comes
// from the pixels before it. The whole warp must call. Returns the smallest.
template <class Message>
__device__ uint32_t step(const Tiles& tiles, const uint8_t* costs, PATH_COST* volume, int y, int x,
                         bool exists, Message message) {
    const int tile = tiles.of(y, x), count = exists ? tiles.count(tile) : 0;
    uint32_t least = NEVER_TWICE;
    for (int slot = threadIdx.x % SLOTS; __any_sync(ALL, slot < count); slot += SLOTS) {
        const bool has = slot < count;
        const int block = has ? tiles.block(tile, slot) : 0;
        uint32_t path[WORDS], matched[WORDS];
        message(path, block, has);
        if (!has) continue;
        const uint64_t place = tiles.place(tile, slot, y, x);
        load(matched, costs + place);
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            path[k] += matched[k];
            least = __vminu2(least, path[k]);
        }
        store(volume + place, path);
    }
    return least_of_pixel(least);
}

extern "C" __global__ void sparse_paths(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                                        const uint16_t* __restrict__ tables, uint8_t* volumes, int height,
                                        int width, int disparities, int p1, int p2, int adaptation,
                                        int first) {
    wait_for_previous();
    const Tiles tiles(tables, width, disparities);
    const int path = first + blockIdx.y, dx = dx_of(path), dy = dy_of(path);
    const int lines = dy == 0 ? height : width, steps = dy == 0 ? width : height;
    const int line = blockIdx.x * (32 / SLOTS) + threadIdx.x / SLOTS;
    const bool exists = line < lines;
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + blockIdx.y * tiles.volume(height);
    int y = dy == 0 ? min(line, lines - 1) : dy > 0 ? 0 : height - 1;
    int x = dy == 0 ? (dx > 0 ? 0 : width - 1) : min(line, lines - 1);
    uint32_t smallest = 0;
    bool begins = true;
    for (int i = 0; i < steps; ++i) {
        const int change = begins ? 0 : abs(left[at(y, x, width)] - left[at(y - dy, x - dx, width)]);
        const uint32_t penalty = large_penalty(p1, p2, adaptation, change);
        smallest =
            step(tiles, costs, volume, y, x, exists, [&](uint32_t (&path)[WORDS], int block, bool has) {
                if (begins) {
#pragma unroll
                    for (int k = 0; k < WORDS; ++k)
                        path[k] = 0;
                } else {
                    Before(tiles, volume, y - dy, x - dx, block, has).send(path, smallest, penalty, p1);
                }
            });
        __syncwarp();  // what other lanes stored is there
        y += dy;
        x += dx;
        begins = dy != 0 && (x < 0 || x >= width);
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
                    Before(tiles, volume, y - dy, x + step, block, has)
                        .send(sent[side], before[x + step], penalty, p1);
                }
#pragma unroll
                for (int k = 0; k < WORDS; ++k)
                    path[k] = (sent[0][k] + sent[1][k] + 0x10001) >> 1 & 0x7FFF7FFF;
            };
            const uint32_t smallest = step(tiles, costs, volume, y, x, exists, message);
            if (exists && threadIdx.x % SLOTS == 0) own[x] = smallest;
        }
        __syncthreads();  // the row is there
    }
}
