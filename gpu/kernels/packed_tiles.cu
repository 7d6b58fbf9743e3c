// Hysteresis within blocks of tiles: keeps what is connected with a strong pixel within its tile, and numbers the
// sets of what is not, as far as they reach a side of the tile, since only there they may go on.
//
// A warp has a tile in its registers. Sets are told apart without a label a pixel: the stretches of pixels along
// the sides are numbered, and a set gets the least number of its stretches, bit by bit from the highest on. The
// stretches whose number may still be the least and has a 0 there are flooded: what they reach has a 0. That takes
// as many floods as numbers have bits, for all sets at once. The sets of a block's tiles are then joined in shared
// memory.
//
// Launch: block (32 * TILES), a warp a tile; grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, MOST_SETS how many sets a tile has at most.

#include "common.cuh"
#include "bits.cuh"
#include "side_sets.cuh"

// Number the sets of `rest` that reach its `sides`: those of the lane's pixel of each side. Tell whether there are any.
__device__ inline bool numbered(int (&numbers)[SIDES], const Sides& sides, uint32_t rest, int lane) {
    int stretch[SIDES], count = 0;  // that the pixel lies in
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        const uint32_t starts = sides[i] & ~(sides[i] << 1);
        stretch[i] = count + __popc(starts & (2u << lane) - 1) - 1;
        count += __popc(starts);
        numbers[i] = 0;
    }
    Sides least = sides;  // pixels whose stretch may still be the first of its set
    for (int bit = 31 - __clz(count - 1); count > 1 && bit >= 0; --bit) {
        Sides zero;
#pragma unroll
        for (int i = 0; i < SIDES; ++i)
            zero[i] = least[i] & ~__ballot_sync(ALL, stretch[i] >> bit & 1);
        const Sides reached = sides_of(flooded(row_of(zero, lane), rest, lane));
#pragma unroll
        for (int i = 0; i < SIDES; ++i) {
            least[i] = reached[i] & zero[i] | ~reached[i] & least[i];
            numbers[i] |= (~reached[i] >> lane & 1) << bit;
        }
    }
    return count > 0;
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

    const uint32_t kept = flooded(strong, weak, lane), rest = weak & ~kept;
    if (inside) kept_bits[place] = kept;
    const Sides kept_sides = sides_of(kept);
    Sides sides = sides_of(rest);
    const bool meets[] = {top > 0, top + TILE < height, word > 0, word + 1 < words};  // another tile
    int numbers[SIDES];
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        sides[i] = meets[i] ? sides[i] : 0;
    const bool any = numbered(numbers, sides, rest, lane);
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        sets[tile][i][lane] = kept_sides[i] >> lane & 1 ? STRONG
                              : sides[i] >> lane & 1    ? 1 + tile * MOST_SETS + numbers[i]
                                                        : NO_SET;

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
