// What a hierarchical search keeps of tiles of 16 x 16 pixels. Include after packed.cuh.
//
// The blocks of eight disparities that a tile searches are numbered upwards: each has a slot. A volume holds, for each
// slot, the costs of the tile's 256 pixels, row by row, eight side by side. It has room for all blocks of a tile; what no
// slot takes is neither read nor written.
//
// Word k of a pixel's eight costs holds those of d = k (low half) and d = k + 4 (high half) of the block. As bytes, each
// pair of words becomes one, as packed.cuh says; so the first cost is the first in memory, and the last one the last.
//
// Build: as tiles.cuh says.

constexpr int PIXELS = TILE * TILE, WORDS = BLOCK_DISPARITIES / 2;
constexpr int NO_SLOT = 0xFFFF, LINKS = 4;  // of a slot

// What a path that enters a tile needs of a block: in the tile before, the first slot of those of this block and the two
// beside it, and which of these it has; in this tile, whether it has the two beside it.
struct Link {
    enum { FIRST = 0xFF, LOW = 0x100, OWN = 0x200, HIGH = 0x400, HAS_BELOW = 0x800, HAS_ABOVE = 0x1000 };
};

// What tiles search: of each how many blocks, which, and the slot of every block.
struct Tiles {
    const uint16_t* tables;
    int columns, most;  // tiles of a row; blocks of a tile

    __device__ Tiles(const uint16_t* tables, int width, int disparities)
        : tables(tables), columns((width + TILE - 1) / TILE), most(disparities / BLOCK_DISPARITIES) {}

    __device__ int of(int y, int x) const { return y / TILE * columns + x / TILE; }
    __device__ uint64_t table(int tile) const { return uint64_t(tile) * (1 + 2 * most); }
    __device__ int count(int tile) const { return tables[table(tile)]; }
    __device__ int block(int tile, int slot) const { return tables[table(tile) + 1 + slot]; }

    // The slot of a block, which may lie outside the range.
    __device__ int slot(int tile, int block) const {
        return unsigned(block) < unsigned(most) ? tables[table(tile) + 1 + most + block] : NO_SLOT;
    }

    // Where a slot's link for a path, along a row or a column, is.
    __device__ uint64_t link(int tile, int slot, int path) const {
        return (uint64_t(tile) * most + slot) * LINKS + path;
    }

    // Where the costs of a pixel of a tile lie in a volume.
    __device__ uint64_t place(int tile, int slot, int pixel) const {
        return ((uint64_t(tile) * most + slot) * PIXELS + pixel) * BLOCK_DISPARITIES;
    }

    // The costs of a volume.
    __device__ uint64_t volume(int height) const { return place((height + TILE - 1) / TILE * columns, 0, 0); }
};

// The place of a pixel in its tile.
__device__ inline int pixel_of(int y, int x) { return y % TILE * TILE + x % TILE; }

// The eight costs of a pixel and a block, from memory and to it.
__device__ inline void load(uint32_t (&costs)[WORDS], const uint8_t* from) {
    const uint2 pair = *reinterpret_cast<const uint2*>(from);
    const uint32_t bytes[WORDS / 2] = {pair.x, pair.y};
    words_of(costs, bytes);
}
__device__ inline void load(uint32_t (&costs)[WORDS], const uint16_t* from) {
    const uint4 quad = *reinterpret_cast<const uint4*>(from);
    costs[0] = quad.x, costs[1] = quad.y, costs[2] = quad.z, costs[3] = quad.w;
}
__device__ inline void store(uint8_t* to, const uint32_t (&costs)[WORDS]) {
    *reinterpret_cast<uint2*>(to) = make_uint2(costs[0] + costs[1] * 256, costs[2] + costs[3] * 256);
}
__device__ inline void store(uint16_t* to, const uint32_t (&costs)[WORDS]) {
    *reinterpret_cast<uint4*>(to) = make_uint4(costs[0], costs[1], costs[2], costs[3]);
}
