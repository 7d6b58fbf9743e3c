// Hysteresis within blocks of tiles: keeps what is connected with a strong pixel within its tile, and numbers the
// sets of what is not, as far as they reach a side of the tile, since only there they may go on.
//
// A warp has a tile in its registers. Sets are told apart without a label a pixel: from stretches of pixels along
// the sides the tile is flooded, from several at once, each by itself; what a flood reaches is a set. Sides are
// then looked through for stretches that none has reached. The sets of a block's tiles are joined in shared memory.
//
// Launch: block (32 * TILES), a warp a tile; grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, MOST_SETS how many sets a tile has at most.

#include "common.cuh"
#include "bits.cuh"
#include "side_sets.cuh"

constexpr int FLOODS = 4;  // at once

// Of the lane's pixel of each side, the stretch that it lies in, by its place among all; -1 if it has none. How many
// there are.
__device__ inline int stretches(int (&place)[SIDES], const Sides& sides, int lane) {
    int count = 0;
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        const uint32_t starts = sides[i] & ~(sides[i] << 1);
        place[i] = sides[i] >> lane & 1 ? count + __popc(starts & (2u << lane) - 1) - 1 : -1;
        count += __popc(starts);
    }
    return count;
}

// Number the sets of `mask` that reach its `sides`: those of the lane's pixel of each side.
__device__ inline void number(int (&numbers)[SIDES], Sides sides, uint32_t mask, int lane) {
    int place[SIDES];
    for (int next = 0;; next += FLOODS) {
        const int count = stretches(place, sides, lane);
        if (count < 2) {  // the last set, if there is one
#pragma unroll
            for (int i = 0; i < SIDES; ++i)
                if (place[i] == 0) numbers[i] = next;
            return;
        }
        uint32_t reached[FLOODS];
#pragma unroll
        for (int k = 0; k < FLOODS; ++k)
            reached[k] = row_of_sides([&](int i) { return place[i] == k; }, lane);
        flood(reached, mask);
#pragma unroll
        for (int k = FLOODS - 1; k >= 0; --k) {  // of floods that met, the first counts
            const Sides found = sides_of(reached[k]);
#pragma unroll
            for (int i = 0; i < SIDES; ++i) {
                if (found[i] >> lane & 1) numbers[i] = next + k;
                sides[i] &= ~found[i];
            }
        }
    }
}

extern "C" __launch_bounds__(32 * TILES) __global__
    void packed_tiles(const uint32_t* __restrict__ weak_bits, const uint32_t* __restrict__ strong_bits,
                      uint32_t* __restrict__ kept_bits, uint16_t* __restrict__ side_sets,
                      uint32_t* __restrict__ set_parents, int height, int words) {
    __shared__ uint32_t parents[1 + NODES];
    __shared__ uint16_t sets[TILES][SIDES][TILE];
    const int lane = threadIdx.x % 32, tile = threadIdx.x / 32, block = blockIdx.y * gridDim.x + blockIdx.x;
    const int row = tile / BLOCK_COLUMNS, column = tile % BLOCK_COLUMNS;  // of tiles, in the block
    const int top = (blockIdx.y * BLOCK_ROWS + row) * TILE, word = blockIdx.x * BLOCK_COLUMNS + column;
    const bool inside = top + lane < height && word < words;
    const uint64_t place = at(top + lane, word, words);
    const uint32_t weak = inside ? weak_bits[place] : 0, strong = inside ? strong_bits[place] : 0;
    for (int i = threadIdx.x; i <= NODES; i += 32 * TILES)
        parents[i] = i;
    for (int i = 1 + threadIdx.x; i <= NODES; i += 32 * TILES)
        set_parents[block * NODES + i] = block * NODES + i;

    uint32_t kept[] = {strong};
    flood(kept, weak);
    if (inside) kept_bits[place] = kept[0];
    const uint32_t rest = weak & ~kept[0];
    const Sides kept_sides = sides_of(kept[0]);
    Sides sides = sides_of(rest);
    const bool meets[] = {top > 0, top + TILE < height, word > 0, word + 1 < words};  // another tile
    int numbers[SIDES] = {};
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        sides[i] = meets[i] ? sides[i] : 0;
    number(numbers, sides, rest, lane);
    uint32_t any = 0;
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        any |= sides[i];
        sets[tile][i][lane] = kept_sides[i] >> lane & 1 ? STRONG
                              : sides[i] >> lane & 1    ? 1 + tile * MOST_SETS + numbers[i]
                                                        : NO_SET;
    }

    if (__syncthreads_or(any)) {  // all sets are there
        const auto set_at = [&](int row, int column, int side, int pixel) {
            const bool inside = row < BLOCK_ROWS && column < BLOCK_COLUMNS;
            return inside ? stored_set(sets[row * BLOCK_COLUMNS + column][side][pixel], 0) : NO_SET;
        };
        join(BlockSets{parents}, set_at, row, column, true, lane);
        join(BlockSets{parents}, set_at, row, column, false, lane);
        __syncthreads();  // and united
    }
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        uint32_t set = stored_set(sets[tile][i][lane], 0);
        while (set != NO_SET && parents[set] != set)
            set = parents[set];
        side_sets[side_place(block, tile, i) + lane] = set;
    }
}
