// Hysteresis by union-find: pixels that touch get one label, and sets with a strong pixel are edges.  Computes
// gpu.reference.hysteresis.
//
//   hysteresis_label_global   every pixel is a set of its own
//   hysteresis_label_shared   sets within a tile, found in shared memory
//   hysteresis_join_global    unites the sets of all pixels that touch
//   hysteresis_join_shared    unites the sets of pixels that touch across an edge between tiles
//   hysteresis_mark           marks the root of each strong pixel's set as an edge
//   hysteresis_select         makes edges of all pixels whose root is one
//
// Four launches, however long an edge winds; nothing is read back. A label is the place of another pixel of the
// same set, further up or to the left, or of the pixel itself: then it is the set's root. No label leads to a
// later pixel, so there are no circles, and every walk to a root ends.
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel.
// Build: STRONG is the mark of a strong pixel.

#include "common.cuh"
#include "sets.cuh"

extern "C" __global__ void hysteresis_label_global(const uint8_t* __restrict__ seeds,
                                                   int32_t* __restrict__ labels, uint8_t* __restrict__ edges,
                                                   int height, int width) {
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width);
    labels[pixel] = seeds[pixel] ? pixel : -1;
    edges[pixel] = 0;
}

// In rounds: each root takes the smallest label that touches its set, then each pixel its new root. Reading and
// writing are kept apart by barriers, so that no thread sees a label half way.
extern "C" __global__ void hysteresis_label_shared(const uint8_t* __restrict__ seeds,
                                                   int32_t* __restrict__ labels, uint8_t* __restrict__ edges,
                                                   int height, int width) {
    __shared__ int tile[BLOCK_Y * BLOCK_X];
    const Place p(height, width);
    const int own = threadIdx.y * BLOCK_X + threadIdx.x, pixel = at(p.y, p.x, width);
    const bool seed = p.inside && seeds[pixel];
    int label = seed ? own : -1;
    bool lower = true;
    while (__syncthreads_or(lower)) {
        tile[own] = label;
        __syncthreads();  // all labels are in place
        int least = label;
        if (seed)
            for (int y = max(int(threadIdx.y) - 1, 0); y <= min(int(threadIdx.y) + 1, BLOCK_Y - 1); ++y)
                for (int x = max(int(threadIdx.x) - 1, 0); x <= min(int(threadIdx.x) + 1, BLOCK_X - 1); ++x)
                    if (tile[y * BLOCK_X + x] >= 0) least = min(least, tile[y * BLOCK_X + x]);
        lower = least < label;
        __syncthreads();  // and read
        if (lower) atomicMin(&tile[label], least);
        __syncthreads();  // all roots have their new labels
        if (seed)
            while (tile[label] != label)
                label = tile[label];
    }
    if (!p.inside) return;
    const int y = blockIdx.y * BLOCK_Y + label / BLOCK_X, x = blockIdx.x * BLOCK_X + label % BLOCK_X;
    labels[pixel] = seed ? int(at(y, x, width)) : -1;
    edges[pixel] = 0;
}

// Unite a pixel with those of its neighbours that precede it, if `joins(dy, dx)`: the others unite with it.
template <class Joins>
__device__ void join(int32_t* labels, Place p, int height, int width, Joins joins) {
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width);
    if (labels[pixel] < 0) return;
    for (int i = 0; i < 4; ++i) {
        const int dy = i < 3 ? -1 : 0, dx = i < 3 ? i - 1 : -1, x = p.x + dx;
        if (p.y + dy < 0 || x < 0 || x >= width || !joins(dy, dx)) continue;
        const int neighbour = at(p.y + dy, x, width);
        if (labels[neighbour] >= 0) unite(GlobalLabels{labels}, pixel, neighbour);
    }
}

extern "C" __global__ void hysteresis_join_global(int32_t* labels, int height, int width) {
    join(labels, Place(height, width), height, width, [](int dy, int dx) { return true; });
}

extern "C" __global__ void hysteresis_join_shared(int32_t* labels, int height, int width) {
    const int row = threadIdx.y, column = threadIdx.x;
    join(labels, Place(height, width), height, width,
         [=](int dy, int dx) { return row + dy < 0 || column + dx < 0 || column + dx >= BLOCK_X; });
}

extern "C" __global__ void hysteresis_mark(const uint8_t* __restrict__ seeds, int32_t* labels,
                                           uint8_t* __restrict__ edges, int height, int width) {
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width);
    if (seeds[pixel] == STRONG) edges[root(GlobalLabels{labels}, pixel)] = 255;
}

extern "C" __global__ void hysteresis_select(const uint8_t* __restrict__ seeds, int32_t* labels,
                                             uint8_t* edges, uint8_t* __restrict__ strength, int height,
                                             int width) {
    const Place p(height, width);
    if (!p.inside) return;
    const int pixel = at(p.y, p.x, width);
    const uint8_t seed = seeds[pixel];
    // Only a root's mark is read, and only its own thread writes it, the same again.
    const bool kept = seed && edges[root(GlobalLabels{labels}, pixel)];
    if (kept) edges[pixel] = 255;
    strength[pixel] = seed == STRONG ? 3 : kept ? 2 : seed ? 1 : 0;
}
