// Rectify views by their maps, in colours.  Computes gpu.reference.rectify_colours; its kernels are those of
// rectify.cu, but for what they write: a pixel is a word of four channels.

#include "common.cuh"
#include "rectify.cuh"

extern "C" __global__ void rectify_colours_global(const uint8_t* __restrict__ raw,
                                                  const int16_t* __restrict__ map, uint8_t* __restrict__ out,
                                                  int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Means pixel = rectified(from_memory(raw, width), place(map, y, x, width), y, x, height, width);
    reinterpret_cast<uint32_t*>(out)[at(y, x, width)] = pixel.word();
}

extern "C" __global__ void rectify_colours_texture(cudaTextureObject_t raw, const int16_t* __restrict__ map,
                                                   uint8_t* __restrict__ out, int height, int width) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Means pixel = rectified(from_texture(raw), place(map, y, x, width), y, x, height, width);
    reinterpret_cast<uint32_t*>(out)[at(y, x, width)] = pixel.word();
}

extern "C" __global__ void rectify_colours_fast(const uint8_t* raw_left, const uint8_t* raw_right,
                                                const int16_t* left_map, const int16_t* right_map,
                                                uint8_t* left, uint8_t* right, int height, int width) {
    const auto write = [=](uint8_t* out, uint64_t first, const Means* pixels, int count) {
        uint32_t* words = reinterpret_cast<uint32_t*>(out) + first;
        if (count == TOGETHER) {
            const uint4 four = {pixels[0].word(), pixels[1].word(), pixels[2].word(), pixels[3].word()};
            __stcs(reinterpret_cast<uint4*>(words), four);
        } else
            for (int i = 0; i < count; ++i)
                words[i] = pixels[i].word();
    };
    if (blockIdx.z)
        rectify_together(raw_right, right_map, right, height, width, write);
    else
        rectify_together(raw_left, left_map, left, height, width, write);
}
