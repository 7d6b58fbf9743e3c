// Winner-takes-all of the right view.  Computes gpu.reference.right_winner_takes_all.
//
// Launch: block (BLOCK), one thread a pixel of the right view.
// Build: SUM is the element of the sums, ABSENT the sum of a disparity that is not searched.

#include "common.cuh"

extern "C" __global__ void right_winner_takes_all(const SUM* __restrict__ sums,
                                                  int16_t* __restrict__ right_winner, int height, int width,
                                                  int disparities, int min_disparity) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int best = -1, smallest = 0;
    for (int d = 0; d < disparities; ++d) {
        const int partner = x + min_disparity + d;
        if (partner < 0 || partner >= width) continue;
        const int sum = sums[at(y, partner, width, disparities) + d];
        if (sum != ABSENT && (best < 0 || sum < smallest)) {
            best = d;
            smallest = sum;
        }
    }
    right_winner[at(y, x, width)] = best;
}
