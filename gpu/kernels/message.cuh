// The message that a pixel sends to the next one, as gpu.reference.path_aggregation defines it. Include after common.cuh.
//
// Build: ADAPTATION is how the large penalty adapts: none, divide or soft; COST and PATH_COST are the elements
// of the volumes.

// P2' where the grey level changes by g.
__device__ inline int none(int p1, int p2, int g) { return p2; }

__device__ inline int divide(int p1, int p2, int g) { return max(p1, p2 / max(g, 1)); }

__device__ inline int soft(int p1, int p2, int g) { return max(3 * p1 / 2, 16 * p2 / (16 + g)); }

// M(q, d), once; `before(k)` reads L(q, k), and `smallest` is its minimum over all k.
template <class Before>
__device__ int message(Before before, int d, int disparities, int smallest, int p1, int penalty) {
    int best = min(before(d), smallest + penalty);
    if (d > 0) best = min(best, before(d - 1) + p1);
    if (d < disparities - 1) best = min(best, before(d + 1) + p1);
    return best - smallest;
}

template <class Before>
__device__ int minimum(Before before, int disparities) {
    int smallest = before(0);
    for (int k = 1; k < disparities; ++k)
        smallest = min(smallest, before(k));
    return smallest;
}

// The block's smallest value, by way of each warp's in `minima`. A block is a multiple of 16, so its last
// warp has 32 or 16 threads: a shuffle may name no lane beyond them. The barrier also publishes what the
// block wrote before.
__device__ inline int block_minimum(int value, int* minima) {
    const int threads = blockDim.x, warp = threadIdx.x / 32;
    const int lanes = min(32, threads - warp * 32);
    for (int offset = lanes / 2; offset > 0; offset /= 2)
        value = min(value, __shfl_xor_sync(0xffffffffu >> (32 - lanes), value, offset));
    if (threadIdx.x % 32 == 0) minima[warp] = value;
    __syncthreads();
    for (int other = 0; other * 32 < threads; ++other)
        value = min(value, minima[other]);
    return value;
}
