// Matching cost.  Computes gpu.reference.matching_cost.
//
//   matching_cost_global_scanline   a thread a pixel, all d in a loop: neighbouring threads write D elements
//                                   apart, so that the 32 stores of a warp fall into 32 sectors
//   matching_cost_global            a block a pixel, a thread a disparity: neighbouring threads write
//                                   neighbouring costs
//   matching_cost_texture           as global, grey levels through textures; census words are plain arrays,
//                                   for which the variant runs matching_cost_global
//
// Launch: matching_cost_global_scanline: block (BLOCK), one thread a pixel.
//         The others: grid (width, height), one thread a disparity.
// Build: DESCRIPTOR is uint8_t (grey levels) or uint32_t (census words), COST the element of the cost volume.

#include "common.cuh"

__device__ inline int difference(uint8_t left, uint8_t right) { return abs(int(left) - int(right)); }

__device__ inline int difference(uint32_t left, uint32_t right) { return __popc(left ^ right); }

// The arithmetic, once; `right(x)` is where a variant decides which memory to read. The border is decided
// here: clamped addressing would answer with the edge pixel, where the specification wants the largest cost.
template <class Right>
__device__ int cost_at(DESCRIPTOR left, Right right, int x, int d, int width, int min_disparity,
                       int outside) {
    const int partner = x - min_disparity - d;
    if (partner < 0 || partner >= width) return outside;
    return difference(left, DESCRIPTOR(right(partner)));
}

extern "C" __global__ void matching_cost_global_scanline(const DESCRIPTOR* __restrict__ left,
                                                         const DESCRIPTOR* __restrict__ right,
                                                         COST* __restrict__ cost, int height, int width,
                                                         int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const DESCRIPTOR* row = right + at(y, 0, width);
    const uint64_t pixel = at(y, x, width, disparities);
    for (int d = 0; d < disparities; ++d)
        cost[pixel + d] = cost_at(
            left[at(y, x, width)], [=](int partner) { return row[partner]; }, x, d, width, min_disparity,
            outside);
}

extern "C" __global__ void matching_cost_global(const DESCRIPTOR* __restrict__ left,
                                                const DESCRIPTOR* __restrict__ right, COST* __restrict__ cost,
                                                int height, int width, int disparities, int min_disparity,
                                                int outside) {
    const int x = blockIdx.x, y = blockIdx.y, d = threadIdx.x;
    const DESCRIPTOR* row = right + at(y, 0, width);
    cost[at(y, x, width, disparities) + d] = cost_at(
        left[at(y, x, width)], [=](int partner) { return row[partner]; }, x, d, width, min_disparity,
        outside);
}

extern "C" __global__ void matching_cost_texture(cudaTextureObject_t left, cudaTextureObject_t right,
                                                 COST* __restrict__ cost, int height, int width,
                                                 int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x, y = blockIdx.y, d = threadIdx.x;
    cost[at(y, x, width, disparities) + d] = cost_at(
        texel(left, y, x), [=](int partner) { return texel(right, y, partner); }, x, d, width, min_disparity,
        outside);
}
