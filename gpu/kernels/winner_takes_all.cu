// Winner-takes-all.  Computes gpu.reference.winner_takes_all.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: SUM is the element of the sums.

#include "common.cuh"

extern "C" __global__ void winner_takes_all(const SUM* __restrict__ sums, int16_t* __restrict__ winner,
                                            int height, int width, int disparities) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const SUM* sum = sums + at(y, x, width, disparities);
    int best = 0, smallest = sum[0];
    for (int d = 1; d < disparities; ++d)
        if (sum[d] < smallest) {  // strictly: of equal sums the lowest d stays
            best = d;
            smallest = sum[d];
        }
    winner[at(y, x, width)] = best;
}
