#include "common.cuh"
#include "paths.cuh"

constexpr int LONGEST = 1024;  // disparities

// A block for each path: its threads share the costs of the pixel before.
extern "C" __global__ void path_aggregation(const uint8_t* __restrict__ left,
                                            const uint8_t* __restrict__ cost,
                                            uint16_t* __restrict__ path_costs, int height, int width,
                                            int length, int p1, int p2, int p2_adaptation, int dx, int dy,
                                            int sweep) {
    __shared__ int costs[2][LONGEST];
    __shared__ int least[2];
    int y, x, now = 0;
    if (!begin_path(blockIdx.x, height, width, dx, dy, y, x)) return;  // the whole block
    int level = left[at(y, x, width)];
    if (threadIdx.x == 0) least[0] = 1 << 20;
    __syncthreads();
    for (int d = threadIdx.x; d < length; d += blockDim.x) {
        const int sum = cost[at(y, x, width, length) + d];
        path_costs[at(y, x, width, length) + d] = costs[0][d] = sum;
        atomicMin(&least[0], sum);
    }
    for (y += dy, x += dx; y >= 0 && y < height && x >= 0 && x < width; y += dy, x += dx, now = 1 - now) {
        if (threadIdx.x == 0) least[1 - now] = 1 << 20;
        __syncthreads();  // the pixel before is complete
        const int here = left[at(y, x, width)], penalty = large_penalty(p1, p2, abs(here - level));
        level = here;
        for (int d = threadIdx.x; d < length; d += blockDim.x) {
            const int* before = costs[now];
            int best = min(before[d], least[now] + penalty);
            if (d > 0) best = min(best, before[d - 1] + p1);
            if (d < length - 1) best = min(best, before[d + 1] + p1);
            const int sum = cost[at(y, x, width, length) + d] + best - least[now];
            path_costs[at(y, x, width, length) + d] = costs[1 - now][d] = sum;
            atomicMin(&least[1 - now], sum);
        }
        __syncthreads();  // least[now] is read, before it is reset
    }
}
