// What packed_aggregation compares, laid out for its loads.  Computes no stage of the reference.
//
// The quad of a right pixel holds its own descriptor and those of the three pixels to its left: descriptors
// for four disparities in growing order, in one aligned load of 16 bytes whatever the pixel. Descriptors run
// on from row to row, so that a quad which begins right of its row still ends in it.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: DESCRIPTOR is uint8_t (grey levels) or uint32_t (census words).

#include "common.cuh"
#include "packed.cuh"

extern "C" __global__ void packed_words(const DESCRIPTOR* __restrict__ right, uint32_t* __restrict__ quads,
                                        uint32_t* __restrict__ right_best, int pixels) {
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= pixels) return;
    uint4 quad;
    quad.x = right[pixel];
    quad.y = right[max(pixel - 1, 0)];
    quad.z = right[max(pixel - 2, 0)];
    quad.w = right[max(pixel - 3, 0)];
    reinterpret_cast<uint4*>(quads)[quad_place(pixel, pixels)] = quad;
    right_best[pixel] = 0xFFFFFFFF;  // packed_winner lowers it
}
