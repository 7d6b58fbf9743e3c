// Paths from row to row, down, up and oblique, each line on its own. Include after packed.cuh.
//
// A line moves `slide` columns to the right in a row; with -1 or 1 there are height + width - 1 of them, which are in
// the image for some rows only. A block follows COLUMNS neighbouring lines at the same pace, so that they share what
// they are compared with: the last warp of the block, the courier, fetches it into shared memory, ROWS_AHEAD rows
// ahead, and the others neither compute an address of it nor wait for it.

constexpr int COLUMNS = (THREADS - 32) / LANES;
constexpr int ROWS_AHEAD = LANES == 32 ? 2 : 3, STAGES = ROWS_AHEAD + 1;  // as shared memory allows
// Quads of every eighth column that COLUMNS lines compare with; 4 modulo 8, so that groups of lanes keep off banks.
constexpr int SLOTS = ((COLUMNS + 16 * LANES) / 8 + 2 + 3) / 8 * 8 + 4;

// What the lanes of a block share: right descriptors of a row, by column modulo 8, and left pixels.
struct Supply {
    uint4 quads[STAGES][8][SLOTS];
    uint2 pixels[STAGES][COLUMNS];
};
constexpr int LINE_POOL = sizeof(Supply) / sizeof(uint4);

struct Lines {
    const Views& views;
    uint8_t* to;                // path costs of all pixels
    const uint32_t* penalties;  // by difference in grey level
    uint32_t p1;
    int line, slide;  // column of the first line at row 0; by how much lines move right in a row
    bool upwards;

    __device__ int start(int row) const { return line + slide * row; }
    __device__ int place(int row) const { return upwards ? views.height - 1 - row : row; }
    __device__ bool seen(int x) const { return unsigned(x) < unsigned(views.width); }

    // The rows in which one of the lines is in the image.
    __device__ int first_row() const {
        return max(0, slide > 0 ? 1 - line - COLUMNS : slide < 0 ? line - views.width + 1 : 0);
    }
    __device__ int last_row() const {
        const int end = slide > 0 ? views.width - line : slide < 0 ? line + COLUMNS : views.height;
        return min(views.height, end) - 1;
    }

    // The first right column of a row in shared memory, a multiple of 8 left of all that lanes compare with.
    __device__ int least(int row) const {
        return (start(row) - views.min_disparity - 2 * views.half + 4) & ~7;
    }
};

struct Courier {
    static constexpr int QUADS = 8 * SLOTS / 32, PIXELS = (COLUMNS + 31) / 32;
    const Lines& lines;
    Supply& supply;

    // Fetch what a row compares; of one after the last, any. Written out for the compiler to keep what is the same in
    // every row.
    __device__ void fetch_row(int row, int stage) {
        const Views& views = lines.views;
        const int eighth = views.pitch / 8, place = lines.place(min(row, lines.last_row()));
        const int least = lines.least(row) >> 3, lane = threadIdx.x % 32;
        const uint4* quads = views.right + uint64_t(unsigned(place)) * views.pitch;
        const uint2* pixels = views.pixels(place);
#pragma unroll
        for (int i = 0; i < QUADS; ++i) {
            const int at = lane + 32 * i, slot = at % SLOTS, offset = at / SLOTS * eighth;
            fetch(&supply.quads[stage][0][0] + at, quads + (offset + clamp(least + slot, 0, eighth - 1)));
        }
#pragma unroll
        for (int i = 0; i < PIXELS; ++i) {
            const int at = min(lane + 32 * i, COLUMNS - 1);
            fetch(&supply.pixels[stage][at], pixels + clamp(lines.start(row) + at, 0, views.width - 1));
        }
        fetched();
    }

