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
#include "packed_message.cuh"

constexpr int COLUMNS = THREADS / LANES;  // of a block
constexpr int AHEAD = 1, RING = 3;        // rows under way, and those there is room for
constexpr int TO_RIGHT = 2 * LANES;       // threads of the two columns that are handed over

// What a block shares: of rows under way what their pixels take, and of the last two rows the path costs.
struct Shared {
    uint32_t by_change[256];
    uint4 costs[RING][THREADS];         // matching costs
    uint32_t steps[RING][2 + COLUMNS];  // of the two columns to the left, and the block's own
    uint4 coming[RING][2][TO_RIGHT];  // path costs of the two columns to the left, by half of a lane's words
    uint4 paths[2][2][THREADS];       // by row, and half of a lane's words
};

// What a block is handed by the one to its left, and hands to the one to its right, row by row; absent at the ends.
struct Handed {
    uint4 *from, *to;
    uint32_t tag;
};

// A quad of eight words, of which `Stored<uint16_t>` has both.
__device__ inline uint4 half_of(const uint32_t (&words)[8], int half) {
    const int first = 4 * half;
    return make_uint4(words[first], words[first + 1], words[first + 2], words[first + 3]);
}

// A thread's walk down the rows in which its block's columns have pixels.
struct Walk {
    const uint32_t* steps;
    const uint8_t* costs;  // the thread's part of a pixel's, and so of the volume
    uint8_t* volume;
    const Handed& handed;
    Shared& shared;
    const Lane lane;
    const int width, place, begin, end;  // the column within the block, and the rows
    const int down;                      // from a pixel to the next one in the column, as places in the image
    const int64_t down_costs;            // and in a volume
    const bool first_lane, takes, gives;  // takes what is handed over, and hands over
    int row, x, pixel;                    // where the walk is; a place in the image
    int64_t pixel_costs;                  // and in a volume
    uint32_t path[8] = {};

    __device__ Walk(const uint32_t* steps, const uint8_t* costs, uint8_t* volume, const Handed& handed,
                    Shared& shared, int first, int height, int width, int disparities, int dy)
        : steps(steps), costs(costs), volume(volume), handed(handed), shared(shared),
          lane(threadIdx.x % LANES, 8, disparities / 2), width(width), place(threadIdx.x / LANES),
          begin(max(0, first - width + 1)), end(min(height, first + COLUMNS)), down(dy * width - 1),
          down_costs(int64_t(down) * disparities), first_lane(threadIdx.x % LANES == 0),
          takes(handed.from && threadIdx.x < TO_RIGHT), gives(handed.to && threadIdx.x >= THREADS - TO_RIGHT),
          row(begin), x(first + place - begin), pixel((dy > 0 ? begin : height - 1 - begin) * width + x),
          pixel_costs(int64_t(pixel) * disparities + 2 * lane.first) {}

    __device__ bool inside(int column) const { return uint32_t(column) < uint32_t(width); }
    __device__ const uint4* source(int row) const {
        return handed.from + (row - 1) * 2 * TO_RIGHT + threadIdx.x;
    }

    // Ask for what a row takes, so many rows from where the walk is.
    __device__ void ask(int rows) const {
        const int there = row + rows, column = x - rows, slot = there % RING;
        if (0 <= there && there < end) {
            if (inside(column)) {
                fetch(&shared.costs[slot][threadIdx.x],
                      reinterpret_cast<const uint4*>(costs + pixel_costs + rows * down_costs));
                if (first_lane) fetch(&shared.steps[slot][2 + place], steps + pixel + rows * down);
            }
            if (first_lane && place < 2 && inside(column - 2))
                fetch(&shared.steps[slot][place], steps + pixel + rows * down - 2);
            if (takes && there > 0 && inside(column - 1)) {
                fetch(&shared.coming[slot][0][threadIdx.x], source(there));
                fetch(&shared.coming[slot][1][threadIdx.x], source(there) + TO_RIGHT);
            }
        }
        fetched();
    }

