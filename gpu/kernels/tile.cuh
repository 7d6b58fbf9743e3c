// A tile of packed_winner: sums of pixels of a row in shared memory, and the best of right pixels' candidates there.
//
// A sum and its disparity make one number, sum * 65536 + d: the smallest is the winner, and of equal
// sums the lowest d. A right pixel's candidates lie on a diagonal over several tiles: each tile finds the
// best of its own and takes part in an atomic minimum, (TILE + D) / TILE a pixel.
//
// Include after stretch.cuh.

constexpr uint32_t NOTHING = 0xFFFFFFFF;                                  // above every sum and disparity
constexpr int TURNS = WALKS ? STRETCH : 4, UNROLL = WALKS ? STRETCH : 1;  // pixels of LANES lanes
constexpr int TILE = TURNS * THREADS / LANES;
constexpr int PITCH = LANES == 1 ? 8 : 8 * LANES + 4;  // words a pixel; a diagonal meets many banks
constexpr bool NARROW = sizeof(PATH_COST) == 1;  // eight path costs, and three or five bits more, fit 16
constexpr int SEGMENT = 32;                      // columns, counted by five bits

// Sums of a tile's pixels, packed as their path costs are.
struct Sums {
    const uint32_t* words;
    int half;

    __device__ uint32_t low(int column, int k) const { return words[column * PITCH + k] & 0xFFFF; }
    __device__ uint32_t high(int column, int k) const { return words[column * PITCH + k] >> 16; }
    __device__ int at(int column, int d) const { return d < half ? low(column, d) : high(column, d - half); }
};

// A tile of a row, and what a thread is within it: lane `turn` of a pixel, one of `group`'s.
struct Tile {
    uint32_t* words;
    int height, width, disparities;
    int start, columns;      // in the image
    uint64_t row;            // place of its first pixel
    int turn, group, first;  // `first` word of the lane

    __device__ Tile(uint32_t* words, int height, int width, int disparities)
        : words(words), height(height), width(width), disparities(disparities), start(blockIdx.x * TILE),
          columns(min(TILE, width - start)), row(at(blockIdx.y, start, width)), turn(threadIdx.x % LANES),
          group(threadIdx.x / LANES), first(turn * 8) {}

    __device__ Sums sums() const { return {words, disparities / 2}; }
    __device__ uint32_t* own(int column) const { return words + column * PITCH + first; }
    __device__ uint64_t costs(int column) const { return (row + column) * disparities + 2 * first; }
};

// The best of a right pixel's candidates in the tile: column = origin + d, for columns from 0 to `columns`.
__device__ inline uint32_t best_on_diagonal(const Sums& sums, int origin, int columns) {
    uint32_t smallest = NOTHING;
    for (int k = max(0, -origin); k < min(sums.half, columns - origin); ++k)
        smallest = min(smallest, sums.low(origin + k, k) << 16 | k);
    const int middle = origin + sums.half;
    for (int k = max(0, -middle); k < min(sums.half, columns - middle); ++k)
        smallest = min(smallest, sums.high(middle + k, k) << 16 | (k + sums.half));
    return smallest;
}

// The same for the right pixels of two diagonals, half the disparities apart, whose sums share words: a sum and a
// column fit 16 bits, and columns are counted anew from SEGMENT to SEGMENT.
__device__ inline void best_on_diagonals(uint32_t (&found)[2], const Sums& sums, int origin, int columns) {
    found[0] = found[1] = NOTHING;
    const int end = min(columns, origin + sums.half);
    for (int begin = max(0, origin); begin < end; begin += SEGMENT) {
        const int k = begin - origin;
        const uint32_t* word = sums.words + begin * PITCH + k;
        uint32_t smallest = NOTHING, column = 0;
#pragma unroll 8
        for (int i = min(SEGMENT, end - begin); i > 0; --i) {
            smallest = __vminu2(smallest, *word * SEGMENT + column);
            word += PITCH + 1;
            column += 0x10001;
        }
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            const uint32_t own = part == 0 ? smallest & 0xFFFF : smallest >> 16;
            const int d = begin + int(own % SEGMENT) - origin + part * sums.half;
            found[part] = min(found[part], own / SEGMENT << 16 | d);
        }
    }
}

// Lower the right pixel's best, if the image has that pixel.
__device__ inline void offer(uint32_t* row, int x, int width, uint32_t found) {
    if (0 <= x && x < width) atomicMin(row + x, found);
}

// Offer every right pixel that a tile's pixels are compared with the best of them.
__device__ inline void offer_all(uint32_t* right_best, const Tile& tile, int min_disparity) {
    const Sums sums = tile.sums();
    uint32_t* row = right_best + at(blockIdx.y, 0, tile.width);
    const int partner = tile.start - min_disparity;  // of column 0, at d = 0
    const int apart = NARROW ? sums.half : tile.disparities;
    for (int i = threadIdx.x; i < tile.columns + apart - 1; i += THREADS) {
        const int origin = i - apart + 1;  // column of the right pixel's d = 0
        if constexpr (NARROW) {
            uint32_t found[2];
            best_on_diagonals(found, sums, origin, tile.columns);
            offer(row, partner + origin, tile.width, found[0]);
            offer(row, partner + origin - sums.half, tile.width, found[1]);
        } else {
            offer(row, partner + origin, tile.width, best_on_diagonal(sums, origin, tile.columns));
        }
    }
}
