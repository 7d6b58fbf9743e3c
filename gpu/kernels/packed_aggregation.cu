// Matching cost and path aggregation of all directions in one launch, in packed 16-bit arithmetic.  Computes
// gpu.reference.matching_cost and gpu.reference.path_aggregation, and keeps the path costs only.
//
// Packing. Word k of a pixel holds the costs of d = k (low half) and d = k + D/2 (high half), so that the
// neighbours d - 1 and d + 1 of both halves are the neighbouring words; only where the halves meet must they
// be permuted. SPAN consecutive lanes own a pixel, WORDS words each, in registers: no barrier in the loop.
// Lanes past the disparities compute along and are left out of the minimum and of the stores.
//
// Paths. A path that leaves the image sideways enters it again on the other side, as a new path: so every
// direction but the horizontal ones has width lines of height steps, and a warp stays on one row. Horizontal
// lines are the longest chains: they come first in the grid, and with fewer words a lane.
//
// Bounds. A path cost L is at most C + P2' <= 255 + 4095, its minimum m over d at most 255; so L + P1 and m +
// P2' stay below 0x7FFF. That is the value outside the range of d; it must survive + P1 in 16 bits, which
// 0xFFFF would not. L >= m makes t - m below safe as a subtraction of whole words: no borrow between the
// halves.
//
// What it bought, counted in SASS for 512 costs: 170 instructions, where one cost a register takes 205 to
// 360; look_ahead, a step of latency for its loads; `upper` and adding P1 by an integer add, 16 instructions
// moved from the ALU (half rate) to the multiplier.
//
// Launch: block (THREADS); first the blocks of the two horizontal directions, `across` each, then those of
// the others, `down` each.
// Build: LANES is the smallest power of two with LANES * 16 >= disparities; ACROSS_SPAN are the lanes of a
// pixel of a horizontal line; DESCRIPTOR is uint8_t (grey levels) or uint32_t (census words); PATH_COST is
// what a path cost is stored as, uint8_t where the largest fits.

#include "common.cuh"
#include "packed.cuh"

constexpr int ACROSS_WORDS = 8 * LANES / ACROSS_SPAN;
constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr uint32_t NEVER = 0x7FFF;    // the path cost of a disparity outside the range
constexpr uint32_t NEVER_TWICE = 0x7FFF7FFF;

__device__ inline int difference(uint32_t a, uint32_t b) {
    return sizeof(DESCRIPTOR) == 1 ? abs(int(a) - int(b)) : __popc(a ^ b);
}

struct Pair {
    const uint8_t* left;
    const DESCRIPTOR* left_descriptor;
    const uint4* quads;                               // packed_words tells their layout
    int height, width, half, min_disparity, outside;  // half the disparities; cost outside the image
    int upper;  // 65536, unknown to the compiler: it would shift and or on the ALU, which is the busiest pipe
};

// A pixel on its way along a line.
struct Walker {
    int x, place, dx, stride, width;
    bool begins;  // whether it is the first of a path

    __device__ Walker(int line, int dx, int dy, int height, int width)
        : dx(dx), stride(dy * width + dx), width(width), begins(true) {
        const int y = dy == 0 ? line : dy > 0 ? 0 : height - 1;
        x = dy != 0 ? line : dx > 0 ? 0 : width - 1;
        place = y * width + x;
    }

    __device__ void advance() {
        x += dx;
        const int wrapped = x < 0 ? width : x >= width ? -width : 0;
        x += wrapped;
        place += stride + wrapped;
        begins = wrapped != 0;
    }
};

// What a lane is within its pixel.
struct Lane {
    int first;              // its first word, and first disparity
    bool active;            // false if its words lie beyond half the disparities
    int before, after;      // the lanes that hold the words before and after its own, cyclically
    uint32_t below, above;  // how to permute what they give

    __device__ Lane(int lane, int words, int half) {
        const int last = half / words - 1;
        active = lane <= last;
        first = active ? lane * words : 0;
        before = lane == 0 ? last : lane - 1;
        after = lane == last ? 0 : lane + 1;
        below = lane == 0 ? 0x1054 : 0x3210;     // low: never; high: the low half of the last word
        above = lane == last ? 0x5432 : 0x3210;  // low: the high half of the first word; high: never
    }
};

// Everything of a pixel that does not depend on the path before it.
template <int WORDS>
struct Ahead {
    uint4 low[WORDS / 4], high[WORDS / 4];
    uint32_t left;
    int grey, x, place, partner;  // column of the right pixel for the lane's first disparity
    bool inside, safe, begins;    // whether its right pixels are all in the image; its quads all in memory
};

