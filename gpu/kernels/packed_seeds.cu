// Edge seeds, a bit a pixel.  Computes gpu.reference.edge_seeds.
//
// Launch: block (BLOCK), a multiple of 32, one thread a pixel; grid: along a row, then rows.

#include "common.cuh"
#include "seed.cuh"

extern "C" __global__ void packed_seeds(const int32_t* __restrict__ suppressed,
                                        const int32_t* __restrict__ levels, uint32_t* __restrict__ weak_bits,
                                        uint32_t* __restrict__ strong_bits, int height, int width,
                                        int margin) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const bool inside = x < width;  // pixels beyond a row's last take part: they are in its last word
    const Seed seed(inside ? suppressed[at(y, x, width)] : 0, levels, y, x, height, width, margin);
    const uint32_t strong = __ballot_sync(0xFFFFFFFF, inside && seed.strong);
    const uint32_t weak = __ballot_sync(0xFFFFFFFF, inside && seed.weak) | strong;
    if (!inside || x % 32 != 0) return;
    weak_bits[at(y, x / 32, (width + 31) / 32)] = weak;
    strong_bits[at(y, x / 32, (width + 31) / 32)] = strong;
}
