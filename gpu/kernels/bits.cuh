// Tiles of bits: 32 rows of 32 pixels, a row a lane of a warp, column x in bit x. Include after words.cuh.

constexpr uint32_t ALL = 0xFFFFFFFF;               // every lane of a warp takes part in every shuffle
constexpr int TILES = BLOCK_ROWS * BLOCK_COLUMNS;  // of a block of threads

#ifdef __CUDA_ARCH__
// The place of the highest bit; -1 if there is none. As PTX, since 31 less the zeros above it takes two more
// instructions; what runs on a CPU instead is in gpu/emulation/cuda_shim.hpp.
__device__ inline int highest(uint32_t bits) {
    int place;
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(bits));
    return place;
}
#endif

// The bits and all that touch them, by corners, too. Where no lane is above or below, a lane gets its own bits.
__device__ inline uint32_t widened(uint32_t bits) {
    const uint32_t wide = bits | bits << 1 | bits >> 1;
    return wide | __shfl_up_sync(ALL, wide, 1) | __shfl_down_sync(ALL, wide, 1);
}

// The bits, and those of `mask` above them without a gap: a sum carries through.
__device__ inline uint32_t carried(uint32_t bits, uint32_t mask) {
    return (mask + bits ^ mask) & mask | bits;
}

// What `mask` has around the bits, and beyond, up along rows.
__device__ inline uint32_t grown(uint32_t bits, uint32_t mask) { return carried(widened(bits) & mask, mask); }

// Replace each of N sets of seeds by all of `mask` that is connected with them. Turns go up along rows and, mirrored,
// down. They wait for each other's shuffles, so several floods take about as long as one.
template <int N>
__device__ void flood(uint32_t (&seeds)[N], uint32_t mask) {
    const uint32_t mirrored = __brev(mask);
    bool grows;
    do {
        grows = false;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const uint32_t once = grown(seeds[i], mask);
            seeds[i] = __brev(grown(__brev(once), mirrored));
            grows |= seeds[i] != once;
        }
    } while (__any_sync(ALL, grows));
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

// The other way round: a lane's row of a tile of which each lane tells, for one pixel of each side, whether it is set.
template <class Has>
__device__ uint32_t row_of_sides(Has has, int lane) {
    const uint32_t top = __ballot_sync(ALL, has(TOP)), bottom = __ballot_sync(ALL, has(BOTTOM));
    return (lane == 0 ? top : 0) | (lane == 31 ? bottom : 0) | uint32_t(has(LEFT)) |
           uint32_t(has(RIGHT)) << 31;
}
