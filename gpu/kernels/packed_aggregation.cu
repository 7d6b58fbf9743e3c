// Path aggregation of all directions in one launch, in packed 16-bit arithmetic.  Computes
// gpu.reference.path_aggregation, and keeps the path costs of every direction.
//
// What a step costs is latency, since the minimum of a pixel is needed by the next. So nothing else is waited
// for. The costs are bytes that packed_matching left: one load a step for a lane, and no border concerns it.
// That load was begun a group of UNROLL steps or two before, into shared memory that no other lane touches.
// A grey level is asked for by one lane, for all of its pixel; where the penalty is the same everywhere, by none.
// And the steps of a group are straight code, from which the compiler takes what to do while the lanes agree
// on a minimum.
//
// A path that leaves the image sideways enters it again on the other side, as a new path. So every direction
// but the horizontal ones has width lines of height steps, all begin together, and those that go down read
// the same row of costs at about the same time, and so do those that go up: from the second-level cache, but
// for the first.
//
// Launch: block (THREADS). Rows are the longest lines, and come first, with fewer words a lane: `rows` of the two
// directions in turns, `across` blocks each. Then the `others` in turns. The first direction of all is `first`.
// Build: LANES is the smallest power of two with LANES * 16 >= disparities; ACROSS_SPAN are the lanes of a
// pixel of a row; ADAPTIVE whether the large penalty depends on the image; PATH_COST is what a path cost is
// stored as, uint8_t where the largest fits.

#include "common.cuh"
#include "packed.cuh"

constexpr int UNROLL = 4, GROUPS = 3;  // steps of a group; groups that are under way or in use

// A pixel on its way along a line; one that slides, sideways, may leave the image.
template <bool SLIDES>
struct Pixel {
    int x, place, dx, stride, edge, leap;  // `leap` columns from the edge to where a line goes on

    __device__ Pixel(int line, int dx, int dy, int height, int width)
        : dx(dx), stride(dy * width + dx), edge(dx > 0 ? width - 1 : 0), leap(dx > 0 ? -width : width) {
        const int y = dy == 0 ? line : dy > 0 ? 0 : height - 1;
        x = dy != 0 ? line : dx > 0 ? 0 : width - 1;
        place = y * width + x;
    }

    // Tell whether the next pixel begins a path.
    __device__ bool advance() {
        const bool leaves = SLIDES && x == edge;
        x += leaves ? dx + leap : dx;
        place += leaves ? stride + leap : stride;
        return leaves;
    }
};

// Penalties in both halves; `large` is that of every pixel, unless it is ADAPTIVE: then by change of level.
struct Penalties {
    const uint32_t* by_change;
    uint32_t small, large;
};

struct Views {
    const uint32_t* grey;  // grey levels of the left view
    const uint8_t* costs;  // matching costs, packed
    int height, width, disparities;
};

// What was fetched for the steps to come: costs by thread, grey levels by pixel.
template <int WORDS, int SPAN>
struct Fetched {
    struct alignas(2 * WORDS) Bytes {
        uint32_t pairs[WORDS / 2];
    };
    Bytes costs[GROUPS][UNROLL][THREADS];
    uint4 grey[ADAPTIVE ? GROUPS : 1][ADAPTIVE ? THREADS / SPAN : 1];  // of UNROLL steps
};