    // The penalty from a pixel of the row before, by its column among those whose steps are there.
    __device__ uint32_t penalty(int from) const {
        const int grey = grey_of(shared.steps[row % RING][2 + place]);
        const int before = grey_of(shared.steps[(row + RING - 1) % RING][from]);
        return shared.by_change[abs(grey - before) & 255];  // outside the image, any
    }

    // Wait for the path costs of the pixel to the left that another block hands over.
    __device__ void wait(uint32_t (&left)[8]) const {
        uint4 a = shared.coming[row % RING][0][threadIdx.x], b = shared.coming[row % RING][1][threadIdx.x];
        while (!came(a, handed.tag) || !came(b, handed.tag)) {
            a = look(source(row));
            b = look(source(row) + TO_RIGHT);
        }
        Stored<uint16_t>{{a, b}}.unpack(left);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            left[j] &= ~TAG;
    }

    // Take the path costs of both pixels before, and make of them what they send.
    __device__ void receive(uint32_t (&sent)[2][8], uint32_t p1) const {
        uint32_t left[8] = {};
        const auto& before = shared.paths[(row + 1) % 2];
        if (threadIdx.x >= TO_RIGHT)
            Stored<uint16_t>{{before[0][threadIdx.x - TO_RIGHT], before[1][threadIdx.x - TO_RIGHT]}}.unpack(
                left);
        else if (takes && inside(x - 1))
            wait(left);
        __syncwarp();  // or those that waited go on by themselves, and the warp does all twice
        send(sent[0], left, penalty(place), p1, lane);
        send(sent[1], path, penalty(2 + place), p1, lane);
        if (__any_sync(ALL, x == 0 || x == width - 1)) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {  // where one lies outside, the other stands in for it
                if (x == 0) sent[0][j] = sent[1][j];
                if (x == width - 1) sent[1][j] = sent[0][j];
            }
        }
    }

    // Walk to the row, for which all was asked, and hand its path costs on.
    __device__ void step(uint32_t p1) {
        uint32_t own[8], sent[2][8] = {};
        ask(AHEAD);
        if (row > 0 && width > 1) receive(sent, p1);  // for all pixels, or none
        Stored<uint8_t> matches;
        matches.quads[0] = shared.costs[row % RING][threadIdx.x];
        matches.unpack(own);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            path[j] = own[j] + mean_of(sent[0][j], sent[1][j]);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            shared.paths[row % 2][half][threadIdx.x] = half_of(path, half);
            if (gives && inside(x))
                hand_over(handed.to + (row * 2 + half) * TO_RIGHT + threadIdx.x - (THREADS - TO_RIGHT),
                          half_of(path, half), handed.tag);
        }
        store<PATH_COST>(volume + pixel_costs * int(sizeof(PATH_COST)), path, 0, lane.active && inside(x));
    }

    __device__ void go(uint32_t p1) {
#pragma unroll
        for (int rows = -1; rows < AHEAD; ++rows)
            ask(rows);
        for (; row < end; ++row, --x, pixel += down, pixel_costs += down_costs) {
            arrive<AHEAD - 1>();
            __syncthreads();  // what the row takes is there, and the row before
            step(p1);
        }
        arrive<0>();
    }
};

extern "C" __global__ void packed_sweep_begin(uint32_t* turns) {
    turns[0] = turns[2] = turns[3] = 0;
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
    const uint64_t rows = uint64_t(height) * 2 * TO_RIGHT;  // quads of what a block hands over
    uint4* own = reinterpret_cast<uint4*>(handed) + (number * blocks + block) * rows;
    const Handed between = {block > 0 ? own - rows : nullptr, block < blocks - 1 ? own : nullptr,
                            turns[1] << 31};
    Walk(steps, costs, volume, between, shared, block * COLUMNS, height, width, disparities,
         number == 0 ? dy : -dy)
        .go(p1 * 0x10001u);
}
