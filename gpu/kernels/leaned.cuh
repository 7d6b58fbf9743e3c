// What a block of packed_leaned shares, and the leaned columns and rows that it walks. Include after flags.cuh
// and line.cuh.
//
// Build: LANES, ACROSS_SPAN, ADAPTIVE, WARPS, ROWERS, RECEIVERS, SHARED as for packed_leaned.

constexpr int PIXELS = 32 / LANES, COLUMNS = WARPS * PIXELS;  // of a warp, and of a block
constexpr int WALKERS = 32 * WARPS;                           // threads
constexpr int SWEEPERS = WARPS + RECEIVERS + 1;               // warps
constexpr int RING = WARPS > 8 ? 4 : 8;                       // rows of path costs
constexpr int ROOM = RING > 4 ? 4 : 1;                        // rows for which a warp asks at once
constexpr int AHEAD = 3, SLOTS = AHEAD + 1;                   // rows under way, and there is room for
static_assert(RING % SLOTS == 0 && RING % ROOM == 0 && RING % RECEIVERS == 0, "rows take turns");
constexpr int PARTS = LANES < 8 ? LANES : 8;  // of a pixel's minima
constexpr int QUADS = 6 * LANES;              // of a row that is handed over
constexpr int REACH = PIXELS == 1 ? 2 : 1;    // warps that have the two columns to one side
constexpr int VERTICAL = 0, RIGHTWARD = 1;
static_assert(COLUMNS >= 2, "a block hands over two columns of its own");

// Of what lanes found the smallest path costs of both directions, straight ones in the lower half.
struct alignas(PARTS < 4 ? 4 * PARTS : 16) Minima {
    uint32_t parts[PARTS];
};
__device__ inline uint32_t smallest_of(const Minima& minima) {
    uint32_t parts[PARTS];
    if constexpr (PARTS >= 4) {
#pragma unroll
        for (int i = 0; i < PARTS; i += 4) {
            const uint4 quad = *reinterpret_cast<const uint4*>(minima.parts + i);
            parts[i] = quad.x, parts[i + 1] = quad.y, parts[i + 2] = quad.z, parts[i + 3] = quad.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < PARTS; ++i)
            parts[i] = minima.parts[i];
    }
    if constexpr (PARTS == 1)
        return parts[0];
    else
        return smallest_of<PARTS>(parts);
}
__device__ inline uint32_t lower_half(uint32_t word) { return __byte_perm(word, 0, 0x1010); }
__device__ inline uint32_t upper_half(uint32_t word) { return __byte_perm(word, 0, 0x3232); }

// What a block shares. Its columns come after the two to their left; a row's path costs are quads, by
// direction, half of a lane's words, and lane.
typedef uint4 Row[2][2][(COLUMNS + 2) * LANES];
struct Sweeping {
    Row paths[RING];
    Minima minima[RING][COLUMNS + 2];
    uint4 costs[SLOTS][WALKERS];
    uint32_t steps[ADAPTIVE ? SLOTS : 1][WARPS][PIXELS + 2];  // of a warp's columns and two to their left
};

// Rows are walked by warps beside those that sweep, and by these, too, when nothing is left to sweep.
typedef Fetched<8 * LANES / ACROSS_SPAN, ACROSS_SPAN> Fetching;
struct Shared : Sweeping {
    Flag rows[1 + WARPS + 1][RING];  // that the receivers, each warp that walks, and the sender have done
    uint32_t by_change[256];
    uint32_t number, taken;  // of the block, and of its columns
    int share;               // warps that walk rows when nothing is left to sweep
    Fetching beside[ROWERS > 0 ? ROWERS : 1];

    __device__ Fetching& after(int warp) { return reinterpret_cast<Fetching*>(this)[warp]; }
};
static_assert(sizeof(Fetching) * SWEEPERS <= sizeof(Sweeping), "rows need more than sweeps");
static_assert(sizeof(Shared) <= SHARED, "a block shares more than it asks for");

__device__ inline void take(uint32_t (&path)[8], const Row& row, int direction, int place) {
    Stored<uint16_t>{{row[direction][0][place], row[direction][1][place]}}.unpack(path);
}
__device__ inline void leave(Row& row, int direction, int place, const uint32_t (&path)[8]) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
        row[direction][half][place] = quad_of(path, 4 * half);
}

// Wait until some warps beside each other, the receivers and the sender among them, have done a row of the ring
// so many times.
__device__ inline void wait_for(const Shared& shared, int first, int count, int row, int times) {
#pragma unroll
    for (int i = 0; i < count; ++i)
        wait(shared.rows[clamp(first + i, 0, WARPS + 1)][row], times);
}

// The columns of a block, and the rows in which pixels of the image are there.
struct Strip {
    int number, first, begin, end, height, width, disparities;
    bool downward;

    __device__ Strip(int number, int height, int width, int disparities, bool downward)
        : number(number), first(number * COLUMNS), begin(max(0, first - width + 1)),
          end(min(height, first + COLUMNS)), height(height), width(width), disparities(disparities),
          downward(downward) {}

    // The place in the image of a leaned column's pixel, which may lie outside, and from there to the next one.
    __device__ int64_t pixel(int row, int column) const {
        return int64_t(downward ? row : height - 1 - row) * width + column - row;
    }
    __device__ int down() const { return (downward ? width : -width) - 1; }
    // Whether the image has pixels in the columns to the left, and so these were handed over.
    __device__ bool receives(int row) const {
        return number > 0 && row >= max(0, first - COLUMNS - width + 1) && row < min(height, first);
    }
};

// The pixels of a leaned column that the image has, in the rows of a strip.
struct Column {
    int left;  // so many are left, from the next row on; more before the first
    int count;

    __device__ Column(const Strip& strip, int column) {
        const int last = max(0, column - strip.end + 1);  // x of the last one
        left = column - strip.begin - last;
        count = max(0, strip.width - last);
    }
    __device__ bool exists(int rows_ahead) const { return unsigned(left - rows_ahead) < unsigned(count); }
};
