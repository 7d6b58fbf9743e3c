// Tiles of bits: 32 rows of 32 pixels, a row a lane of a warp, column x in bit x. Include after common.cuh.

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr int TILE = 32;
constexpr int TILES = BLOCK_ROWS * BLOCK_COLUMNS;  // of a block of threads

// The runs of bits of `mask` in which `seeds`, which lie in it, have one. A sum carries from a seed to the upper end of
// its run, and in the mirrored word to the lower one.
__device__ inline uint32_t runs_with(uint32_t seeds, uint32_t mask) {
    const uint32_t mirrored = __brev(mask), seeds_mirrored = __brev(seeds);
    const uint32_t up = mask + seeds ^ mask, down = mirrored + seeds_mirrored ^ mirrored;
    return (up | __brev(down)) & mask | seeds;
}

// The bits and all that touch them, by corners, too.
__device__ inline uint32_t widened(uint32_t bits, int lane) {
    const uint32_t wide = bits | bits << 1 | bits >> 1;
    const uint32_t above = __shfl_up_sync(ALL, wide, 1), below = __shfl_down_sync(ALL, wide, 1);
    return wide | (lane > 0 ? above : 0) | (lane < 31 ? below : 0);
}

// All of `mask` that is connected with `seeds`, which lie in it. A vote takes as long as a turn: one for two.
__device__ inline uint32_t flooded(uint32_t seeds, uint32_t mask, int lane) {
    while (true) {
        const uint32_t once = runs_with(widened(seeds, lane) & mask, mask);
        seeds = runs_with(widened(once, lane) & mask, mask);
        if (!__any_sync(ALL, seeds != once)) return seeds;
    }
}

// The pixels along a tile's sides, a word each, the same in all lanes.
enum Side { TOP, BOTTOM, LEFT, RIGHT, SIDES };

struct Sides {
    uint32_t side[SIDES];

    __device__ uint32_t& operator[](int i) { return side[i]; }
    __device__ uint32_t operator[](int i) const { return side[i]; }
};

__device__ inline Sides sides_of(uint32_t row) {
    return {__shfl_sync(ALL, row, 0), __shfl_sync(ALL, row, 31), __ballot_sync(ALL, row & 1),
            __ballot_sync(ALL, row >> 31)};
}

// The same the other way round: a lane's row of a tile that has nothing but its sides.
__device__ inline uint32_t row_of(const Sides& sides, int lane) {
    const uint32_t ends = sides[LEFT] >> lane & 1 | (sides[RIGHT] >> lane & 1) << 31;
    return ends | (lane == 0 ? sides[TOP] : 0) | (lane == 31 ? sides[BOTTOM] : 0);
}
