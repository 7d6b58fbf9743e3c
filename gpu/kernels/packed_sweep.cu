// Sweeps down and up, in packed 16-bit arithmetic.  Computes gpu.reference.path_aggregation where two pixels lie
// before each, and keeps the path costs of both sweeps.
//
// Leaned. Row r of a sweep, counted from its first, is moved r columns to the right. Of the two pixels before a
// pixel the right one then lies in its own column, the left one two columns to the left, and none to the right:
//
//   row r-1     left  .  right
//   row r                pixel
//
// So a block that owns some columns walks down all rows as soon as the block to its left is ahead of it, which hands
// over the path costs of its last two columns, row by row. Columns are taken in their order: whatever number of
// blocks a GPU holds, none waits for one that has not begun.
//
// Within a block, path costs go from column to column by shared memory, a barrier a row. What a row takes from
// global memory is asked for AHEAD rows before.
//
// Launch: packed_sweep_begin: one thread. packed_sweep: block (THREADS), one block for each COLUMNS of the leaned
//         columns of every sweep. The first sweep goes by `dy`, another the other way; their volumes follow `others`
//         of rows. `turns`: how many blocks took columns, and of how many frames. `handed`: what is handed over, by
//         sweep, block, row, half of a lane's words, and thread.
// Build: LANES, PATH_COST as for packed_aggregation.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "handed_over.cuh"

constexpr int COLUMNS = THREADS / LANES;    // of a block
constexpr int AHEAD = 4, RING = AHEAD + 2;  // rows under way, and those there is room for
constexpr int EARLY = 2;                    // rows before what is handed over is looked for
constexpr int TO_RIGHT = 2 * LANES;         // threads of the two columns that are handed over

// The message from a pixel, by its path costs; `penalty` and `p1` in both halves.
__device__ inline void send(uint32_t (&sent)[8], const uint32_t (&path)[8], uint32_t penalty, uint32_t p1,
                            const Lane& lane) {
    const uint32_t nothing[8] = {}, smallest = of_pixel<LANES>(own_minimum(path) | lane.absent);
    uint32_t near[8];
    stay<8, LANES>(near, path, nothing, p1, lane);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        sent[j] = __vminu2(near[j], smallest + penalty) - smallest;
}

// The mean of two messages, halves rounded up. Each is at most 4095: sums need no more than the bits there are, and
// the lowest one of the upper half is kept out of the lower half.
__device__ inline uint32_t mean_of(uint32_t first, uint32_t second) {
    return (first + second + 0x10001) >> 1 & NEVER_TWICE;
}

// What a block shares: by row under way, and by row walked last.
struct Shared {
    uint32_t by_change[256];
    uint4 costs[RING][THREADS];         // matching costs
    uint32_t steps[RING][2 + COLUMNS];  // of the two columns to the left, and the block's own
    uint4 paths[2][2][THREADS];         // path costs: rows, halves of a lane's words
};

// The images, and the walk of a sweep over them.
struct Sweep {
    const uint32_t* steps;
    const uint8_t* costs;
    uint8_t* volume;
    int height, width, disparities, dy;

    // The place of a pixel by its row of the sweep.
    __device__ uint64_t place(int row, int x) const { return at(dy > 0 ? row : height - 1 - row, x, width); }
    __device__ bool inside(int row, int x) const { return 0 <= row && row < height && 0 <= x && x < width; }
};

// Eight words from two quads, and back.
__device__ inline void unpack(uint32_t (&words)[8], const uint4& a, const uint4& b) {
    const uint32_t all[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < 8; ++j)
        words[j] = all[j];
}
__device__ inline uint4 half_of(const uint32_t (&words)[8], int half) {
    const int first = 4 * half;
    return make_uint4(words[first], words[first + 1], words[first + 2], words[first + 3]);
}

// The path costs of a pixel that another block hands over, looked for before they are needed.
struct Coming {
    uint4 halves[2];

    __device__ void look_for(const uint4* from) {
        halves[0] = look(from);
        halves[1] = look(from + TO_RIGHT);
    }

    // Wait until they are there.
    __device__ void take(uint32_t (&path)[8], const uint4* from, uint32_t tag) {
        while (!came(halves[0], tag) || !came(halves[1], tag))
            look_for(from);
        unpack(path, halves[0], halves[1]);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            path[j] &= ~TAG;
    }
};

// What a block is handed by the one to its left, and hands to the one to its right, a row after the other; absent at
// the ends.
struct Handed {
    uint4 *from, *to;
    uint32_t tag;
};

// A thread's walk down the rows in which the block's columns have pixels.
struct Walk {
    const Sweep& sweep;
    const Handed& handed;
    Shared& shared;
    const Lane lane;
    const int column, begin, end;
    const int given;  // the thread among those that hand over; negative for others
    uint32_t path[8] = {};

    __device__ Walk(const Sweep& sweep, const Handed& handed, Shared& shared, int first)
        : sweep(sweep), handed(handed), shared(shared), lane(threadIdx.x % LANES, 8, sweep.disparities / 2),
          column(first + threadIdx.x / LANES), begin(max(0, first - sweep.width + 1)),
          end(min(sweep.height, first + COLUMNS)), given(threadIdx.x - (THREADS - TO_RIGHT)) {}

