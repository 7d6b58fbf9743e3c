// Hysteresis within blocks of tiles: keeps what is connected with a strong pixel within its tile, and tells apart the
// sets of what is not, as far as they reach a side of the tile, since only there they may go on.
//
// A warp has a tile in its registers. Strong pixels flood it. If there is more than one stretch of other pixels along
// its sides, a lane has a column from then on: the warp goes down the rows, and each run of pixels gets its set from
// the first run above that it touches. Where it touches another one, two sets are united, in shared memory; so are
// those of a block's tiles.
//
// Launch: block (32 * TILES), a warp a tile; grid: the blocks of tiles along a row, and down a column.
// Build: BLOCK_ROWS and BLOCK_COLUMNS are a block's tiles, MOST_SETS how many sets a tile has at most.

#include "common.cuh"
#include "bits.cuh"
#include "side_sets.cuh"

constexpr int AT_ONCE = 4;  // rows whose runs are found before the sets of the first are needed

// Of a lane's column and a row of pixels, the run that it lies in; if it lies in none, the one that ends before it.
struct Run {
    int gap;            // the last column before the run; 0, too, if it begins there
    uint32_t touching;  // those of the row above that touch it, except what is beyond the next column

    __device__ Run(uint32_t row, uint32_t above, uint32_t here) {
        gap = 31 - __clz(~row & here - 1 | 1);
        const uint32_t end = row + here & ~row;  // the first column behind it, or this one; 0 behind the last
        touching = above & ALL << gap & 2 * end - 1;
    }
};

// A set whose first run, on row y, begins after a gap. Runs that touch nothing above have a cell of 2x2 for themselves.
__device__ inline int begun(int y, int gap) { return y / 2 * (TILE / 2) + (gap + 1) / 2; }

// How many stretches of pixels there are along the sides.
__device__ inline int stretches(const Sides& sides) {
    int count = 0;
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        count += __popc(sides[i] & ~(sides[i] << 1));
    return count;
}

// Number the sets of `mask` from `first` on: those of the pixels along the tile's sides, except along its first row,
// where all sets begin.
__device__ inline void number(uint16_t (&sets)[SIDES][TILE], BlockSets parents, int first, uint32_t mask,
                              int lane) {
    const uint32_t here = 1u << lane, shifted = __shfl_up_sync(ALL, mask, 1), over = lane == 0 ? 0 : shifted;
    uint16_t* outer = sets[lane == 0 ? LEFT : RIGHT];
    uint32_t set = 0;
    for (uint32_t rows = __ballot_sync(ALL, mask != 0); rows != 0;) {
        uint32_t row[AT_ONCE], touching[AT_ONCE], other[AT_ONCE], own[AT_ONCE];
        int y[AT_ONCE], fresh[AT_ONCE];
        bool meets[AT_ONCE], any = false;
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const bool more = rows != 0;
            y[k] = __ffs(rows) - 1;
            rows &= rows - 1;
            const uint32_t bits = __shfl_sync(ALL, mask, y[k]), above = __shfl_sync(ALL, over, y[k]);
            row[k] = more ? bits : 0;
            const Run run(row[k], above, here);
            touching[k] = run.touching;
            fresh[k] = first + begun(y[k], run.gap);
            const uint32_t begins = above & ~(above << 1);  // this run touches one further left, too
            meets[k] = begins & row[k] << 1 & here && run.touching & here - 1;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint32_t from = __shfl_sync(ALL, set, __ffs(touching[k]) - 1);
            own[k] = meets[k] ? set : from;
            other[k] = from;
            any |= own[k] != from;
            if (row[k] != 0) set = touching[k] ? from : fresh[k];
            if (row[k] & here & 0x80000001) outer[y[k]] = set;
        }
        if (any) {
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
                unite(parents, own[k], other[k]);
        }
        __syncwarp();
    }
    const uint32_t last = __shfl_sync(ALL, mask, TILE - 1);
    if (last & here) sets[BOTTOM][lane] = set;
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
    uint32_t kept[] = {strong};
    flood(kept, weak);
    if (inside) kept_bits[place] = kept[0];
    const uint32_t rest = weak & ~kept[0];
    const Sides kept_sides = sides_of(kept[0]), sides = sides_of(rest);
    const int first = 1 + tile * MOST_SETS, count = stretches(sides);
#pragma unroll
    for (int i = lane; i < MOST_SETS; i += 32)
        parents[first + i] = first + i;
    if (threadIdx.x == 0) parents[STRONG] = STRONG;
    const int top_set = first + begun(0, Run(sides[TOP], 0, 1u << lane).gap);
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        sets[tile][i][lane] = kept_sides[i] >> lane & 1 ? STRONG
                              : sides[i] >> lane & 1    ? (i == TOP && count > 1 ? top_set : first)
                                                        : NO_SET;
    __syncwarp();
    if (count > 1) number(sets[tile], BlockSets{parents}, first, rest, lane);

    if (__syncthreads_or(count)) {  // all sets are there
        const auto set_at = [&](int row, int column, int side, int pixel) {
            const bool inside = row < BLOCK_ROWS && column < BLOCK_COLUMNS;
            return inside ? stored_set(sets[row * BLOCK_COLUMNS + column][side][pixel], 0) : NO_SET;
        };
        join(BlockSets{parents}, set_at, row, column, true, lane);
        join(BlockSets{parents}, set_at, row, column, false, lane);
        __syncthreads();  // and united
    }
    uint32_t set[SIDES], root[SIDES];
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        set[i] = stored_set(sets[tile][i][lane], 0);
        root[i] = set[i] == NO_SET ? STRONG : set[i];
    }
    for (bool climbs = true; climbs;) {  // from all sides at once
        climbs = false;
#pragma unroll
        for (int i = 0; i < SIDES; ++i) {
            const uint32_t parent = parents[root[i]];
            climbs |= parent != root[i];
            root[i] = parent;
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        side_sets[side_place(block, tile, i) + lane] = set[i] == NO_SET ? NO_SET : root[i];
        if (root[i] != STRONG)
            set_parents[block * NODES + root[i]] = block * NODES + root[i];  // all the same
    }
}
