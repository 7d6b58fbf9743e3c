// A step of a path among the disparities that tiles search, which takes what comes from the pixel before from where it was
// stored. So it does not matter whether both lie in one tile, nor which blocks their tiles search. Include after
// sparse.cuh.
//
// Build: SLOTS lanes of a pixel; PATH_COST as for packed_aggregation.

// The path costs of a block at the pixel before, and those of the disparities below and above it; NEVER those that are
// not searched there.
struct Before {
    uint32_t path[WORDS], below, above;

    __device__ Before(const Tiles& tiles, const PATH_COST* volume, int tile, int pixel, int block,
                      bool exists) {
        const int none = NO_SLOT;
        const int own = exists ? tiles.slot(tile, block) : none;
        const int low = exists ? tiles.slot(tile, block - 1) : none;
        const int high = exists ? tiles.slot(tile, block + 1) : none;
#pragma unroll
        for (int k = 0; k < WORDS; ++k)
            path[k] = NEVER_TWICE;
        if (own != none) load(path, volume + tiles.place(tile, own, pixel));
        below = low == none ? NEVER : volume[tiles.place(tile, low, pixel) + BLOCK_DISPARITIES - 1];
        above = high == none ? NEVER : volume[tiles.place(tile, high, pixel)];
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
__device__ uint32_t step(const Tiles& tiles, const uint8_t* costs, PATH_COST* volume, int tile, int pixel,
                         bool exists, Message message) {
    const int count = exists ? tiles.count(tile) : 0;
    uint32_t least = NEVER_TWICE;
    for (int slot = threadIdx.x % SLOTS; __any_sync(ALL, slot < count); slot += SLOTS) {
        const bool has = slot < count;
        const int block = has ? tiles.block(tile, slot) : 0;
        uint32_t path[WORDS], matched[WORDS];
        message(path, block, has);
        if (!has) continue;
        const uint64_t place = tiles.place(tile, slot, pixel);
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