// Streamed past the second-level cache, where the matching costs should stay.
template <class Element, int WORDS>
__device__ void store(uint8_t* to, const uint32_t (&path)[WORDS], bool stores) {
    constexpr bool BYTES = sizeof(Element) == 1;
    constexpr int STORED = BYTES ? WORDS / 2 : WORDS;
    uint32_t words[STORED];
#pragma unroll
    for (int i = 0; i < STORED; ++i)
        words[i] = BYTES ? bytes_of(path[2 * i % WORDS], path[(2 * i + 1) % WORDS]) : path[i];
    if constexpr (STORED == 2) {
        if (stores) __stcs(reinterpret_cast<uint2*>(to), make_uint2(words[0], words[1]));
    } else {
#pragma unroll
        for (int i = 0; i < STORED; i += 4)
            if (stores)
                __stcs(reinterpret_cast<uint4*>(to) + i / 4,
                       make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
    }
}

// Fetch the grey levels of a group's steps, a step a lane; `left` steps of it lie in the image.
template <int SPAN>
__device__ void ask_grey(uint4& to, const uint32_t* grey, const unsigned (&places)[UNROLL], int turn,
                         int left) {
    constexpr int LANE_STEPS = SPAN < UNROLL ? SPAN : UNROLL;
    uint32_t* levels = reinterpret_cast<uint32_t*>(&to);
#pragma unroll
    for (int first = 0; first < UNROLL; first += LANE_STEPS) {
        unsigned place = 0;
#pragma unroll
        for (int i = 0; i < LANE_STEPS; ++i)
            if (turn == i) place = places[first + i];
        if (turn < LANE_STEPS && first + turn < left) fetch(levels + first + turn, grey + place);
    }
}

// Walk a line of a direction; `volume` takes the direction's path costs.
template <bool SLIDES, int WORDS, int SPAN>
__device__ void walk(const Views& views, uint8_t* volume, const Penalties& penalties, int index, int dx,
                     int dy, Fetched<WORDS, SPAN>& memory) {
    typedef typename Fetched<WORDS, SPAN>::Bytes Bytes;
    const int lines = dy == 0 ? views.height : views.width, steps = dy == 0 ? views.width : views.height;
    const Lane lane(threadIdx.x % SPAN, WORDS, views.disparities / 2);
    const bool stores = lane.active && index < lines;
    Pixel<SLIDES> now(min(index, lines - 1), dx, dy, views.height,
                      views.width);  // a surplus line repeats the last
    Pixel<SLIDES> later = now;
    const uint8_t* from = views.costs + 2 * lane.first;
    uint8_t* to = volume + 2 * lane.first * sizeof(PATH_COST);
    const uint64_t disparities = views.disparities;
    int asked = 0;
    const int pixel = threadIdx.x / SPAN, turn = threadIdx.x % SPAN;
    const auto ask = [&](int group) {
        unsigned places[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            places[i] = later.place;
            if (asked + i < steps)
                fetch(&memory.costs[group][i][threadIdx.x],
                      reinterpret_cast<const Bytes*>(from + places[i] * disparities));
            later.advance();
        }
        if constexpr (ADAPTIVE)
            ask_grey<SPAN>(memory.grey[group][pixel], views.grey, places, turn, steps - asked);
        asked += UNROLL;
        fetched();
    };
    ask(0);
    ask(1);
    uint32_t path[WORDS] = {}, smallest = 0;
    int before = 0;
    bool begins = true;
    for (int step = 0, group = 0; step < steps; step += UNROLL) {
        arrive<GROUPS - 2>();
        Bytes bytes[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            bytes[i] = memory.costs[group][i][threadIdx.x];
        uint4 quad = {};
        if constexpr (ADAPTIVE) {
            __syncwarp();  // what the pixel's other lanes fetched is there, too
            quad = memory.grey[group][pixel];
        }
        const int grey[UNROLL] = {int(quad.x), int(quad.y), int(quad.z), int(quad.w)};
        ask(group == 0 ? GROUPS - 1 : group - 1);
        group = group == GROUPS - 1 ? 0 : group + 1;
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            uint32_t costs[WORDS];
#pragma unroll
            for (int k = 0; k < WORDS / 2; ++k) {
                costs[2 * k] = even_of(bytes[i].pairs[k]);
                costs[2 * k + 1] = odd_of(bytes[i].pairs[k]);
            }
            uint32_t penalty = penalties.large;
            if constexpr (ADAPTIVE)
                penalty = penalties.by_change[abs(grey[i] - before) & 255];  // past the line's end, any
            before = grey[i];
            if (begins) penalty = smallest = 0;
            carry<WORDS, SPAN>(path, smallest, costs, penalty, penalties.small, lane);
            store<PATH_COST>(to + unsigned(now.place) * disparities * sizeof(PATH_COST), path,
                             stores && step + i < steps);
            begins = now.advance();
        }
    }
    arrive<0>();
}

extern "C" __global__ void packed_aggregation(const uint32_t* __restrict__ grey,
                                              const uint8_t* __restrict__ costs,
                                              uint8_t* __restrict__ volumes, int height, int width,
                                              int disparities, int p1, int p2, int adaptation, int first,
                                              int rows, int across, int others) {
    __shared__ uint32_t by_change[256];
    __shared__ union {
        Fetched<8, LANES> down;
        Fetched<8 * LANES / ACROSS_SPAN, ACROSS_SPAN> across;
    } memory;
    if (ADAPTIVE) {
        for (int g = threadIdx.x; g < 256; g += THREADS)
            by_change[g] = large_penalty(p1, p2, adaptation, g) * 0x10001;
        __syncthreads();
    }
    const Penalties penalties = {by_change, p1 * 0x10001u, p2 * 0x10001u};
    const Views views = {grey, costs, height, width, disparities};
    const int block = blockIdx.x, rest = block - rows * across;
    const int path = rest < 0 ? first + block % rows : max(first, 2) + rest % others;
    uint8_t* volume = volumes + at(height, 0, width, disparities) * sizeof(PATH_COST) * (path - first);
    if (path < 2) {
        const int index = block / rows * (THREADS / ACROSS_SPAN) + threadIdx.x / ACROSS_SPAN;
        walk<false, 8 * LANES / ACROSS_SPAN, ACROSS_SPAN>(views, volume, penalties, index, 2 * path - 1, 0,
                                                          memory.across);
        return;
    }
    const int index = rest / others * (THREADS / LANES) + threadIdx.x / LANES, odd = path % 2 ? 1 : -1;
    if (path < 4)
        walk<false, 8, LANES>(views, volume, penalties, index, 0, odd, memory.down);
    else
        walk<true, 8, LANES>(views, volume, penalties, index, odd, path < 6 ? -1 : 1, memory.down);
}
