// Rectify views by their maps, as grey levels.  Computes gpu.reference.rectify.
//
//   rectify_global     four taps from global memory, one view a launch
//   rectify_texture    four taps through the texture, point sampled: the unit's own interpolation rounds
//   rectify_fast       both views in one launch, four pixels a thread
//
// Launch: block (BLOCK_X, BLOCK_Y), one thread a pixel; fast: (BLOCK_X, BLOCK_Y, 1), a thread four pixels,
// the grid's third axis the views.

#include "common.cuh"
#include "rectify.cuh"

extern "C" __global__ void rectify_global(const uint8_t* __restrict__ raw, const int16_t* __restrict__ map,
                                          uint8_t* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[at(y, x, width)] =
        rectified(from_memory(raw, width), place(map, y, x, width), y, x, height, width).grey();
}

extern "C" __global__ void rectify_texture(cudaTextureObject_t raw, const int16_t* __restrict__ map,
                                           uint8_t* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[at(y, x, width)] = rectified(from_texture(raw), place(map, y, x, width), y, x, height, width).grey();
}

extern "C" __global__ void rectify_fast(const uint8_t* raw_left, const uint8_t* raw_right,
                                        const int16_t* left_map, const int16_t* right_map, uint8_t* left,
                                        uint8_t* right, int height, int width) {
    const auto write = [=](uint8_t* out, uint64_t first, const Means* pixels, int count) {
        if (count == TOGETHER) {
            const uint32_t word = pixels[0].grey() | pixels[1].grey() << 8 | pixels[2].grey() << 16 |
                                  uint32_t(pixels[3].grey()) << 24;
            __stcs(reinterpret_cast<uint32_t*>(out + first), word);
        } else
            for (int i = 0; i < count; ++i)
                out[first + i] = pixels[i].grey();
    };
    if (blockIdx.z)
        rectify_together(raw_right, right_map, right, height, width, write);
    else
        rectify_together(raw_left, left_map, left, height, width, write);
}
