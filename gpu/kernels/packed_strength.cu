// What became of each pixel, from bits.  Computes what gpu.reference.hysteresis says of strength.
//
// Launch: block (BLOCK), one thread a pixel.

#include "common.cuh"
#include "words.cuh"

extern "C" __global__ void packed_strength(const uint8_t* __restrict__ edges,
                                           const uint32_t* __restrict__ weak_bits,
                                           const uint32_t* __restrict__ strong_bits,
                                           uint8_t* __restrict__ strength, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t word = word_of(y, x, width);
    const bool weak = weak_bits[word] >> x % TILE & 1, strong = strong_bits[word] >> x % TILE & 1;
    strength[at(y, x, width)] = strong ? 3 : edges[at(y, x, width)] ? 2 : weak;
}