    // Ask for what a row takes of its pixels; of each a lane asks for the step, of those to the left another block's.
    __device__ void ask(int row) const {
        const int x = column - row;
        if (sweep.inside(row, x)) {
            const uint64_t place = sweep.place(row, x);
            fetch(&shared.costs[row % RING][threadIdx.x],
                  reinterpret_cast<const uint4*>(sweep.costs + place * sweep.disparities + 2 * lane.first));
            if (threadIdx.x % LANES == 0)
                fetch(&shared.steps[row % RING][2 + threadIdx.x / LANES], sweep.steps + place);
        }
        if (threadIdx.x % LANES == 0 && threadIdx.x < TO_RIGHT && sweep.inside(row, x - 2))
            fetch(&shared.steps[row % RING][threadIdx.x / LANES], sweep.steps + sweep.place(row, x - 2));
        fetched();
    }

    // The penalty from a pixel of the row before, by its column among those whose steps are there.
    __device__ uint32_t penalty(int row, int from) const {
        const int grey = grey_of(shared.steps[row % RING][2 + threadIdx.x / LANES]);
        const int before = grey_of(shared.steps[(row - 1) % RING][from]);
        return shared.by_change[abs(grey - before) & 255];  // outside the image, any
    }

    // Where the left one of the pixels before a row's is handed over to this thread, and whether it is.
    __device__ const uint4* source(int row) const {
        return handed.from + (row - 1) * 2 * TO_RIGHT + threadIdx.x;
    }
    __device__ bool is_handed(int row) const {
        return handed.from && threadIdx.x < TO_RIGHT && row < end && sweep.inside(row - 1, column - row - 1);
    }

    // Take the costs of both pixels before a row's, and make of them what they send.
    __device__ void receive(uint32_t (&sent)[2][8], int row, Coming& coming, uint32_t p1) {
        uint32_t left[8] = {};
        const int beside = threadIdx.x - TO_RIGHT;
        if (is_handed(row))
            coming.take(left, source(row), handed.tag);
        else if (beside >= 0)
            unpack(left, shared.paths[(row - 1) % 2][0][beside], shared.paths[(row - 1) % 2][1][beside]);
        send(sent[0], left, penalty(row, threadIdx.x / LANES), p1, lane);
        send(sent[1], path, penalty(row, 2 + threadIdx.x / LANES), p1, lane);
#pragma unroll
        for (int j = 0; j < 8; ++j) {  // where one lies outside, the other stands in for it
            if (column == row) sent[0][j] = sent[1][j];
            if (column == row + sweep.width - 1) sent[1][j] = sent[0][j];
        }
    }

    // Walk to a row, for which all was asked; ask for another one.
    __device__ void step(int row, Coming& coming, uint32_t p1) {
        const int x = column - row;
        ask(row + AHEAD);
        uint32_t costs[8], sent[2][8] = {};
        if (row > 0 && sweep.width > 1) receive(sent, row, coming, p1);  // for all pixels, or none
        if (is_handed(row + EARLY)) coming.look_for(source(row + EARLY));
        Stored<uint8_t> matches;
        matches.quads[0] = shared.costs[row % RING][threadIdx.x];
        matches.unpack(costs);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            path[j] = costs[j] + mean_of(sent[0][j], sent[1][j]);
        const bool inside = sweep.inside(row, x);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            shared.paths[row % 2][half][threadIdx.x] = half_of(path, half);
            if (handed.to && given >= 0 && inside)
                hand_over(handed.to + (row * 2 + half) * TO_RIGHT + given, half_of(path, half), handed.tag);
        }
        const uint64_t place = sweep.place(row, x) * sweep.disparities + 2 * lane.first;
        store<PATH_COST>(sweep.volume + place * sizeof(PATH_COST), path, 0, lane.active && inside);
        arrive<AHEAD - 1>();
        __syncthreads();  // the row is there, and the one before has been taken
    }

    __device__ void go(uint32_t p1) {
        Coming coming[EARLY];
#pragma unroll
        for (int i = 0; i < EARLY; ++i)
            if (is_handed(begin + i)) coming[i].look_for(source(begin + i));
#pragma unroll
        for (int i = -1; i < AHEAD; ++i)
            ask(begin + i);
        arrive<AHEAD - 1>();
        __syncthreads();
        for (int row = begin; row < end; row += EARLY)
#pragma unroll
            for (int i = 0; i < EARLY; ++i)
                if (row + i < end) step(row + i, coming[i], p1);
    }
};

extern "C" __global__ void packed_sweep_begin(uint32_t* turns) {
    turns[0] = 0;
    ++turns[1];
}

extern "C" __global__ void packed_sweep(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ costs,
                                        uint8_t* volumes, uint32_t* turns, uint32_t* handed, int height,
                                        int width, int disparities, int p1, int p2, int adaptation,
                                        int others, int dy, int sweeps) {
    __shared__ Shared shared;
    __shared__ uint32_t taken;
    if (threadIdx.x == 0) taken = atomicAdd(turns, 1u);
    tabulate(shared.by_change, p1, p2, adaptation);
    __syncthreads();  // the penalties are there, and which columns are the block's
    const int block = taken / sweeps, number = taken % sweeps, blocks = gridDim.x / sweeps;
    uint8_t* volume = volumes + at((others + number) * height, 0, width, disparities) * sizeof(PATH_COST);
    const Sweep sweep = {steps, costs, volume, height, width, disparities, number == 0 ? dy : -dy};
    const uint64_t rows = uint64_t(height) * 2 * TO_RIGHT;  // quads of what a block hands over
    uint4* own = reinterpret_cast<uint4*>(handed) + (number * blocks + block) * rows;
    const Handed between = {block > 0 ? own - rows : nullptr, block < blocks - 1 ? own : nullptr,
                            turns[1] << 31};
    Walk(sweep, between, shared, block * COLUMNS).go(p1 * 0x10001u);
}
