// The six directions that leave a row in two sweeps, down and up, in packed 16-bit arithmetic.  Computes
// gpu.reference.path_aggregation for them, and keeps of each sweep the sum of its three paths.
//
// Leaned. Row r of a sweep, counted from its first, is moved r columns to the right. What lies before a pixel on its three
// paths is then in its own column or to the left of it:
//
//   row r-1     rightward  straight  leftward
//   row r                            pixel
//
// So a block that owns some columns walks down all rows as soon as the block to its left is ahead of it, which hands
// over the path costs of its last two columns, row by row. Blocks take columns in the order in which they begin: each waits
// for one that began before it, however few a GPU holds.
//
// Warps of a block wait for their neighbours only. Path costs go from column to column by shared memory, which has
// room for RING rows: a warp may be some rows ahead of the one to its right. Other warps hand over, and receive, so that
// no warp that walks waits for global memory.
//
// Borders take no code: a pixel outside the image has costs of 0. A path that comes from there brings nothing but zeros,
// and zeros, whose minimum is 0, are what lies before a path that begins.
//
// Path costs are true at every step. The smallest of them, which the next step subtracts, is found where it is
// needed, from what each lane found, so that no warp waits for its lanes to agree before it hands its row on.
//
// Launch: packed_sweep_begin, one thread; then block (THREADS), a block for each COLUMNS leaned columns of both sweeps, with
//         SHARED bytes. `turns`: how many blocks took columns, and of how many frames. `handed`: by sweep, block, row
//         and quad. Of two sweeps the first goes down.
// Build: LANES, ADAPTIVE as for packed_aggregation; SUM_BYTES as for swept.cuh; WARPS that walk; GROUP rows are straight code.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "handed_over.cuh"
#include "flags.cuh"
#include "swept.cuh"

constexpr int PIXELS = 32 / LANES, COLUMNS = WARPS * PIXELS;  // of a warp, and of a block
constexpr int WALKERS = 32 * WARPS, RECEIVERS = 4;            // threads; warps
constexpr int RING = 8, AHEAD = 3, SLOTS = AHEAD + 1;  // rows of path costs; rows under way, and their room
constexpr int PARTS = LANES < 8 ? LANES : 8;           // of a pixel's minima
constexpr int QUADS = 6 * LANES;                       // of a row that is handed over
constexpr int REACH = PIXELS == 1 ? 2 : 1;             // warps that have the two columns to one side
constexpr int STRAIGHT = 0, RIGHTWARD = 1;

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

// What a block shares. Its columns come after the two to their left; a row's path costs are quads, by direction, half
// of a lane's words, and lane.
typedef uint4 Row[2][2][(COLUMNS + 2) * LANES];
struct Shared {
    Row paths[RING];
    Minima minima[RING][COLUMNS + 2];
    uint4 costs[SLOTS][WALKERS];
    uint32_t steps[ADAPTIVE ? SLOTS : 1][WARPS][PIXELS + 2];  // of a warp's columns and two to their left
    uint32_t by_change[256];
    Flag rows[1 + WARPS + 1][RING];  // that the receivers, each warp that walks, and the sender have done
    uint32_t taken;
};
static_assert(sizeof(Shared) <= SHARED, "a block shares more than it asks for");

__device__ inline void take(uint32_t (&path)[8], const Row& row, int direction, int place) {
    Stored<uint16_t>{{row[direction][0][place], row[direction][1][place]}}.unpack(path);
}
__device__ inline void leave(Row& row, int direction, int place, const uint32_t (&path)[8]) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
        row[direction][half][place] = quad_of(path, 4 * half);
}

// Wait until some warps beside each other, the receivers and the sender among them, have done a row of the ring so many times.
__device__ inline void wait_for(const Shared& shared, int first, int count, int row, int times) {
#pragma unroll
    for (int i = 0; i < count; ++i)
        wait(shared.rows[clamp(first + i, 0, WARPS + 1)][row], times);
}