template <int WORDS>
__device__ void look_ahead(Ahead<WORDS>& ahead, const Pair& pair, const Walker& at, const Lane& lane) {
    const int shift = pair.min_disparity + lane.first;
    const int reach = pair.half + WORDS - 4;  // how far the last quad lies before the first
    const int pixels = pair.height * pair.width, last = at.place - shift - reach;
    ahead.safe = last >= 0 && last < pixels - reach;
    if (pixels > reach) {  // so that there are quads to load in place of those that are not safe
        const uint4* high = pair.quads + unsigned(quad_place(ahead.safe ? last : 0, pixels)) + WORDS / 4 - 1;
        const uint4* low = high + pair.half / 4;
#pragma unroll
        for (int i = 0; i < WORDS / 4; ++i) {
            ahead.low[i] = __ldg(low - i);
            ahead.high[i] = __ldg(high - i);
        }
    }
    ahead.left = pair.left_descriptor[unsigned(at.place)];
    ahead.grey = pair.left[unsigned(at.place)];
    ahead.x = at.x;
    ahead.place = at.place;
    ahead.begins = at.begins;
    ahead.partner = at.x - shift;
    ahead.inside = ahead.partner < pair.width && ahead.partner - pair.half - WORDS + 1 >= 0;
}

// The costs of a lane near the border, some of whose right pixels lie outside the image. Selects only, since
// a warp of the first D columns comes here at every step; the quads are not in memory only in the first and
// last rows.
template <int WORDS>
__device__ void mend(uint32_t (&costs)[WORDS], const Ahead<WORDS>& ahead, const Pair& pair) {
    const auto within = [&](int partner) { return unsigned(partner) < unsigned(pair.width); };
    const auto cost_at = [&](int partner) {
        const int pixel = ahead.place - ahead.x + partner, pixels = pair.height * pair.width;
        return within(partner) ? difference(ahead.left, pair.quads[quad_place(pixel, pixels)].x)
                               : pair.outside;
    };
    if (!ahead.safe) {
#pragma unroll
        for (int j = 0; j < WORDS; ++j)
            costs[j] = cost_at(ahead.partner - j) | cost_at(ahead.partner - j - pair.half) << 16;
        return;
    }
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        const uint32_t low = within(ahead.partner - j) ? costs[j] : pair.outside;
        const uint32_t high = within(ahead.partner - j - pair.half) ? costs[j] : pair.outside << 16;
        costs[j] = __byte_perm(low, high, 0x7610);
    }
}

template <int WORDS>
__device__ void match(uint32_t (&costs)[WORDS], const Ahead<WORDS>& ahead, const Pair& pair) {
    const auto both = [&](uint32_t low, uint32_t high) {
        return uint32_t(difference(ahead.left, high) * pair.upper + difference(ahead.left, low));
    };
#pragma unroll
    for (int i = 0; i < WORDS / 4; ++i) {
        costs[4 * i] = both(ahead.low[i].x, ahead.high[i].x);
        costs[4 * i + 1] = both(ahead.low[i].y, ahead.high[i].y);
        costs[4 * i + 2] = both(ahead.low[i].z, ahead.high[i].z);
        costs[4 * i + 3] = both(ahead.low[i].w, ahead.high[i].w);
    }
    if (!ahead.inside) mend(costs, ahead, pair);
}

// The path costs of a pixel from those of the pixel before it; `smallest`, `penalty` and `p1` in both halves.
template <int WORDS, int SPAN>
__device__ void carry(uint32_t (&path)[WORDS], const uint32_t (&costs)[WORDS], uint32_t smallest,
                      uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t before = __byte_perm(__shfl_sync(ALL, path[WORDS - 1], lane.before, SPAN), NEVER, lane.below);
    const uint32_t after = __byte_perm(__shfl_sync(ALL, path[0], lane.after, SPAN), NEVER, lane.above);
    const uint32_t jump = smallest + penalty;
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        const uint32_t next = j + 1 < WORDS ? path[(j + 1) % WORDS] : after;
        const uint32_t t = __vimin3_u16x2(path[j], jump, __vminu2(before, next) + p1);
        before = path[j];
        path[j] = t + costs[j] - smallest;
    }
}

// The smallest path cost of a pixel, in both halves.
template <int WORDS, int SPAN>
__device__ uint32_t minimum(const uint32_t (&path)[WORDS], bool active) {
    uint32_t smallest = __vimin3_u16x2(path[0], path[1], __vminu2(path[2], path[3]));
#pragma unroll
    for (int j = 4; j < WORDS; j += 4)
        smallest =
            __vimin3_u16x2(smallest, __vminu2(path[j], path[j + 1]), __vminu2(path[j + 2], path[j + 3]));
    if (!active) smallest = NEVER_TWICE;
    smallest = __vminu2(smallest, __byte_perm(smallest, 0, 0x1032));
#pragma unroll
    for (int offset = SPAN / 2; offset > 0; offset /= 2)
        smallest = __vminu2(smallest, __shfl_xor_sync(ALL, smallest, offset));
    return smallest;
}

