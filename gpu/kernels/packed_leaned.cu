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
// Rows need what sweeps leave: slots of schedulers, and memory. ROWERS warps more of a block walk them, a row after the other as
// they find time. So do blocks beyond the first `sweepers`, which are as many as can sweep at once.
//
// Launch: packed_sweep_begin, one thread; then block (32 * (WARPS + 5 + ROWERS)), a block for each multiprocessor, and for
//         each that sweeps, with SHARED bytes. `turns`: how many blocks began, of how many frames, how many took columns, and how many
//         warps rows. `handed`: by sweep, leaned columns, row and quad. Of two sweeps the first goes down.
// Build: LANES, ACROSS_SPAN, ADAPTIVE, PATH_COST, STRETCH, DIRECTIONS as for packed_aggregation; SUM_BYTES as for swept.cuh; WARPS
// that sweep, and ROWERS, of which there may be none; GROUP rows, RING at most, are straight code.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "stretch.cuh"
#include "line.cuh"
#include "handed_over.cuh"
#include "flags.cuh"
#include "swept.cuh"
#include "leaned.cuh"
#include "couriers.cuh"

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
        take(straight, shared.paths[before], VERTICAL, own - LANES);
        take(rightward, shared.paths[before], RIGHTWARD, own - 2 * LANES);
        go(leftward, costs, least, penalties[0], p1, lane);
        go(straight, costs, straight_least, penalties[1], p1, lane);
        leave(shared.paths[slot], VERTICAL, own, straight);
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

    // Walk all rows; every row of the ring had so many turns before.
    __device__ void run(int turn) {
        if constexpr (ADAPTIVE) {
            shades.move(-1);
            shades.fetch(SLOTS - 1, warp);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            fetch_row(i, i);
        prepare(0, SLOTS - 1);
        for (int done = 0; done < rows; done += RING, ++turn) {
#pragma unroll GROUP
            for (int i = 0; i < RING; ++i) {
                const int before = (i + RING - 1) % RING;
                if (i % ROOM == 0)  // room for so many rows
                    wait_for(shared, warp + 2, REACH, (i + ROOM) % RING, turn + (i >= RING - ROOM));
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

// Clear the row before a block's first, in which only columns to the left may have pixels.
__device__ inline void clear(Shared& shared) {
    for (int i = threadIdx.x; i < int(sizeof(Row) / sizeof(uint4)); i += 32 * SWEEPERS)
        (&shared.paths[RING - 1][0][0][0])[i] = uint4{};
    for (int i = threadIdx.x; i < int(sizeof shared.minima / sizeof(uint32_t)); i += 32 * SWEEPERS)
        (&shared.minima[0][0].parts[0])[i] = 0;
}

// What the launch is about.
struct Job {
    const uint32_t* steps;
    const uint8_t* costs;
    uint8_t* row_costs;
    SweptSums sums;
    uint32_t *turns, *handed;
    int height, width, disparities;
    uint32_t p1, p2;  // in both halves

    __device__ int64_t volume() const { return int64_t(height) * width * disparities; }
};

// Sweep down, or up, the columns that are next; tell whether there were any.
__device__ inline bool sweep_next(const Job& job, Shared& shared, int warp, int& turn) {
    meet(32 * SWEEPERS);  // nobody needs what belongs to the columns before
    if (threadIdx.x == 0) shared.taken = atomicAdd(job.turns + 2, 1u);
    clear(shared);
    meet(32 * SWEEPERS);  // which columns are the block's is there
    const int sweep = shared.taken % 2, number = shared.taken / 2;
    const int blocks = (job.height + job.width - 1 + COLUMNS - 1) / COLUMNS;
    if (number >= blocks) return false;
    const Strip strip(number, job.height, job.width, job.disparities, sweep == 0);
    const uint32_t tag = job.turns[1] << 31;
    uint4* own = reinterpret_cast<uint4*>(job.handed) + int64_t(sweep * blocks + number) * job.height * QUADS;
    const uint4* from = own - int64_t(job.height) * QUADS;
    if (warp == WARPS) Parcel(strip, from, strip.begin - 1, tag).put(shared.paths[RING - 1]);
    meet(32 * SWEEPERS);  // the row before the first is there
    if (warp < WARPS) {
        SweptSums sums = job.sums;
        sums.advance(sweep * job.volume());
        Walk(shared, strip, job.steps, job.costs, sums, warp, job.p1, job.p2).run(turn);
    } else if (warp < WARPS + RECEIVERS) {
        receive_rows(shared, strip, from, warp - WARPS, tag, turn);
    } else {
        send_rows(shared, strip, number < blocks - 1 ? own : nullptr, tag, turn);
    }
    turn += (strip.end - strip.begin + RING - 1) / RING;
    return true;
}

// Walk the rows that are next, in both directions in turns, until there are no more.
__device__ inline void walk_rows(const Job& job, const Shared& shared, Fetching& memory) {
    constexpr int AT_ONCE = WALKING / ACROSS_SPAN;  // rows of a warp
    const Views views = {job.steps, job.costs, job.disparities};
    const Penalties penalties = {shared.by_change, job.p1, job.p2};
    const unsigned tasks = ROWS * ((job.height + AT_ONCE - 1) / AT_ONCE);
    for (;;) {
        __syncwarp();  // all lanes are done with the rows before
        unsigned task = own_thread() == 0 ? atomicAdd(job.turns + 3, 1u) : 0;
        task = __shfl_sync(ALL, task, 0);
        if (task >= tasks) return;
        for (int i = 0; i < 256; ++i)
            dally(256 * task + i);  // for so long that warps that swept find rows, too
        const int path = task % ROWS, index = task / ROWS * AT_ONCE + own_thread() / ACROSS_SPAN;
        const Course<true, false> course(dx_of(path), 0, job.height, job.width, job.disparities);
        uint8_t* kept = job.row_costs + path * job.volume() * sizeof(PATH_COST);
        walk<8 * LANES / ACROSS_SPAN, ACROSS_SPAN, false>(views, course, kept, penalties, index, memory);
    }
}

extern "C" __launch_bounds__(32 * (SWEEPERS + ROWERS), 1) __global__
    void packed_leaned(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ costs,
                       uint8_t* row_costs, uint8_t* sums, uint16_t* ninths, uint32_t* turns, uint32_t* handed,
                       int height, int width, int disparities, int p1, int p2, int adaptation, int sweepers) {
    extern __shared__ uint4 memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int warp = __shfl_sync(ALL, threadIdx.x / 32, 0);  // the same in all lanes, for all to see
    if (threadIdx.x == 0) shared.number = atomicAdd(turns, 1u);
    for (int i = threadIdx.x; i < (WARPS + 2) * RING; i += blockDim.x)
        lower((&shared.rows[0][0])[i]);
    if constexpr (ADAPTIVE) tabulate(shared.by_change, p1, p2, adaptation);
    __syncthreads();  // flags, penalties and the block's number are there
    const Job job = {steps,  costs, row_costs,   {sums, ninths}, turns,        handed,
                     height, width, disparities, p1 * 0x10001u,  p2 * 0x10001u};
    if (warp < SWEEPERS && int(shared.number) < sweepers)
        for (int turn = 0; sweep_next(job, shared, warp, turn);)
            continue;
    if constexpr (ROWERS > 0)
        walk_rows(job, shared, warp < SWEEPERS ? shared.after(warp) : shared.beside[warp - SWEEPERS]);
}
