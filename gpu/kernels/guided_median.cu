// Guided median, 7x7.  Computes gpu.reference.guided_median.
//
// A word has a bit of 32 pixels side by side, so that an instruction does the same for all of them. What a pixel
// stores is taken apart into such planes, one for each bit of its disparity and of its grey level. Then a thread
// finds 32 medians:
//
//   Candidates  a word for each of the 49 neighbours: whose disparity counts. Two comparisons of grey levels, each a
//               chain of eight borrows, tell.
//   Counting    adders of three bits make a number of six planes of 49 words, in 46 adders of two instructions.
//   Medians     from its first bit on: if more candidates than its rank have a 0 there, so has the median, and those
//               that have a 1 are none any more. Else the others go, and the rank is counted from there.
//
// A plane is left out where the neighbours of all pixels of a warp, 32 rows of 32, have the same bit. All others
// cost the same, whatever the image shows. Counted for sm_90, a pixel takes 93 instructions and 9 more for each
// bit that differs, almost all of them of the unit for logic; four neighbours in a word, compared and counted bit by
// bit for each pixel, took 634.
//
//   guided_median_global    grey levels from global memory
//   guided_median_texture   through the texture, whose addressing clamps
//
// Launch: block (ROWS, WORDS): a thread a word, and a warp a column of them.
// Build: RADIUS of the window, SUBPIXEL_STEPS the stored steps of a pixel.

#include "common.cuh"
#include "bit_planes.cuh"
#include "guided_tile.cuh"

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every vote
constexpr int DIGITS = 6;             // bits of a count
static_assert(WINDOW < 1 << DIGITS, "all candidates can be counted");

// What the neighbours' grey levels must lie between, by planes: the thread's pixels' own, and more or less.
struct Range {
    uint32_t lowest[SHADES], highest[SHADES];

    __device__ Range(const Tile& tile, int row, int word, int tolerance) {
        uint32_t carry = 0, borrow = 0;
#pragma unroll
        for (int i = 0; i < SHADES; ++i) {
            const uint32_t own = tile.greys[i][row + RADIUS][word], by = tolerance >> i & 1 ? ~0u : 0;
            highest[i] = parity(own, by, carry);
            carry = majority(own, by, carry);
            lowest[i] = parity(own, by, borrow);
            borrow = borrowed(own, by, borrow);
        }
#pragma unroll
        for (int i = 0; i < SHADES; ++i)
            highest[i] |= carry, lowest[i] &= ~borrow;
    }

    // Which of the thread's pixels have neighbours so many columns on within the range.
    __device__ uint32_t holds(const Around* greys, int by) const {
        uint32_t above = 0, below = 0;
#pragma unroll
        for (int i = 0; i < SHADES; ++i) {
            const uint32_t grey = greys[i].moved(by);
            above = borrowed(highest[i], grey, above);
            below = borrowed(grey, lowest[i], below);
        }
        return ~(above | below);
    }
};

// The neighbours of a thread's pixels that may still be medians, and how many of them lie before these.
struct Candidates {
    uint32_t words[WINDOW], rank[DIGITS];

    __device__ Candidates(const Tile& tile, int row, int word, int tolerance) {
        const Range range(tile, row, word, tolerance);
#pragma unroll
        for (int dy = 0; dy < SIDE; ++dy) {
            Around greys[SHADES];
#pragma unroll
            for (int i = 0; i < SHADES; ++i)
                greys[i] = Around(tile.greys[i], row + dy, word);
            const Around known(tile.known, row + dy, word);
#pragma unroll
            for (int dx = 0; dx < SIDE; ++dx)
                words[dy * SIDE + dx] = range.holds(greys, dx - RADIUS) & known.moved(dx - RADIUS);
        }
        const Counter<DIGITS> count(words);
        // Half of one less than their number.
        uint32_t borrow = ~0u;
#pragma unroll
        for (int i = 0; i < DIGITS; ++i) {
            if (i > 0) rank[i - 1] = count.sums[i] ^ borrow;
            borrow &= ~count.sums[i];
        }
        rank[DIGITS - 1] = 0;
    }