// Carry path costs to the next pixel. What is more than the large penalty above the smallest is a jump from there.
__device__ inline void go(uint32_t (&path)[8], const uint32_t (&costs)[8], uint32_t smallest,
                          uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t above[8];
    const uint32_t less = lower_half(0u - smallest);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        above[j] = __viaddmin_u16x2(path[j], less, penalty);
    stay<8, LANES>(path, above, costs, p1, lane);
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

// Start to copy to shared memory, if there is something to copy; else put zeros.
template <class T>
__device__ inline void fetch_or_clear(T* to, const T* from, bool exists) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned address = unsigned(__cvta_generic_to_shared(to)), size = exists ? sizeof(T) : 0;
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                     "n"(sizeof(T)), "r"(size)
                     : "memory");
#else
    if (exists)
        *to = *from;
    else
        *to = T{};
#endif
}

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

// The grey levels that a warp fetches, of its columns and two to their left, a lane a column; of 32 columns, two more.
struct Shades {
    uint32_t (*to)[WARPS][PIXELS + 2];
    const uint32_t* from;  // the next row
    int x, rows;           // of the pixel there, and rows left
    int width, down;

    __device__ Shades(Shared& shared, const Strip& strip, const uint32_t* steps, int warp)
        : to(shared.steps), from(steps),
          x(strip.first + warp * PIXELS - 2 + int(threadIdx.x % 32) - strip.begin),
          rows(strip.end - strip.begin), width(strip.width), down(strip.down()) {
        from += strip.pixel(strip.begin, x + strip.begin);
    }

    __device__ void fetch(int slot, int warp) {
        const int i = threadIdx.x % 32;
        if (i < PIXELS + 2)
            fetch_or_clear(&to[slot][warp][i], from, rows > 0 && unsigned(x) < unsigned(width));
        if constexpr (PIXELS == 32)
            if (i < 2)
                fetch_or_clear(&to[slot][warp][i + 32], from + 32,
                               rows > 0 && unsigned(x + 32) < unsigned(width));
        move(1);
    }

    __device__ void move(int by) {
        from += by * down;
        x -= by;
        rows -= by;
    }
};

// A warp's walk down the rows; a thread has a lane's part of a column.
struct Walk {
    Shared& shared;
    const Lane lane;
    const int warp, place;  // the column within the block
    const int rows;
    const int64_t down;  // from a pixel to the next one in the column, in a volume
    const uint32_t p1;   // in both halves
    Column column;
    const uint8_t* from;  // the thread's part of the costs to be fetched next
    SweptSums sums;       // and of the sums to be stored next
    Shades shades;
    uint32_t costs[8], penalties[3];       // of the row to come; of the directions in turn
    uint32_t leftward[8] = {}, least = 0;  // path costs, and the smallest

    __device__ Walk(Shared& shared, const Strip& strip, const uint32_t* steps, const uint8_t* costs,
                    const SweptSums& all, int warp, uint32_t p1, uint32_t p2)
        : shared(shared), lane(threadIdx.x % LANES, 8, strip.disparities / 2), warp(warp),
          place(threadIdx.x / LANES), rows(strip.end - strip.begin),
          down(int64_t(strip.down()) * strip.disparities), p1(p1), column(strip, strip.first + place),
          from(costs), sums(all), shades(shared, strip, steps, warp), penalties{p2, p2, p2} {
        const int64_t first =
            strip.pixel(strip.begin, strip.first + place) * strip.disparities + 2 * lane.first;
        from += first;
        sums.advance(first);
        if (!lane.active) column.count = 0;
    }

    // Start to fetch what a row takes, which is so many rows from the next one; rows are fetched in their order.
    __device__ void fetch_row(int slot, int rows_ahead) {
        fetch_or_clear(&shared.costs[slot][threadIdx.x], reinterpret_cast<const uint4*>(from),
                       column.exists(rows_ahead));
        if constexpr (ADAPTIVE) shades.fetch(slot, warp);
        fetched();
        from += down;
    }

    // Take what was fetched for the next row; `before` is the slot of the row before that.
    __device__ void prepare(int slot, int before) {
        arrive<AHEAD - 1>();
        Stored<uint8_t>{{shared.costs[slot][threadIdx.x]}}.unpack(costs);
        if constexpr (ADAPTIVE) {
            __syncwarp();  // what other lanes fetched is there
            const int own = place % PIXELS + 2, grey = grey_of(shared.steps[slot][warp][own]);
#pragma unroll
            for (int i = 0; i < 3; ++i)
                penalties[i] =
                    shared.by_change[abs(grey - grey_of(shared.steps[before][warp][own - i])) & 255];
        }
    }

