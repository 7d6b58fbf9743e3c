// Sweeps down and up, in packed 16-bit arithmetic.  Computes gpu.reference.path_aggregation where two pixels lie
// before each, and keeps the path costs of both sweeps.
//
// Leaned. Row r of a sweep, counted from its first, is moved r columns to the right. Of the two pixels before a
// pixel the right one then lies in its own column, the left one two columns to the left, and none to the right:
//
//   row r-1     left  .  right
//   row r                pixel
//
// So a block that owns some columns walks down all rows as soon as the block to its left is ahead of it. It has what
// its first two columns need from where that one stored it, and is told how far that one is. Columns are taken in
// their order: whatever number of blocks a GPU holds, none waits for one that has not begun.
//
// Within a block, path costs go from column to column by shared memory, a barrier a row. What a row takes from
// global memory is asked for AHEAD rows before.
//
// Launch: packed_sweep_begin: one block. packed_sweep: block (THREADS), one block for each COLUMNS of the leaned
//         columns of every sweep. The first sweep goes by `dy`, another the other way; their volumes follow `others`
//         of rows. `progress`: how many blocks took columns, then rows done of each, sweep by sweep.
// Build: LANES, PATH_COST as for packed_aggregation.

#include "common.cuh"
#include "packed.cuh"
#include "stored.cuh"
#include "handed_over.cuh"

constexpr int COLUMNS = THREADS / LANES;  // of a block
constexpr int AHEAD = 2, RING = 4;        // rows under way, and those there is room for
constexpr int DONE = 0x7FFFFFFF;          // all rows

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
    uint4 costs[RING][THREADS];                 // matching costs
    Stored<PATH_COST> handed[RING][2 * LANES];  // path costs of the two columns to the left
    uint4 paths[2][2][THREADS];                 // path costs: rows, halves of a lane's words
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
    __device__ int grey(int row, int x) const { return inside(row, x) ? grey_of(steps[place(row, x)]) : 0; }
};

// What a thread asks for, of its own column, and for the first two columns of those to their left.
struct Requests {
    const Sweep& sweep;
    const Lane& lane;
    Shared& shared;
    const int* left;  // rows done of the block to the left; absent for the first
    int column;

    // Ask for what a row needs.
    __device__ void begin(int row) {
        const int x = column - row;
        if (sweep.inside(row, x))
            fetch(&shared.costs[row % RING][threadIdx.x],
                  reinterpret_cast<const uint4*>(sweep.costs + sweep.place(row, x) * sweep.disparities +
                                                 2 * lane.first));
        if (threadIdx.x < 2 * LANES && left && row < sweep.height && sweep.inside(row - 1, x - 1)) {
            while (published(left) < row) {
            }
            const uint64_t from = sweep.place(row - 1, x - 1) * sweep.disparities + 2 * lane.first;
            const uint4* quads = reinterpret_cast<const uint4*>(sweep.volume + from * sizeof(PATH_COST));
#pragma unroll
            for (int i = 0; i < int(sizeof(PATH_COST)); ++i)
                fetch(&shared.handed[row % RING][threadIdx.x].quads[i], quads + i);
        }
        fetched();
    }
};

// Keep a lane's path costs for the other columns, or take those of another lane.
__device__ inline void keep(uint4 (&halves)[2][THREADS], const uint32_t (&path)[8]) {
    halves[0][threadIdx.x] = make_uint4(path[0], path[1], path[2], path[3]);
    halves[1][threadIdx.x] = make_uint4(path[4], path[5], path[6], path[7]);
}
__device__ inline void take(uint32_t (&path)[8], const uint4 (&halves)[2][THREADS], int thread) {
    const uint4 a = halves[0][thread], b = halves[1][thread];
    const uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < 8; ++j)
        path[j] = words[j];
}