// As bytes, each pair of words becomes one: the even word's costs in the even bytes, the odd one's in the
// odd.
template <int WORDS>
__device__ void store(uint8_t* to, const uint32_t (&path)[WORDS]) {
    constexpr bool BYTES = sizeof(PATH_COST) == 1;
    constexpr int STORED = BYTES ? WORDS / 2 : WORDS;
    uint32_t words[STORED];
#pragma unroll
    for (int i = 0; i < STORED; ++i)
        words[i] = BYTES ? __byte_perm(path[2 * i % WORDS], path[(2 * i + 1) % WORDS], 0x6240) : path[i];
    if constexpr (STORED == 2)
        *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
    else
#pragma unroll
        for (int i = 0; i < STORED; i += 4)
            reinterpret_cast<uint4*>(to)[i / 4] =
                make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]);
}

// Walk one line of a direction; `lines` of them, and `volume` takes the direction's path costs.
template <int WORDS, int SPAN>
__device__ void walk(const Pair& pair, uint8_t* volume, const uint32_t* penalties, uint32_t p1, int line,
                     int dx, int dy) {
    const int lines = dy == 0 ? pair.height : pair.width, steps = dy == 0 ? pair.width : pair.height;
    const Lane lane(threadIdx.x % SPAN, WORDS, pair.half);
    const bool stores = lane.active && line < lines;
    Walker at(min(line, lines - 1), dx, dy, pair.height, pair.width);  // a surplus line repeats the last
    uint8_t* const to = volume + sizeof(PATH_COST) * 2 * lane.first;
    const unsigned bytes = sizeof(PATH_COST) * 2 * pair.half;
    uint32_t path[WORDS] = {}, costs[WORDS], smallest = 0;
    Ahead<WORDS> ahead = {};
    look_ahead(ahead, pair, at, lane);
    match(costs, ahead, pair);
    int place = ahead.place, grey = ahead.grey;
    uint32_t penalty = 0;  // 0, as the minimum before it is, makes the first path costs L = C
    if (steps > 1) at.advance();
    look_ahead(ahead, pair, at, lane);
    for (int step = 0; step < steps; ++step) {
        const uint32_t next_penalty = ahead.begins ? 0 : penalties[abs(ahead.grey - grey)];
        carry<WORDS, SPAN>(path, costs, smallest, penalty, p1, lane);
        smallest = minimum<WORDS, SPAN>(path, lane.active);
        if (stores) store(to + uint64_t(unsigned(place)) * bytes, path);
        // The next pixel's loads were issued a step ago, and those of the one after it are issued here: a
        // load has a whole step to arrive, which asking for it earlier in this step would not give it.
        match(costs, ahead, pair);
        if (ahead.begins) smallest = 0;
        penalty = next_penalty;
        place = ahead.place;
        grey = ahead.grey;
        if (step + 2 < steps) at.advance();
        look_ahead(ahead, pair, at, lane);
    }
}

// P2' where the grey level changes by g; adaptation 0: none, 1: divide, 2: soft.
__device__ inline int large_penalty(int p1, int p2, int adaptation, int g) {
    if (adaptation == 1) return max(p1, p2 / max(g, 1));
    if (adaptation == 2) return max(3 * p1 / 2, 16 * p2 / (16 + g));
    return p2;
}

extern "C" __global__ void packed_aggregation(const uint8_t* __restrict__ left,
                                              const DESCRIPTOR* __restrict__ left_descriptor,
                                              const uint32_t* __restrict__ quads,
                                              uint8_t* __restrict__ volumes, int height, int width,
                                              int disparities, int min_disparity, int outside, int p1, int p2,
                                              int adaptation, int across, int down, int upper) {
    __shared__ uint32_t penalties[256];
    for (int g = threadIdx.x; g < 256; g += THREADS)
        penalties[g] = large_penalty(p1, p2, adaptation, g) * 0x10001;
    __syncthreads();
    const Pair pair = {left,          left_descriptor, reinterpret_cast<const uint4*>(quads),
                       height,        width,           disparities / 2,
                       min_disparity, outside,         upper};
    const int block = blockIdx.x, others = block - 2 * across;
    const int path = others < 0 ? block / across : 2 + others / down;
    uint8_t* volume = volumes + at(height, 0, width, disparities) * sizeof(PATH_COST) * path;
    if (path < 2) {
        const int line = (block % across) * (THREADS / ACROSS_SPAN) + threadIdx.x / ACROSS_SPAN;
        walk<ACROSS_WORDS, ACROSS_SPAN>(pair, volume, penalties, p1 * 0x10001, line, 2 * path - 1, 0);
    } else {
        const int line = (others % down) * (THREADS / LANES) + threadIdx.x / LANES;
        const int dx = path < 4 ? 0 : path < 6 ? 1 : -1;
        walk<8, LANES>(pair, volume, penalties, p1 * 0x10001, line, dx, path % 2 ? 1 : -1);
    }
}
