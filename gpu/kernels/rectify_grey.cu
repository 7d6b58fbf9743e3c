// Rectify both views and convert them to grey levels.  Computes gpu.reference.rectify, then
// gpu.reference.grey_levels.
//
// A thread makes two neighbouring pixels, so that maps, colours and grey levels are moved 8, 8 and 2 bytes
// at a time; the last pixel of a row of odd width is made alone, and so is all where a row's pairs are not
// aligned. Launch: block (BLOCK_X, BLOCK_Y, 1), grid (pairs of a row, rows, views).

#include "common.cuh"
#include "rectify.cuh"

struct View {
    const uint32_t* __restrict__ raw;
    const short2* __restrict__ map;
    uint32_t* __restrict__ colours;
    uint8_t* __restrict__ greys;
};

__device__ inline uint32_t one(const View& view, short2 away, int y, int x, int height, int width) {
    const auto tap = [&](int row, int column) { return __ldg(view.raw + (row * width + column)); };
    return rectified(tap, away, y, x, height, width);
}

extern "C" __global__ void rectify_grey(const uint8_t* raw_left, const uint8_t* raw_right,
                                        const int16_t* left_map, const int16_t* right_map,
                                        uint8_t* rectified_left, uint8_t* rectified_right, uint8_t* left,
                                        uint8_t* right, int height, int width) {
    const int x = 2 * (blockIdx.x * BLOCK_X + threadIdx.x), y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const View view = blockIdx.z ? View{words(raw_right), places(right_map), words(rectified_right), right}
                                 : View{words(raw_left), places(left_map), words(rectified_left), left};
    const uint64_t place = at(y, x, width);
    if (x + 1 == width || width % 2) {
        for (int i = 0; i < 2 && x + i < width; ++i) {
            const uint32_t colour = one(view, view.map[place + i], y, x + i, height, width);
            view.colours[place + i] = colour;
            view.greys[place + i] = grey(colour);
        }
        return;
    }
    const int2 away = __ldg(reinterpret_cast<const int2*>(view.map + place));
    const short2 first = {short(away.x & 0xffff), short(away.x >> 16)};
    const short2 second = {short(away.y & 0xffff), short(away.y >> 16)};
    const uint2 colours = {one(view, first, y, x, height, width), one(view, second, y, x + 1, height, width)};
    *reinterpret_cast<uint2*>(view.colours + place) = colours;
    *reinterpret_cast<uint16_t*>(view.greys + place) = grey(colours.x) | grey(colours.y) << 8;
}
