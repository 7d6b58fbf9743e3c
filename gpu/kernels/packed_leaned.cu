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
// Build: LANES, ADAPTIVE as for packed_aggregation; SUM_BYTES as for swept.cuh; WARPS that walk; GROUP rows, RING at most, are
// straight code.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"
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
    if (warp == WARPS) Parcel(strip, from, strip.begin - 1, tag).put(shared.paths[RING - 1]);
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