    // Walk to the next row, which lies in a slot of the ring, from the one before.
    __device__ __forceinline__ void step(int slot, int before) {
        uint32_t straight[8], rightward[8];
        const int own = threadIdx.x + 2 * LANES;  // among the quads of a row
        const uint32_t straight_least = smallest_of(shared.minima[before][place + 1]);
        const uint32_t rightward_least = smallest_of(shared.minima[before][place]) >> 16;
        take(straight, shared.paths[before], STRAIGHT, own - LANES);
        take(rightward, shared.paths[before], RIGHTWARD, own - 2 * LANES);
        go(leftward, costs, least, penalties[0], p1, lane);
        go(straight, costs, straight_least, penalties[1], p1, lane);
        leave(shared.paths[slot], STRAIGHT, own, straight);
        go(rightward, costs, rightward_least, penalties[2], p1, lane);
        leave(shared.paths[slot], RIGHTWARD, own, rightward);
        note_minima(slot, smallest_of(straight), smallest_of(rightward));
        raise(shared.rows[1 + warp][slot]);
        least = of_pixel<LANES>(own_minimum(leftward) | lane.absent);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            straight[j] += leftward[j] + rightward[j];
        sums.put(straight, column.exists(0));
        sums.advance(down);
        --column.left;
    }

    // Leave the lane's part of the minima, or what some lanes agreed on, if a pixel has more lanes than PARTS.
    __device__ void note_minima(int slot, uint32_t straight, uint32_t rightward) const {
        uint32_t both =
            __vminu2(__byte_perm(straight, rightward, 0x5410), __byte_perm(straight, rightward, 0x7632)) |
            lane.absent;
#pragma unroll
        for (int offset = LANES / 2; offset >= PARTS; offset /= 2)
            both = __vminu2(both, __shfl_xor_sync(ALL, both, offset));
        const int turn = threadIdx.x % LANES;
        if (turn < PARTS) shared.minima[slot][place + 2].parts[turn] = both;
    }

