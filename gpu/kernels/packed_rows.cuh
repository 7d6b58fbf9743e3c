// Paths along rows, each row on its own. Include after packed.cuh.
//
// A row is the longest chain there is, and what a step of it costs is latency: the minimum of one pixel is needed by
// the next. So four columns are straight code without a branch, in which the compiler matches the next costs while the
// lanes agree on a minimum. From a column to the next every right pixel serves the next disparity: two quads a lane,
// low and high, are all that four columns need anew. They are fetched GROUPS_AHEAD groups of four columns before.

constexpr int ROW_THREADS = THREADS, GROUPS_AHEAD = 2, GROUP_QUADS = 4;
constexpr int ROW_POOL = (GROUPS_AHEAD + 1) * GROUP_QUADS * ROW_THREADS;  // quads of shared memory

// A lane's way along a row, to the right (DX = 1) or to the left (DX = -1). The window holds the descriptors of WORDS + 3
// right pixels in the order of d, those that the lane's words are compared with at any of four columns.
template <int WORDS, int SPAN, int DX>
struct RowWalk {
    static constexpr int REACH = WORDS + 3, FRESH = DX > 0 ? 0 : REACH - 4;  // where new words come in
    const Views& views;
    const uint32_t* penalties;
    const Lane lane;
    uint32_t p1;
    bool stores;
    int row, shift;
    unsigned bytes;
    uint8_t* to;     // where column 0 is stored
    uint4* pool;     // this thread's part of shared memory, every ROW_THREADS-th quad
    int base, stage, ahead;  // first of the four columns, where they are in the pool, those asked for last
    uint32_t low[REACH], high[REACH], path[WORDS], smallest;
    int grey;

    __device__ RowWalk(const Views& views, uint8_t* volume, const uint32_t* penalties, uint32_t p1, int line,
                       uint4* pool)
        : views(views), penalties(penalties), lane(threadIdx.x % SPAN, WORDS, views.half), p1(p1),
          stores(lane.active && line < views.height), row(min(line, views.height - 1)),
          shift(views.min_disparity + lane.first), bytes(sizeof(PATH_COST) * 2 * views.half),
          pool(pool + threadIdx.x), base(DX > 0 ? 0 : (views.width - 1) / 4 * 4), stage(0), ahead(base), path{},
          smallest(0), grey(0) {
        to = volume + uint64_t(unsigned(row)) * views.width * bytes + sizeof(PATH_COST) * 2 * lane.first;
#pragma unroll
        for (int at = DX > 0 ? 4 : FRESH - 4; at > -4 && at < REACH; at += 4 * DX) {
            put(low, at, __ldg(views.quad(row, base + 3 - shift - at)));
            put(high, at, __ldg(views.quad(row, base + 3 - shift - at - views.half)));
        }
        for (int i = 0; i < GROUPS_AHEAD; ++i)
            ask(i);
    }

    __device__ uint4* quad(int stage, int i) const { return pool + (stage * GROUP_QUADS + i) * ROW_THREADS; }

    // Ask for the next four columns.
    __device__ void ask(int stage) {
        const int newest = ahead + 3 - shift - FRESH;
        const uint4* left = reinterpret_cast<const uint4*>(views.pixels(row)) +
                            clamp(ahead / 2, 0, views.pitch / 2 - 2);
        fetch(quad(stage, 0), views.quad(row, newest));
        fetch(quad(stage, 1), views.quad(row, newest - views.half));
        fetch(quad(stage, 2), left);
        fetch(quad(stage, 3), left + 1);
        fetched();
        ahead += 4 * DX;
    }

    // Whether four columns are all in the image, with all their right pixels, and none begins the path.
    __device__ bool plain() const {
        const bool seen = DX > 0 ? base > 0 && base + 3 < views.width : base + 4 < views.width;
        return seen && inside<WORDS>(base + 3 - shift, views) && inside<WORDS>(base - shift, views);
    }

    template <bool PLAIN>
    __device__ void four(const uint4 (&pixels)[2]) {
#pragma unroll
        for (int step = 0; step < 4; ++step) {
            const int i = DX > 0 ? step : 3 - step, x = base + i;
            const int now = i % 2 ? pixels[i / 2].w : pixels[i / 2].y;
            uint32_t costs[WORDS], penalty = penalties[abs(now - grey)];
            grey = now;
            match(costs, i % 2 ? pixels[i / 2].z : pixels[i / 2].x, low + 3 - i, high + 3 - i, views);
            if (!PLAIN) {
                mend(costs, x - shift, views);
                if (DX > 0 ? x == 0 : x >= views.width - 1) penalty = smallest = 0;
            }
            carry<WORDS, SPAN>(path, costs, smallest, penalty, p1, lane);
            smallest = minimum<SPAN>(own_minimum(path, lane.active));
            store<PATH_COST>(to + uint64_t(unsigned(x)) * bytes, path, stores && (PLAIN || x < views.width));
        }
    }

    __device__ void walk() {
        for (int done = 0; done < views.width; done += 4) {
            arrive<GROUPS_AHEAD - 1>();
            put(low, FRESH, *quad(stage, 0));
            put(high, FRESH, *quad(stage, 1));
            const uint4 pixels[2] = {*quad(stage, 2), *quad(stage, 3)};
            ask(stage == 0 ? GROUPS_AHEAD : stage - 1);
            stage = stage == GROUPS_AHEAD ? 0 : stage + 1;
            if (__all_sync(ALL, plain()))
                four<true>(pixels);
            else
                four<false>(pixels);
#pragma unroll
            for (int m = 0; m < WORDS - 1; ++m) {
                const int at = DX > 0 ? REACH - 1 - m : m;
                low[at] = low[at - 4 * DX];
                high[at] = high[at - 4 * DX];
            }
            base += 4 * DX;
        }
        arrive<0>();
    }
};
