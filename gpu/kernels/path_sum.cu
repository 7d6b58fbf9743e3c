// Path sum.  Computes gpu.reference.path_sum.
//
// Launch: block (BLOCK) over (width * disparities, height), one thread a cost.
// Build: PATH_COST and SUM are the elements of the volumes, ABSENT the sum of a disparity that is not searched.

#include "common.cuh"

extern "C" __global__ void path_sum(const PATH_COST* __restrict__ path_costs, SUM* __restrict__ sums,
                                    int height, int width, int disparities, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width * disparities || y >= height) return;
    const uint64_t place = at(y, 0, width, disparities) + i;
    sums[place] = min(path_costs[place] + (first ? 0 : sums[place]), ABSENT);
}