    // Find a bit of the medians, from a plane; only candidates that have the same are left.
    __device__ uint32_t next_bit(const Plane& plane, int row, int word) {
        uint32_t zeros[WINDOW];  // candidates that have a 0
#pragma unroll
        for (int dy = 0; dy < SIDE; ++dy) {
            const Around around(plane, row + dy, word);
#pragma unroll
            for (int dx = 0; dx < SIDE; ++dx)
                zeros[dy * SIDE + dx] = words[dy * SIDE + dx] & ~around.moved(dx - RADIUS);
        }
        const Counter<DIGITS> count(zeros);
        uint32_t before[DIGITS], lower = 0;  // the rank among those that have a 1; whether the median has a 0
#pragma unroll
        for (int i = 0; i < DIGITS; ++i) {
            before[i] = parity(rank[i], count.sums[i], lower);
            lower = borrowed(rank[i], count.sums[i], lower);
        }
#pragma unroll
        for (int i = 0; i < DIGITS; ++i)
            rank[i] = either(lower, rank[i], before[i]);
#pragma unroll
        for (int i = 0; i < WINDOW; ++i)
            words[i] &= ~(zeros[i] ^ lower);
        return ~lower;
    }
};

// Which bits differ among the known neighbours of the thread's pixels.
__device__ inline uint32_t differing(const Tile& tile, int row, int word) {
    uint32_t bits = 0;
#pragma unroll
    for (int dy = 0; dy < SIDE; ++dy) {
        const Around around(tile.bits, row + dy, word);
        bits |= around.left | around.own | around.right;
    }
    return bits & bits >> 16;
}

// The medians of the block's pixels.
template <class Pixels>
__device__ void smooth(const Pixels& pixels, int16_t* __restrict__ disparity, int min_disparity,
                       int tolerance) {
    __shared__ Tile tile;
    const int row = threadIdx.x, word = threadIdx.y, invalid = (min_disparity - 1) * SUBPIXEL_STEPS;
    for (int i = word * ROWS + row; i < TILE_ROWS * SLOTS; i += ROWS * WORDS)
        fill(tile, pixels, i % TILE_ROWS, i / TILE_ROWS, invalid);
    __syncthreads();  // the whole tile is there
    const int y = blockIdx.y * ROWS + row, x = blockIdx.x * COLUMNS + 32 * word;
    if (x >= pixels.width) return;  // a whole warp
    const uint32_t differ = differing(tile, row, word), known = tile.known[row + RADIUS][word];
    Candidates candidates(tile, row, word, tolerance);
#pragma unroll 1
    for (int bit = DEPTH - 1; bit >= 0; --bit) {
        uint32_t found = tile.disparities[bit][row + RADIUS][word];
        if (__any_sync(ALL, differ >> bit & 1)) {
            const uint32_t next = candidates.next_bit(tile.disparities[bit], row, word);
            found = either(known, next, found);
        }
        tile.found[bit][word][row] = found;
    }
    uint32_t planes[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; ++i)
        planes[i] = tile.found[i][word][row];
    planes[DEPTH - 1] = ~planes[DEPTH - 1];
    pairs_of(planes);
    if (y < pixels.height) pixels.store(disparity, planes, y, x);
}

// Whether 16 pixels of a row can be moved at once, of arrays that begin at such places.
__device__ inline bool moves_quads(uint64_t places, int width) { return width % 16 == 0 && places % 16 == 0; }

extern "C" __launch_bounds__(ROWS* WORDS, 4) __global__
    void guided_median_global(const int16_t* __restrict__ filled, const uint8_t* __restrict__ left,
                              int16_t* __restrict__ disparity, int height, int width, int min_disparity,
                              int tolerance) {
    wait_for_previous();
    const auto grey = [=](int y, int x) { return left[at(y, x, width)]; };
    const bool aligned = moves_quads(uint64_t(filled) | uint64_t(left) | uint64_t(disparity), width);
    const Pixels<decltype(grey)> pixels = {filled, left, grey, height, width, aligned};
    smooth(pixels, disparity, min_disparity, tolerance);
}

extern "C" __launch_bounds__(ROWS* WORDS, 4) __global__
    void guided_median_texture(const int16_t* __restrict__ filled, cudaTextureObject_t left,
                               int16_t* __restrict__ disparity, int height, int width, int min_disparity,
                               int tolerance) {
    wait_for_previous();
    const auto grey = [=](int y, int x) { return texel(left, y, x); };
    const bool aligned = moves_quads(uint64_t(filled) | uint64_t(disparity), width);
    const Pixels<decltype(grey)> pixels = {filled, nullptr, grey, height, width, aligned};
    smooth(pixels, disparity, min_disparity, tolerance);
}
