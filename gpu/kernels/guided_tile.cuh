// What a block of guided_median.cu has of its pixels and their neighbours: planes of bits, and how they are made and
// stored. Include after bit_planes.cuh.
//
// Build: RADIUS, ROWS, WORDS as for guided_median.

constexpr int SIDE = 2 * RADIUS + 1, WINDOW = SIDE * SIDE;
constexpr int COLUMNS = 32 * WORDS, TILE_ROWS = ROWS + 2 * RADIUS;
constexpr int DEPTH = 16, SHADES = 8;  // bits of a disparity, and of a grey level
static_assert(ROWS == 32, "a warp is a column of words");

// A word of the tile is one of the block's columns. One more is for what lies beyond on both sides: the columns to
// the left are its last bits, those to the right its first ones.
constexpr int SLOTS = WORDS + 1;
constexpr uint32_t BESIDE = (1u << RADIUS) - 1 | ~0u << (32 - RADIUS);

// Of an odd number of words a row, so that lanes, a row each, meet no bank twice.
typedef uint32_t Plane[TILE_ROWS][SLOTS];
static_assert(SLOTS % 2 == 1, "rows begin in all banks");

struct Tile {
    Plane disparities[DEPTH];  // the sign turned round, which puts negative ones first
    Plane greys[SHADES];
    Plane known;  // whether there is a disparity
    Plane bits;   // which bits of known disparities are 1 somewhere; in the upper half, 0
    uint32_t found[DEPTH][WORDS][ROWS];  // of medians
};

// A row of a plane around a thread's word.
struct Around {
    uint32_t left, own, right;

    Around() = default;
    __device__ Around(const Plane& plane, int row, int word)
        : left(plane[row][word == 0 ? WORDS : word - 1]), own(plane[row][word]), right(plane[row][word + 1]) {
    }

    // The bits of the neighbours so many columns on.
    __device__ uint32_t moved(int by) const {
        return by < 0 ? __funnelshift_l(left, own, -by) : by > 0 ? __funnelshift_r(own, right, by) : own;
    }
};

// Which bits of a word's known disparities are 1 somewhere; in the upper half, which are 0.
__device__ inline uint32_t bits_of(const uint32_t (&planes)[DEPTH], uint32_t known) {
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) {
        if (planes[i] & known) bits |= 1u << i;
        if (~planes[i] & known) bits |= 0x10000u << i;
    }
    return bits;
}

// Disparities, and the image that guides them: `grey(y, x)` reads it.
template <class Grey>
struct Pixels {
    const int16_t* filled;
    const uint8_t* left;  // the image, or nothing if it is a texture
    Grey grey;
    int height, width;
    bool aligned;  // whether 16 pixels of a row can be moved at once

    __device__ bool moves_whole(int x) const { return aligned && x + 32 <= width; }

    // Load disparities of a row, two a word, or grey levels, four a word: 32, or those WANTED of them.
    template <uint32_t WANTED, class Column>
    __device__ void load(uint32_t (&pairs)[DEPTH], int y, Column column) const {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            const int x = clamp(column(i), 0, width - 1);
            if (i % 2 == 0) pairs[i / 2] = 0;
            if (WANTED >> i & 1) pairs[i / 2] |= uint32_t(uint16_t(filled[at(y, x, width)])) << 16 * (i % 2);
        }
    }
    template <uint32_t WANTED, class Column>
    __device__ void load(uint32_t (&fours)[SHADES], int y, Column column) const {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            const int x = clamp(column(i), 0, width - 1);
            if (i % 4 == 0) fours[i / 4] = 0;
            if (WANTED >> i & 1) fours[i / 4] |= uint32_t(grey(y, x)) << 8 * (i % 4);
        }
    }
    __device__ void load_whole(uint32_t (&pairs)[DEPTH], int y, int x) const {
        load_quads(pairs, reinterpret_cast<const uint4*>(filled + at(y, x, width)));
    }
    __device__ void load_whole(uint32_t (&fours)[SHADES], int y, int x) const {
        if (left)
            load_quads(fours, reinterpret_cast<const uint4*>(left + at(y, x, width)));
        else
            load<~0u>(fours, y, [=](int i) { return x + i; });
    }

    __device__ void store(int16_t* disparity, const uint32_t (&pairs)[DEPTH], int y, int x) const {
        int16_t* to = disparity + at(y, x, width);
        if (moves_whole(x)) {
            store_quads(reinterpret_cast<uint4*>(to), pairs);
        } else {
#pragma unroll
            for (int i = 0; i < 32; ++i)
                if (x + i < width) to[i] = pairs[i / 2] >> 16 * (i % 2);
        }
    }
};

// Load a word of a row of the tile, and take it apart into planes.
template <int DEPTH, class Pixels>
__device__ void take_apart(uint32_t (&planes)[DEPTH], const Pixels& pixels, int row, int slot) {
    const int y = clamp(int(blockIdx.y) * ROWS - RADIUS + row, 0, pixels.height - 1);
    const int first = blockIdx.x * COLUMNS, x = first + 32 * slot;
    if (slot == WORDS)
        pixels.template load<BESIDE>(planes, y, [=](int i) { return i < 16 ? x + i : first - 32 + i; });
    else if (pixels.moves_whole(x))
        pixels.load_whole(planes, y, x);
    else
        pixels.template load<~0u>(planes, y, [=](int i) { return x + i; });
    planes_of(planes);
}

// Fill a word of a row of the tile.
template <class Pixels>
__device__ void fill(Tile& tile, const Pixels& pixels, int row, int slot, int invalid) {
    uint32_t planes[DEPTH], greys[SHADES], known = 0;
    take_apart(planes, pixels, row, slot);
#pragma unroll
    for (int i = 0; i < DEPTH; ++i)
        known |= planes[i] ^ (invalid >> i & 1 ? ~0u : 0);
    if (slot == WORDS) known &= BESIDE;
    planes[DEPTH - 1] = ~planes[DEPTH - 1];
#pragma unroll
    for (int i = 0; i < DEPTH; ++i)
        tile.disparities[i][row][slot] = planes[i];
    tile.known[row][slot] = known;
    tile.bits[row][slot] = bits_of(planes, known);
    take_apart(greys, pixels, row, slot);
#pragma unroll
    for (int i = 0; i < SHADES; ++i)
        tile.greys[i][row][slot] = greys[i];
}