    __device__ void run() {
        if constexpr (ADAPTIVE) {
            shades.move(-1);
            shades.fetch(SLOTS - 1, warp);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            fetch_row(i, i);
        prepare(0, SLOTS - 1);
        for (int turn = 0; turn * RING < rows; ++turn) {
#pragma unroll GROUP
            for (int i = 0; i < RING; ++i) {
                const int before = (i + RING - 1) % RING;
                if (i % 4 == 0)  // room for four rows
                    wait_for(shared, warp + 2, REACH, (i + RING - 4) % RING, turn + (i >= 4));
                wait_for(shared, warp + 1 - REACH, REACH, before, turn + (i > 0));
                dally(turn * 57 + i + 31 * warp);
                step(i, before);
                fetch_row((i + AHEAD) % SLOTS, AHEAD - 1);
                prepare((i + 1) % SLOTS, i % SLOTS);
            }
        }
        arrive<0>();
    }
};

// Where a row's quad lies in the memory of a block, of the columns that are handed over: straight of the last one,
// then rightward of the last one and of the one before. `columns` are those to the left of the last one.
__device__ inline uint4& handed_quad(Row& row, int quad, int columns) {
    const int part = quad / (2 * LANES), half = quad / LANES % 2, lane = quad % LANES;
    return row[part == 0 ? STRAIGHT : RIGHTWARD][half][(columns - (part == 2)) * LANES + lane];
}

// Receive a row from the block to the left into its place in the ring.
__device__ inline void receive(Shared& shared, const Strip& strip, const uint4* from, int row, int slot,
                               uint32_t tag) {
    const bool there = strip.receives(row);
    const uint4* quads = from + int64_t(row) * QUADS;
    for (int i = threadIdx.x % 32; i < QUADS; i += 32) {
        uint4 quad = {};
        if (there) {
            do {
                quad = look(quads + i);
            } while (!came(quad, tag));
        }
        quad.x &= ~TAG, quad.y &= ~TAG, quad.z &= ~TAG, quad.w &= ~TAG;
        handed_quad(shared.paths[slot], i, 1) = quad;
    }
    __syncwarp();
}

// A warp that receives every RECEIVERS-th row, from one on. The minima of what comes are 0.
__device__ inline void receive_rows(Shared& shared, const Strip& strip, const uint4* from, int first,
                                    uint32_t tag) {
    for (int turn = 0; strip.begin + turn * RING < strip.end; ++turn)
        for (int i = first; i < RING; i += RECEIVERS) {
            wait_for(shared, 1, REACH, (i + 1) % RING, turn + (i + 1 == RING));  // room for the row
            dally(turn * 57 + i);
            receive(shared, strip, from, strip.begin + turn * RING + i, i, tag);
            raise(shared.rows[0][i]);
        }
}

__device__ inline uint4 less(const uint4& quad, uint32_t by) {
    return make_uint4(quad.x - by, quad.y - by, quad.z - by, quad.w - by);
}

// A warp that hands over what the last columns leave, less the smallest of it.
__device__ inline void send_rows(Shared& shared, const Strip& strip, uint4* to, uint32_t tag) {
    for (int turn = 0; strip.begin + turn * RING < strip.end; ++turn)
        for (int i = 0; i < RING; ++i) {
            const int row = strip.begin + turn * RING + i;
            raise(shared.rows[WARPS + 1][i]);  // the row before was read
            wait_for(shared, WARPS + 1 - REACH, REACH, i, turn + 1);
            dally(row * 7);
            const uint32_t last = smallest_of(shared.minima[i][COLUMNS + 1]);
            const uint32_t before = upper_half(smallest_of(shared.minima[i][COLUMNS]));
            for (int quad = threadIdx.x % 32; to && row < strip.end && quad < QUADS; quad += 32) {
                const int part = quad / (2 * LANES);
                const uint32_t by = part == 0 ? lower_half(last) : part == 1 ? upper_half(last) : before;
                hand_over(to + int64_t(row) * QUADS + quad,
                          less(handed_quad(shared.paths[i], quad, COLUMNS + 1), by), tag);
            }
            __syncwarp();
        }
}

// Prepare what a block shares: the row before its first, in which only columns to the left may have pixels.
__device__ inline void begin(Shared& shared, int p1, int p2, int adaptation) {
    for (int i = threadIdx.x; i < int(sizeof(Row) / sizeof(uint4)); i += blockDim.x)
        (&shared.paths[RING - 1][0][0][0])[i] = uint4{};
    for (int i = threadIdx.x; i < int(sizeof shared.minima / sizeof(uint32_t)); i += blockDim.x)
        (&shared.minima[0][0].parts[0])[i] = 0;
    for (int i = threadIdx.x; i < (WARPS + 2) * RING; i += blockDim.x)
        lower((&shared.rows[0][0])[i]);
    if constexpr (ADAPTIVE) tabulate(shared.by_change, p1, p2, adaptation);
}

extern "C" __launch_bounds__(WALKERS + 32 * (RECEIVERS + 1), 1) __global__
    void packed_leaned(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ costs, uint8_t* sums,
                       uint16_t* ninths, uint32_t* turns, uint32_t* handed, int height, int width,
                       int disparities, int p1, int p2, int adaptation) {
    extern __shared__ uint4 memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int warp = __shfl_sync(ALL, threadIdx.x / 32, 0);  // the same in all lanes, for all to see
    if (threadIdx.x == 0) shared.taken = atomicAdd(turns, 1u);
    begin(shared, p1, p2, adaptation);
    __syncthreads();  // which columns are the block's is there
    const int sweep = shared.taken % 2, number = shared.taken / 2, blocks = gridDim.x / 2;
    const Strip strip(number, height, width, disparities, sweep == 0);
    const int64_t volume = int64_t(sweep) * height * width * disparities;
    const uint32_t tag = turns[1] << 31;
    uint4* own = reinterpret_cast<uint4*>(handed) + int64_t(sweep * blocks + number) * height * QUADS;
    const uint4* from = own - int64_t(height) * QUADS;
    if (warp == WARPS) receive(shared, strip, from, strip.begin - 1, RING - 1, tag);
    __syncthreads();  // the row before the first is there
    if (warp < WARPS)
        Walk(shared, strip, steps, costs, {sums + volume * SUM_BYTES, ninths + volume / 16}, warp,
             p1 * 0x10001u, p2 * 0x10001u)
            .run();
    else if (warp < WARPS + RECEIVERS)
        receive_rows(shared, strip, from, warp - WARPS, tag);
    else
        send_rows(shared, strip, number < blocks - 1 ? own : nullptr, tag);
}
