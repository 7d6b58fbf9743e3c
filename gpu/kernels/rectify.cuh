// Rectified pixels and their grey levels. Include after common.cuh.

const int OUTSIDE = -32768;  // a displacement that leads out of the image

// A pixel's displacements in a map, as a word: columns, above them rows.
__device__ inline uint32_t place(const int16_t* map, int y, int x, int width) {
    return reinterpret_cast<const uint32_t*>(map)[at(y, x, width)];
}

// The two displacements of such a word, in 1/32 pixel.
__device__ inline int columns_away(uint32_t place) { return int(place << 16) >> 16; }
__device__ inline int rows_away(uint32_t place) { return int(place) >> 16; }

// Four raw pixels: two of a row, and the two below them. A pixel is a word of four channels.
struct Square {
    uint32_t a, b, c, d;
};

// Where raw pixels come from.
struct FromMemory {
    const uint32_t* __restrict__ raw;
    int width;

    __device__ uint32_t pixel(int row, int column) const { return __ldg(raw + (row * width + column)); }
    __device__ Square square(int row, int column) const {
        const uint32_t *above = raw + (row * width + column), *below = above + width;
        return {__ldg(above), __ldg(above + 1), __ldg(below), __ldg(below + 1)};
    }
};

struct FromTexture {
    cudaTextureObject_t raw;

    __device__ uint32_t pixel(int row, int column) const {
        const uchar4 pixel = tex2D<uchar4>(raw, column + 0.5f, row + 0.5f);
        return pixel.x | pixel.y << 8 | pixel.z << 16 | uint32_t(pixel.w) << 24;
    }
    __device__ Square square(int row, int column) const {
        return {pixel(row, column), pixel(row, column + 1), pixel(row + 1, column),
                pixel(row + 1, column + 1)};
    }
};

__device__ inline FromMemory from_memory(const uint8_t* raw, int width) {
    return {reinterpret_cast<const uint32_t*>(raw), width};
}
__device__ inline FromTexture from_texture(cudaTextureObject_t raw) { return {raw}; }

// A rectified pixel: the means of its channels.
struct Means {
    uint32_t red, green, blue, presence;

    __device__ uint32_t word() const { return red | green << 8 | blue << 16 | presence << 24; }
    __device__ uint8_t grey() const { return 9798 * red + 19235 * green + 3735 * blue + 16384 >> 15; }
};

// The mean of one channel: its bytes of four pixels, times weights that sum to 1024, 16 bits each.
__device__ inline uint32_t mean(uint32_t bytes, uint32_t above, uint32_t below) {
    return __dp2a_hi(below, bytes, __dp2a_lo(above, bytes, 512u)) >> 10;
}

// The means of four pixels' channels; a pixel is a word, fx and fy the place beyond the first in 1/32.
__device__ inline Means mixed(Square raw, uint32_t fx, uint32_t fy) {
    const uint32_t across = 32 + fx * 0xffff;  // 32 - fx, and fx in the upper half
    const uint32_t above = across * (32 - fy), below = across * fy;
    // Bytes of a channel beside each other: first those of two pixels, then of all four.
    const uint32_t ab = __byte_perm(raw.a, raw.b, 0x5140), cd = __byte_perm(raw.c, raw.d, 0x5140);
    const uint32_t AB = __byte_perm(raw.a, raw.b, 0x7362), CD = __byte_perm(raw.c, raw.d, 0x7362);
    return {mean(__byte_perm(ab, cd, 0x5410), above, below), mean(__byte_perm(ab, cd, 0x7632), above, below),
            mean(__byte_perm(AB, CD, 0x5410), above, below), mean(__byte_perm(AB, CD, 0x7632), above, below)};
}

// The rectified pixel at a place not wholly inside; apart from the way of nearly all pixels, which gets by with
// fewer registers.
template <class Raw>
__device__ __noinline__ Means rectified_edge(Raw raw, uint32_t place, int y, int x, int height, int width) {
    const int row = y + (rows_away(place) >> 5), column = x + (columns_away(place) >> 5);
    if (columns_away(place) == OUTSIDE) return {};
    const auto pixel = [=](int r, int c) -> uint32_t {
        return r >= 0 && r < height && c >= 0 && c < width ? raw.pixel(r, c) : 0;
    };
    const Square square = {pixel(row, column), pixel(row, column + 1), pixel(row + 1, column),
                           pixel(row + 1, column + 1)};
    return mixed(square, place & 31, place >> 16 & 31);
}

// The rectified pixel (y, x).
template <class Raw>
__device__ inline Means rectified(Raw raw, uint32_t place, int y, int x, int height, int width) {
    const int row = y + (rows_away(place) >> 5), column = x + (columns_away(place) >> 5);
    if (unsigned(row) < unsigned(height - 1) && unsigned(column) < unsigned(width - 1) &&
        columns_away(place) != OUTSIDE)
        return mixed(raw.square(row, column), place & 31, place >> 16 & 31);
    return rectified_edge(raw, place, y, x, height, width);
}

const int TOGETHER = 4;  // pixels of a thread

// Rectify a thread's pixels; `write(out, first, pixels, count)` stores those from pixel `first` on. Their map
// and results are moved as one, past the caches, which keep the raw view; and many taps are on their way at
// once, which hides that each waits for its place in the map. Rows that are no multiple of TOGETHER are not
// aligned: there every pixel is moved alone.
template <class Write>
__device__ inline void rectify_together(const uint8_t* __restrict__ raw, const int16_t* __restrict__ map,
                                        uint8_t* __restrict__ out, int height, int width, Write write) {
    const int x = TOGETHER * (blockIdx.x * blockDim.x + threadIdx.x),
              y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const FromMemory from = from_memory(raw, width);
    const uint64_t first = at(y, x, width);
    if (width % TOGETHER) {
        for (int i = 0; i < TOGETHER && x + i < width; ++i) {
            const Means pixel = rectified(from, place(map, y, x + i, width), y, x + i, height, width);
            write(out, first + i, &pixel, 1);
        }
        return;
    }
    const uint4 four = __ldcs(reinterpret_cast<const uint4*>(map + 2 * first));
    const uint32_t places[TOGETHER] = {four.x, four.y, four.z, four.w};
    Means pixels[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i)
        pixels[i] = rectified(from, places[i], y, x + i, height, width);
    write(out, first, pixels, TOGETHER);
}
