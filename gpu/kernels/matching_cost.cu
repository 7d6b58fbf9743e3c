// Matching cost.  Computes gpu.reference.matching_cost.
//
//   matching_cost_global_scanline   a thread a pixel, all d in a loop: neighbouring threads write D elements
//                                   apart, so that the 32 stores of a warp fall into 32 sectors
//   matching_cost_global            a block a pixel, a thread a disparity: neighbouring threads write
//                                   neighbouring costs
//   matching_cost_texture           as global, grey levels through textures; census words are plain arrays,
//                                   for which the variant runs matching_cost_global
//   ..._gradient                    the same, adding how far gradients differ
//
// Launch: matching_cost_global_scanline: block (BLOCK), one thread a pixel.
//         The others: grid (width, height), one thread a disparity.
// Build: DESCRIPTOR is uint8_t (grey levels) or uint32_t (census words), COST the element of the cost volume,
// LARGEST_ADDED the most that gradients add.

#include "common.cuh"

__device__ inline int difference(uint8_t left, uint8_t right) { return abs(int(left) - int(right)); }

__device__ inline int difference(uint32_t left, uint32_t right) { return __popc(left ^ right); }

// The arithmetic, once; `match(partner)` is where a variant decides what it compares and which memory it reads. The
// border is decided here: clamped addressing would answer with the edge pixel, where the specification wants a cost
// of its own.
template <class Match>
__device__ int cost_at(Match match, int x, int d, int width, int min_disparity, int outside) {
    const int partner = x - min_disparity - d;
    return partner < 0 || partner >= width ? outside : match(partner);
}

extern "C" __global__ void matching_cost_global_scanline(const DESCRIPTOR* __restrict__ left,
                                                         const DESCRIPTOR* __restrict__ right,
                                                         COST* __restrict__ cost, int height, int width,
                                                         int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const DESCRIPTOR *row = right + at(y, 0, width), ours = left[at(y, x, width)];
    const auto match = [=](int partner) { return difference(ours, row[partner]); };
    const uint64_t pixel = at(y, x, width, disparities);
    for (int d = 0; d < disparities; ++d)
        cost[pixel + d] = cost_at(match, x, d, width, min_disparity, outside);
}

extern "C" __global__ void matching_cost_global(const DESCRIPTOR* __restrict__ left,
                                                const DESCRIPTOR* __restrict__ right, COST* __restrict__ cost,
                                                int height, int width, int disparities, int min_disparity,
                                                int outside) {
    const int x = blockIdx.x, y = blockIdx.y, d = threadIdx.x;
    const DESCRIPTOR *row = right + at(y, 0, width), ours = left[at(y, x, width)];
    const auto match = [=](int partner) { return difference(ours, row[partner]); };
    cost[at(y, x, width, disparities) + d] = cost_at(match, x, d, width, min_disparity, outside);
}

extern "C" __global__ void matching_cost_texture(cudaTextureObject_t left, cudaTextureObject_t right,
                                                 COST* __restrict__ cost, int height, int width,
                                                 int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x, y = blockIdx.y, d = threadIdx.x;
    const DESCRIPTOR ours = texel(left, y, x);
    const auto match = [=](int partner) { return difference(ours, DESCRIPTOR(texel(right, y, partner))); };
    cost[at(y, x, width, disparities) + d] = cost_at(match, x, d, width, min_disparity, outside);
}

// How a pixel compares with one of its row in the right view, by words and by gradients.
struct Gradients {
    const DESCRIPTOR* words;
    const uint8_t* slopes;
    DESCRIPTOR word;
    uint8_t slope;

    __device__ Gradients(const DESCRIPTOR* left, const DESCRIPTOR* right, const uint8_t* left_gradient,
                         const uint8_t* right_gradient, int y, int x, int width)
        : words(right + at(y, 0, width)), slopes(right_gradient + at(y, 0, width)),
          word(left[at(y, x, width)]), slope(left_gradient[at(y, x, width)]) {}

    __device__ int operator()(int partner) const {
        return difference(word, words[partner]) + min(difference(slope, slopes[partner]) >> 1, LARGEST_ADDED);
    }
};

extern "C" __global__ void matching_cost_global_scanline_gradient(
    const DESCRIPTOR* __restrict__ left, const DESCRIPTOR* __restrict__ right,
    const uint8_t* __restrict__ left_gradient, const uint8_t* __restrict__ right_gradient,
    COST* __restrict__ cost, int height, int width, int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Gradients match(left, right, left_gradient, right_gradient, y, x, width);
    const uint64_t pixel = at(y, x, width, disparities);
    for (int d = 0; d < disparities; ++d)
        cost[pixel + d] = cost_at(match, x, d, width, min_disparity, outside);
}

extern "C" __global__ void matching_cost_global_gradient(const DESCRIPTOR* __restrict__ left,
                                                         const DESCRIPTOR* __restrict__ right,
                                                         const uint8_t* __restrict__ left_gradient,
                                                         const uint8_t* __restrict__ right_gradient,
                                                         COST* __restrict__ cost, int height, int width,
                                                         int disparities, int min_disparity, int outside) {
    const int x = blockIdx.x, y = blockIdx.y, d = threadIdx.x;
    const Gradients match(left, right, left_gradient, right_gradient, y, x, width);
    cost[at(y, x, width, disparities) + d] = cost_at(match, x, d, width, min_disparity, outside);
}
