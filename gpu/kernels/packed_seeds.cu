// Edge seeds, a bit a pixel, tile by tile.  Computes gpu.reference.edge_seeds.
//
// Launch: block (BLOCK), a multiple of 32, one thread a pixel; grid: along a row, then rows, those
// of the last tiles beyond the image, too.

#include "common.cuh"
#include "words.cuh"
#include "seed.cuh"

extern "C" __global__ void packed_seeds(const int32_t* __restrict__ suppressed,
                                        const int32_t* __restrict__ levels, uint32_t* __restrict__ weak_bits,
                                        uint32_t* __restrict__ strong_bits, int height, int width,
                                        int margin) {
    wait_for_previous();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const bool inside = x < width && y < height;  // others take part: they are in the last tiles' words
    const Seed seed(inside ? suppressed[at(y, x, width)] : 0, levels, y, x, height, width, margin);
    const uint32_t strong = __ballot_sync(0xFFFFFFFF, inside && seed.strong);
    const uint32_t weak = __ballot_sync(0xFFFFFFFF, inside && seed.weak) | strong;
    if (x >= width || x % TILE != 0) return;
    const uint64_t word = word_of(y, x, width);
    weak_bits[word] = weak;
    strong_bits[word] = strong;
}
