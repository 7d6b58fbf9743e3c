// A sweep down or up, one row.  Computes gpu.reference.path_aggregation where two pixels lie before each.
//
//   path_sweep_global_scanline   a thread a pixel of the row: it reads both pixels before its own, and finds
//                                their minima, alone
//   path_sweep_global            a block a pixel, a thread a disparity: neighbouring threads read neighbouring
//                                costs, but each re-reads all for the minima
//   path_sweep_shared            the costs of both pixels, and their minima, in shared memory: each is read once
//   path_sweep_texture           as shared, grey levels through the texture
//
// A row needs both sides of the one before: no block can go ahead by itself, as one that walks a path does. What
// all blocks can wait for is the end of a launch.
//
// Launch: one for each row, in order. path_sweep_global_scanline: block (32), one thread a pixel.
//         The others: one block a pixel, one thread a disparity.
// Build: as message.cuh says; MAX_DISPARITIES is the largest block.

#include "common.cuh"
#include "message.cuh"

// A pixel p and the two before it, as places in the volumes, with the penalties between them. Where one of the two
// lies outside the image the other stands in for it, and where both do nothing lies `before`. `grey(y, x)` is
// where a variant decides which memory to read.
struct Meeting {
    uint64_t place, first, second;
    int first_penalty, second_penalty;
    bool before;

    template <class Grey>
    __device__ Meeting(Grey grey, int y, int x, int dy, int height, int width, int disparities, int p1,
                       int p2)
        : place(at(y, x, width, disparities)), before(0 <= y - dy && y - dy < height && width > 1) {
        if (!before) return;
        const int left = x > 0 ? x - 1 : x + 1, right = x < width - 1 ? x + 1 : x - 1;
        first = at(y - dy, left, width, disparities);
        second = at(y - dy, right, width, disparities);
        first_penalty = ADAPTATION(p1, p2, abs(grey(y, x) - grey(y - dy, left)));
        second_penalty = ADAPTATION(p1, p2, abs(grey(y, x) - grey(y - dy, right)));
    }
};

// What two messages come to: their mean, halves rounded up.
__device__ inline int mean_of(int first, int second) { return (first + second + 1) / 2; }

extern "C" __global__ void path_sweep_global_scanline(const uint8_t* __restrict__ left,
                                                      const COST* __restrict__ cost, PATH_COST* path_costs,
                                                      int height, int width, int disparities, int p1, int p2,
                                                      int dy, int y) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    const auto grey = [=](int y, int x) -> int { return left[at(y, x, width)]; };
    const Meeting p(grey, y, x, dy, height, width, disparities, p1, p2);
    const auto first = [=](int k) -> int { return path_costs[p.first + k]; };
    const auto second = [=](int k) -> int { return path_costs[p.second + k]; };
    const int low = p.before ? minimum(first, disparities) : 0;
    const int other_low = p.before ? minimum(second, disparities) : 0;
    for (int d = 0; d < disparities; ++d) {
        int sent = 0;
        if (p.before)
            sent = mean_of(message(first, d, disparities, low, p1, p.first_penalty),
                           message(second, d, disparities, other_low, p1, p.second_penalty));
        path_costs[p.place + d] = cost[p.place + d] + sent;
    }
}

extern "C" __global__ void path_sweep_global(const uint8_t* __restrict__ left, const COST* __restrict__ cost,
                                             PATH_COST* path_costs, int height, int width, int disparities,
                                             int p1, int p2, int dy, int y) {
    const int d = threadIdx.x;
    const auto grey = [=](int y, int x) -> int { return left[at(y, x, width)]; };
    const Meeting p(grey, y, blockIdx.x, dy, height, width, disparities, p1, p2);
    int sent = 0;
    if (p.before) {
        const auto first = [=](int k) -> int { return path_costs[p.first + k]; };
        const auto second = [=](int k) -> int { return path_costs[p.second + k]; };
        const int low = minimum(first, disparities), other_low = minimum(second, disparities);
        sent = mean_of(message(first, d, disparities, low, p1, p.first_penalty),
                       message(second, d, disparities, other_low, p1, p.second_penalty));
    }
    path_costs[p.place + d] = cost[p.place + d] + sent;
}

// The shared and the texture kernel, which differ in where grey levels come from.
template <class Grey>
__device__ void sweep_in_shared(Grey grey, const COST* __restrict__ cost, PATH_COST* path_costs, int height,
                                int width, int disparities, int p1, int p2, int dy, int y) {
    __shared__ PATH_COST rows[2][MAX_DISPARITIES];
    __shared__ int minima[2][(MAX_DISPARITIES + 31) / 32];
    const int d = threadIdx.x;
    const Meeting p(grey, y, blockIdx.x, dy, height, width, disparities, p1, p2);
    int sent = 0;
    if (p.before) {  // or not, for the whole block
        const int value = path_costs[p.first + d], other = path_costs[p.second + d];
        rows[0][d] = value;
        rows[1][d] = other;
        const int low = block_minimum(value, minima[0]), other_low = block_minimum(other, minima[1]);
        const auto first = [&](int k) -> int { return rows[0][k]; };
        const auto second = [&](int k) -> int { return rows[1][k]; };
        sent = mean_of(message(first, d, disparities, low, p1, p.first_penalty),
                       message(second, d, disparities, other_low, p1, p.second_penalty));
    }
    path_costs[p.place + d] = cost[p.place + d] + sent;
}

extern "C" __global__ void path_sweep_shared(const uint8_t* __restrict__ left, const COST* __restrict__ cost,
                                             PATH_COST* path_costs, int height, int width, int disparities,
                                             int p1, int p2, int dy, int y) {
    sweep_in_shared([=](int y, int x) -> int { return left[at(y, x, width)]; }, cost, path_costs, height,
                    width, disparities, p1, p2, dy, y);
}

extern "C" __global__ void path_sweep_texture(cudaTextureObject_t left, const COST* __restrict__ cost,
                                              PATH_COST* path_costs, int height, int width, int disparities,
                                              int p1, int p2, int dy, int y) {
    sweep_in_shared([=](int y, int x) { return texel(left, y, x); }, cost, path_costs, height, width,
                    disparities, p1, p2, dy, y);
}