// Walk down the rows in which the block's columns have pixels.
__device__ inline void walk(const Sweep& sweep, Shared& shared, int first_column, uint32_t p1,
                            const int* left, int* progress) {
    const Lane lane(threadIdx.x % LANES, 8, sweep.disparities / 2);
    const int column = first_column + threadIdx.x / LANES;
    const int begin = max(0, first_column - sweep.width + 1);
    const int end = min(sweep.height, first_column + COLUMNS);
    Requests requests = {sweep, lane, shared, left, column};
#pragma unroll
    for (int i = 0; i < AHEAD; ++i)
        requests.begin(begin + i);
    int grey = sweep.grey(begin, column - begin);
    int left_grey = sweep.grey(begin - 1, column - begin - 1),
        right_grey = sweep.grey(begin - 1, column - begin + 1);
    uint32_t path[8] = {};
    for (int row = begin; row < end; ++row) {
        const int x = column - row;
        requests.begin(row + AHEAD);
        const int next = sweep.grey(row + 1, x - 1), next_left = sweep.grey(row, x - 2);
        arrive<AHEAD>();
        uint32_t costs[8], beside[8], sent[2][8] = {};
        if (row > 0 && sweep.width > 1) {  // for all pixels, or none
            if (threadIdx.x < 2 * LANES)
                shared.handed[row % RING][threadIdx.x].unpack(beside);
            else
                take(beside, shared.paths[(row - 1) % 2], threadIdx.x - 2 * LANES);
            send(sent[0], beside, shared.by_change[abs(grey - left_grey)], p1, lane);
            send(sent[1], path, shared.by_change[abs(grey - right_grey)], p1, lane);
#pragma unroll
            for (int j = 0; j < 8; ++j) {  // where one lies outside, the other stands in for it
                if (x == 0) sent[0][j] = sent[1][j];
                if (x == sweep.width - 1) sent[1][j] = sent[0][j];
            }
        }
        Stored<uint8_t> matches;
        matches.quads[0] = shared.costs[row % RING][threadIdx.x];
        matches.unpack(costs);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            path[j] = costs[j] + mean_of(sent[0][j], sent[1][j]);
        // The rows before were stored before the last barrier: by now they need hardly be waited for.
        if (threadIdx.x == THREADS - 1) publish(progress, row);
        const bool stores = lane.active && sweep.inside(row, x);
        const uint64_t place = sweep.place(row, x) * sweep.disparities + 2 * lane.first;
        store<PATH_COST>(sweep.volume + place * sizeof(PATH_COST), path, 0, stores);
        keep(shared.paths[row % 2], path);
        right_grey = grey;
        grey = next;
        left_grey = next_left;
        __syncthreads();  // the row is there, and the one before has been taken
    }
    if (threadIdx.x == THREADS - 1) publish(progress, DONE);
}

extern "C" __global__ void packed_sweep_begin(int32_t* progress, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        progress[i] = 0;
}

extern "C" __global__ void packed_sweep(const uint32_t* __restrict__ steps, const uint8_t* __restrict__ costs,
                                        uint8_t* volumes, int32_t* progress, int height, int width,
                                        int disparities, int p1, int p2, int adaptation, int others, int dy,
                                        int sweeps) {
    __shared__ Shared shared;
    __shared__ int taken;
    if (threadIdx.x == 0) taken = atomicAdd(progress, 1);
    tabulate(shared.by_change, p1, p2, adaptation);
    __syncthreads();  // the penalties are there, and which columns are the block's
    const int block = taken / sweeps, number = taken % sweeps, blocks = gridDim.x / sweeps;
    int* own = progress + 1 + number * blocks + block;
    uint8_t* volume = volumes + at((others + number) * height, 0, width, disparities) * sizeof(PATH_COST);
    const Sweep sweep = {steps, costs, volume, height, width, disparities, number == 0 ? dy : -dy};
    walk(sweep, shared, block * COLUMNS, p1 * 0x10001u, block > 0 ? own - 1 : nullptr, own);
}
