// The six directions that leave a row in two sweeps, down and up, in packed 16-bit arithmetic.  Computes
// gpu.reference.path_aggregation for them, and keeps of each sweep the sum of its three paths.
//
// Leaned. Row r of a sweep, counted from its first, is moved r columns to the right. What lies before a pixel
// on its three paths is then in its own column or to the left of it:
//
//   row r-1     rightward  straight  leftward
//   row r                            pixel
//
// So a block that owns some columns walks down all rows as soon as the block to its left is ahead of it, which
// hands over the path costs of its last two columns, row by row. Blocks draw columns in their order: each waits
// for columns that were drawn before its own, however few blocks a GPU holds.
//
// Warps of a block wait for their neighbours only. Path costs go from column to column by shared memory, which
// has room for RING rows: a warp may be some rows ahead of the one to its right. Other warps hand over, and
// receive, so that no warp that walks waits for global memory.
//
// Borders take no code: a pixel outside the image has costs of 0. A path that comes from there brings nothing
// but zeros, and zeros, whose minimum is 0, are what lies before a path that begins.
//
// Path costs are true at every step. The smallest of them, which the next step subtracts, is found where it is
// needed, from what each lane found, so that no warp waits for its lanes to agree before it hands its row on.
//
// Rows need what sweeps leave: slots of schedulers, and memory. ROWERS warps more of a block walk them beside the
// sweeps, a row after the other as they find time. So do blocks beyond the first `sweepers`, which are as many as
// can sweep at once, and blocks that have nothing left to sweep. Without ROWERS each of these takes its share of
// the rows that are left: if the first to come took one for each of its warps, nothing would be left for the
// last. No row waits for another, nor does a sweep wait for rows.
//
// Launch: packed_sweep_begin, one thread; then block (32 * (WARPS + RECEIVERS + 1 + ROWERS)), a block for each
// multiprocessor, and for each that sweeps, with SHARED bytes. `turns`: how many blocks began, of how many
// frames, how many took columns, and how many warps rows. `handed`: by sweep, leaned columns, row and quad. Of
// two sweeps the first goes down.
// Build: LANES, ACROSS_SPAN, ADAPTIVE, PATH_COST, STRETCH, DIRECTIONS as for packed_aggregation; SUM_BYTES as
// for swept.cuh; WARPS that sweep, RECEIVERS beside them, and ROWERS, of which there may be none; GROUP rows, RING
// at most, are straight code.

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
#include "leaned_walk.cuh"

// Clear the row before a block's first, in which only columns to the left may have pixels.
__device__ inline void clear(Shared& shared) {
    for (int i = threadIdx.x; i < int(sizeof(Row) / sizeof(uint4)); i += 32 * SWEEPERS)
        (&shared.paths[RING - 1][0][0][0])[i] = uint4{};
    for (int i = threadIdx.x; i < int(sizeof shared.minima / sizeof(uint32_t)); i += 32 * SWEEPERS)
        (&shared.minima[0][0].parts[0])[i] = 0;
}

// What the launch is about.
struct Job {
    static constexpr int AT_ONCE = WALKING / ACROSS_SPAN;  // rows of a warp
    const uint32_t* steps;
    const uint8_t* costs;
    uint8_t* row_costs;
    SweptSums sums;
    uint32_t *turns, *handed;
    int height, width, disparities, sweepers;
    uint32_t p1, p2;  // in both halves

    __device__ int64_t volume() const { return int64_t(height) * width * disparities; }
    __device__ int strips() const { return (height + width - 1 + COLUMNS - 1) / COLUMNS; }  // of a sweep
    __device__ unsigned tasks() const { return ROWS * ((height + AT_ONCE - 1) / AT_ONCE); }

    // How many warps of a block walk rows, which is done after so many others that swept.
    __device__ int share(int others) const {
        const int left = int(tasks()) - int(const_cast<const volatile uint32_t&>(turns[3]));
        return (max(left, 0) + sweepers - others - 1) / (sweepers - others);
    }
};

// Sweep down, or up, the columns that are next; tell whether there were any.
__device__ inline bool sweep_next(const Job& job, Shared& shared, int warp, int& turn) {
    meet(32 * SWEEPERS);  // nobody needs what belongs to the columns before
    const int blocks = job.strips();
    if (threadIdx.x == 0) {
        const int taken = shared.taken = atomicAdd(job.turns + 2, 1u);
        shared.share = taken < 2 * blocks ? 0 : job.share(taken - 2 * blocks);
    }
    clear(shared);
    meet(32 * SWEEPERS);  // which columns are the block's is there, or its share of the rows
    const int sweep = shared.taken % 2, number = shared.taken / 2;
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
    const Views views = {job.steps, job.costs, job.disparities};
    const Penalties penalties = {shared.by_change, job.p1, job.p2};
    for (;;) {
        __syncwarp();  // all lanes are done with the rows before
        unsigned task = own_thread() == 0 ? atomicAdd(job.turns + 3, 1u) : 0;
        task = __shfl_sync(ALL, task, 0);
        if (task >= job.tasks()) return;
        for (int i = 0; i < 256; ++i)
            dally(256 * task + i);  // for so long that warps that swept find rows, too
        const int path = task % ROWS, index = task / ROWS * Job::AT_ONCE + own_thread() / ACROSS_SPAN;
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
    const Job job = {steps,  costs, row_costs,   {sums, ninths}, turns,         handed,
                     height, width, disparities, sweepers,       p1 * 0x10001u, p2 * 0x10001u};
    const bool sweeps = warp < SWEEPERS && int(shared.number) < sweepers;
    if (sweeps)
        for (int turn = 0; sweep_next(job, shared, warp, turn);)
            continue;
    if (ROWERS > 0 || !sweeps || warp < shared.share)
        walk_rows(job, shared, warp < SWEEPERS ? shared.after(warp) : shared.beside[warp - SWEEPERS]);
}
