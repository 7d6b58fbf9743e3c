// Speckle filter by union-find: neighbours of similar disparity get one label, and the pixels of small sets become
// invalid.  Computes gpu.reference.speckle_filter.
//
//   speckle_label    sets within a tile, found in shared memory, and their sizes
//   speckle_join     unites the sets that touch across an edge between tiles
//   speckle_count    adds the sizes of sets that were united
//   speckle_select   copies the pixels of large sets
//
// Four launches, however long an island winds; nothing is read back. The root of a set is its first pixel, whichever
// thread unites it when, so every run labels alike. A warp has a row of a tile, and tells by bits which of its pixels
// are connected one after the other: only such runs are united, and counted. A tile counts in shared memory and adds
// one number a set: a million pixels of one island would otherwise wait for each other at its root.
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel; BLOCK_X is 32.

#include "common.cuh"
#include "sets.cuh"

static_assert(BLOCK_X == 32, "a row of a block is a warp");
constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle

__device__ inline bool connected(int a, int b, int invalid, int step) {
    return a != invalid && b != invalid && abs(a - b) <= step;
}

// Whether `here` and `there`, which are connected, are so by their neighbours to one side as well: then these, whose
// threads come by the same way, unite the two.
__device__ inline bool united(int here, int beside, int there, int beside_there, int invalid, int step) {
    return connected(here, beside, invalid, step) && connected(there, beside_there, invalid, step) &&
           connected(beside, beside_there, invalid, step);
}

// The pixels of a warp's row that are connected one after the other, of a lane's pixel.
struct Run {
    int first, length;

    // `linked` whether the pixel is connected with that of the lane before.
    __device__ explicit Run(bool linked) {
        const int lane = threadIdx.x;
        const uint32_t begins = ~__ballot_sync(ALL, linked), later = begins >> 1 >> lane;
        first = 31 - __clz(begins & (2u << lane) - 1);
        length = (later ? lane + __ffs(later) : 32) - first;
    }
};

extern "C" __global__ void speckle_label(const int16_t* __restrict__ consistent, int32_t* __restrict__ labels,
                                         int32_t* __restrict__ sizes, int height, int width, int invalid,
                                         int step) {
    wait_for_previous();
    __shared__ int16_t values[BLOCK_Y * BLOCK_X];
    __shared__ int32_t tile[BLOCK_Y * BLOCK_X], counts[BLOCK_Y * BLOCK_X];
    const Place p(height, width);
    const int lane = threadIdx.x, own = threadIdx.y * BLOCK_X + lane;
    const uint64_t pixel = at(p.y, p.x, width);
    const int value = p.inside ? consistent[pixel] : invalid, before = __shfl_up_sync(ALL, value, 1);
    const Run run(lane > 0 && connected(value, before, invalid, step));
    values[own] = value;
    tile[own] = own - lane + run.first;
    counts[own] = 0;
    __syncthreads();  // all runs are sets of their own
    if (threadIdx.y > 0) {
        const int above = values[own - BLOCK_X], above_before = __shfl_up_sync(ALL, above, 1);
        const bool again = lane > 0 && united(value, before, above, above_before, invalid, step);
        if (connected(value, above, invalid, step) && !again) unite(SharedLabels{tile}, own, own - BLOCK_X);
    }
    __syncthreads();  // the tile's sets are complete
    const bool begins = lane == run.first;
    const int first = __shfl_sync(ALL, begins ? root(SharedLabels{tile}, own) : 0, run.first);
    if (begins && value != invalid) atomicAdd(&counts[first], run.length);
    __syncthreads();  // and counted
    if (!p.inside) return;
    const int y = blockIdx.y * BLOCK_Y + first / BLOCK_X, x = blockIdx.x * BLOCK_X + first % BLOCK_X;
    labels[pixel] = value != invalid ? int(at(y, x, width)) : -1;
    sizes[pixel] = counts[own];
}

extern "C" __global__ void speckle_join(const int16_t* __restrict__ consistent, int32_t* labels, int height,
                                        int width, int invalid, int step) {
    wait_for_previous();
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width), value = consistent[pixel];
    const auto near = [=](int dy, int dx) { return int(consistent[pixel + dy * width + dx]); };
    if (threadIdx.x == 0 && p.x > 0 && connected(value, near(0, -1), invalid, step))
        if (threadIdx.y == 0 || !united(value, near(-1, 0), near(0, -1), near(-1, -1), invalid, step))
            unite(GlobalLabels{labels}, pixel, pixel - 1);
    if (threadIdx.y == 0 && p.y > 0 && connected(value, near(-1, 0), invalid, step))
        if (threadIdx.x == 0 || !united(value, near(0, -1), near(-1, 0), near(-1, -1), invalid, step))
            unite(GlobalLabels{labels}, pixel, pixel - width);
}

extern "C" __global__ void speckle_count(int32_t* labels, int32_t* sizes, int height, int width) {
    wait_for_previous();
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width), size = sizes[pixel];
    // Only roots of a tile have a size; of these, only roots of a whole set are added to.
    if (size == 0) return;
    const int first = root(GlobalLabels{labels}, pixel);
    if (first != pixel) atomicAdd(&sizes[first], size);
}

extern "C" __global__ void speckle_select(const int16_t* __restrict__ consistent, int32_t* islands,
                                          int32_t* sizes, int16_t* __restrict__ filtered, int height,
                                          int width, int invalid, int speckle_size) {
    wait_for_previous();
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width), value = consistent[pixel];
    volatile int32_t* labels = islands;  // which other threads write meanwhile
    int size = 0;
    if (value != invalid) {
        // Not by root(), which writes labels of others, perhaps after these wrote their last.
        int first = labels[pixel];
        while (labels[first] != first)
            first = labels[first];
        labels[pixel] = first;
        sizes[pixel] = size = sizes[first];
    }
    filtered[pixel] = size > speckle_size ? value : invalid;
}
