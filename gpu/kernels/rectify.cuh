// Rectified pixels and their grey levels. Include after common.cuh.

const int OUTSIDE = -32768;  // a displacement that leads out of the image

// A pixel's four channels as a word, and a place's two displacements.
__device__ inline const uint32_t* words(const uint8_t* channels) {
    return reinterpret_cast<const uint32_t*>(channels);
}
__device__ inline uint32_t* words(uint8_t* channels) { return reinterpret_cast<uint32_t*>(channels); }
__device__ inline const short2* places(const int16_t* map) { return reinterpret_cast<const short2*>(map); }

// A channel of the mean of four pixels, weighted in 1/1024; a channel is a byte of a pixel's word.
__device__ inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d, const int (&weight)[4], int shift) {
    const int sum = weight[0] * int(a >> shift & 255) + weight[1] * int(b >> shift & 255) +
                    weight[2] * int(c >> shift & 255) + weight[3] * int(d >> shift & 255);
    return uint32_t(sum + 512 >> 10) << shift;
}

// The rectified pixel (y, x), a word of four channels; `tap(row, column)` reads a raw pixel of the image.
template <class Tap>
__device__ inline uint32_t rectified(Tap tap, short2 away, int y, int x, int height, int width) {
    if (away.x == OUTSIDE) return 0;
    const int row = y + (away.y >> 5), column = x + (away.x >> 5), fy = away.y & 31, fx = away.x & 31;
    const int weight[4] = {(32 - fx) * (32 - fy), fx * (32 - fy), (32 - fx) * fy, fx * fy};
    const auto pixel = [=](int r, int c) -> uint32_t {
        return r >= 0 && r < height && c >= 0 && c < width ? tap(r, c) : 0;
    };
    const uint32_t a = pixel(row, column), b = pixel(row, column + 1), c = pixel(row + 1, column),
                   d = pixel(row + 1, column + 1);
    return mixed(a, b, c, d, weight, 0) | mixed(a, b, c, d, weight, 8) | mixed(a, b, c, d, weight, 16) |
           mixed(a, b, c, d, weight, 24);
}

// The grey level of a word of red, green, blue and presence.
__device__ inline uint8_t grey(uint32_t colour) {
    const uint32_t red = colour & 255, green = colour >> 8 & 255, blue = colour >> 16 & 255;
    return 9798 * red + 19235 * green + 3735 * blue + 16384 >> 15;
}