    __device__ void run() {
        const int first = lines.first_row(), last = lines.last_row();
        int stage = 0;
        for (; stage < ROWS_AHEAD; ++stage)
            fetch_row(first + stage, stage);
        arrive<ROWS_AHEAD - 1>();
        __syncwarp();  // a barrier counts warps
        __syncthreads();
        for (int row = first; row <= last; ++row) {
            fetch_row(row + ROWS_AHEAD, stage);
            stage = stage == ROWS_AHEAD ? 0 : stage + 1;
            arrive<ROWS_AHEAD - 1>();
            __syncwarp();
            __syncthreads();
        }
        arrive<0>();
    }
};

// A lane of the warps that follow lines: 16 disparities of one.
struct Walker {
    const Lines& lines;
    const Supply& supply;
    const Lane lane;
    int column, shift, x, grey, stage;  // where the line is now; where the next row's supply is
    uint32_t path[8], smallest;

    __device__ Walker(const Lines& lines, const Supply& supply)
        : lines(lines), supply(supply), lane(threadIdx.x % LANES, 8, lines.views.half),
          column(threadIdx.x / LANES), shift(lines.views.min_disparity + lane.first),
          x(lines.start(lines.first_row()) + column), grey(0), stage(0), path{}, smallest(0) {}

    // The costs of the line's pixel at column x of a row, and the penalty P2' of the step that leads there.
    __device__ void compare(uint32_t (&costs)[8], uint32_t& penalty, int row, int x) {
        const int place = x - shift - lines.least(row);
        const uint4(&quads)[8][SLOTS] = supply.quads[stage];
        const uint4 *even = &quads[place & 7][place >> 3], *odd = &quads[(place - 4) & 7][(place - 4) >> 3];
        uint32_t low[8], high[8];
        put(low, 0, even[0]);
        put(low, 4, odd[0]);
        put(high, 0, even[-lines.views.half / 8]);
        put(high, 4, odd[-lines.views.half / 8]);
        const uint2 pixel = supply.pixels[stage][column];
        match(costs, pixel.x, low, high, lines.views);
        penalty = lines.penalties[abs(int(pixel.y) - grey)];
        grey = pixel.y;
        stage = stage == ROWS_AHEAD ? 0 : stage + 1;
    }

    // One row: carry on with its costs, and compare the next row while the lanes agree on the minimum.
    __device__ void step(int row, const uint32_t (&costs)[8], uint32_t penalty, uint32_t (&next)[8],
                         uint32_t& next_penalty) {
        const Views& views = lines.views;
        __syncthreads();  // the next row's supply is there
        compare(next, next_penalty, row + 1, x + lines.slide);
        const bool begins = lines.slide > 0 ? x <= 0 : lines.slide < 0 && x >= views.width - 1;
        if (begins) penalty = smallest = 0;
        carry<8, LANES>(path, costs, smallest, penalty, lines.p1, lane);
        smallest = minimum<LANES>(own_minimum(path, lane.active));
        const uint64_t disparity = at(lines.place(row), x, views.width, 2 * views.half) + 2 * lane.first;
        store<PATH_COST>(lines.to + disparity * sizeof(PATH_COST), path, lane.active && lines.seen(x));
        x += lines.slide;
        if (!__all_sync(ALL, inside<8>(x - shift, views))) mend(next, x - shift, views);
    }

    __device__ void walk() {
        const int first = lines.first_row(), last = lines.last_row();
        uint32_t odd[8], even[8], odd_penalty, even_penalty;
        __syncthreads();  // the first row's supply is there
        compare(odd, odd_penalty, first, x);
        mend(odd, x - shift, lines.views);
        odd_penalty = 0;  // the first pixels begin a path, or are not in the image
        for (int row = first; row <= last; ++row) {
            step(row, odd, odd_penalty, even, even_penalty);
            if (++row <= last) step(row, even, even_penalty, odd, odd_penalty);
        }
    }
};

__device__ inline void follow(const Lines& lines, uint4* pool) {
    Supply& supply = *reinterpret_cast<Supply*>(pool);
    if (threadIdx.x < THREADS - 32) {
        Walker(lines, supply).walk();
    } else {
        Courier courier = {lines, supply};
        courier.run();
    }
}
