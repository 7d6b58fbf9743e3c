// What a block of packed_correlation.cu shares, and how its parts lie. Include after candidates.cuh.

extern __shared__ uint4 shared[];

constexpr int ROWS = TILE_HEIGHT / WARPS;            // of windows, of a warp
constexpr int COLUMNS = 192, GROUPS = COLUMNS / 16;  // of a row of the tile: pixels, and 16 of them together
constexpr int QUAD = 2 * STEPS;                      // words of B that a lane holds of a row of the template
constexpr int PADDED = 32 * STEPS + 16;              // bytes of such a row, with room before and behind it
constexpr int BEFORE = 8;                            // that room
constexpr int APART = COLUMNS + COLUMNS / 16;        // pairs from one row of column sums to the next

struct Part {  // of the template, and where its tile begins in the image
    int x, y, width, height;
    int column, row;
};

// What the score needs to know about the template.
struct Pattern {
    uint32_t pixels, total;
    int64_t squares;
    double others, inverse_root;  // of its variance: times pixels squared, and the root's inverse
};

// Where a block's arrays lie. Sums are made in the place of what is made for products.
struct Places {
    uint4 *tile, *second, *quads;
    uint32_t *padded, *parked;
    uint2* columns;  // total and squares of each, of a row for every warp, twice

    __device__ explicit Places(int part_height) {
        const int groups = (TILE_HEIGHT + part_height - 1) * GROUPS;
        tile = shared;
        padded = reinterpret_cast<uint32_t*>(tile + groups);
        second = tile + (groups + part_height * PADDED / 16 + 7) / 8 * 8 + 4;  // in other banks than the tile
        quads = second + groups;
        parked = padded;
        columns = reinterpret_cast<uint2*>(parked + TILE_HEIGHT * TILE_WIDTH);
    }
};

// The place in a row of column sums of a column: those that lanes read together, 4 apart, fall into different banks.
__device__ inline int padded(int column) { return column + column / 16; }

// The place in a row of the tile of a byte, whose words lie in another order in every group of four.
__device__ inline int stored_at(int column) {
    return (column & ~12) | (column >> 2 & 1) << 3 | (column >> 3 & 1) << 2;
}
