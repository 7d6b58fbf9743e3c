// Rectified pixels and their grey levels. Include after common.cuh.

const int OUTSIDE = -32768;  // a displacement that leads out of the image

// A pixel's displacements in a map.
__device__ inline short2 place(const int16_t* map, int y, int x, int width) {
    return reinterpret_cast<const short2*>(map)[at(y, x, width)];
}

// Where taps come from; a pixel is a word of four channels.
__device__ inline auto from_memory(const uint8_t* raw, int width) {
    return [=](int row, int column) {
        return __ldg(reinterpret_cast<const uint32_t*>(raw) + (row * width + column));
    };
}

__device__ inline auto from_texture(cudaTextureObject_t raw) {
    return [=](int row, int column) -> uint32_t {
        const uchar4 pixel = tex2D<uchar4>(raw, column + 0.5f, row + 0.5f);
        return pixel.x | pixel.y << 8 | pixel.z << 16 | uint32_t(pixel.w) << 24;
    };
}

// The mean of one channel: its bytes of four pixels, times weights that sum to 1024, 16 bits each.
__device__ inline uint32_t mean(uint32_t bytes, uint32_t above, uint32_t below) {
    return __dp2a_hi(below, bytes, __dp2a_lo(above, bytes, 512u)) >> 10;
}

// The means of four pixels' channels; a pixel is a word, fx and fy the place beyond `a` in 1/32.
__device__ inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d, int fx, int fy) {
    const uint32_t above = (32 - fx) * (32 - fy) | fx * (32 - fy) << 16,
                   below = (32 - fx) * fy | fx * fy << 16;
    // Bytes of a channel beside each other: first those of two pixels, then of all four.
    const uint32_t ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
    const uint32_t AB = __byte_perm(a, b, 0x7362), CD = __byte_perm(c, d, 0x7362);
    return mean(__byte_perm(ab, cd, 0x5410), above, below) |
           mean(__byte_perm(ab, cd, 0x7632), above, below) << 8 |
           mean(__byte_perm(AB, CD, 0x5410), above, below) << 16 |
           mean(__byte_perm(AB, CD, 0x7632), above, below) << 24;
}

// The rectified pixel (y, x), a word of four channels; `tap(row, column)` reads a raw pixel of the image.
template <class Tap>
__device__ inline uint32_t rectified(Tap tap, short2 away, int y, int x, int height, int width) {
    const int row = y + (away.y >> 5), column = x + (away.x >> 5), fy = away.y & 31, fx = away.x & 31;
    if (away.x == OUTSIDE) return 0;
    if (unsigned(row) < unsigned(height - 1) && unsigned(column) < unsigned(width - 1))
        return mixed(tap(row, column), tap(row, column + 1), tap(row + 1, column), tap(row + 1, column + 1),
                     fx, fy);
    const auto pixel = [=](int r, int c) -> uint32_t {
        return r >= 0 && r < height && c >= 0 && c < width ? tap(r, c) : 0;
    };
    return mixed(pixel(row, column), pixel(row, column + 1), pixel(row + 1, column),
                 pixel(row + 1, column + 1), fx, fy);
}

// The grey level of a word of red, green, blue and presence.
__device__ inline uint8_t grey(uint32_t colour) {
    return __dp2a_hi(3735u, colour, __dp2a_lo(9798u | 19235u << 16, colour, 16384u)) >> 15;
}

const int TOGETHER = 4;  // pixels of a thread

// Rectify a thread's pixels; `write(out, first, colours, count)` stores those from pixel `first` on. Their map
// and results are moved as one, past the caches, which keep the raw view; and many taps are on their way at
// once, which hides that each waits for its place in the map. Rows that are no multiple of TOGETHER are not
// aligned: there every pixel is moved alone.
template <class Write>
__device__ inline void rectify_together(const uint8_t* __restrict__ raw, const int16_t* __restrict__ map,
                                        uint8_t* __restrict__ out, int height, int width, Write write) {
    const int x = TOGETHER * (blockIdx.x * BLOCK_X + threadIdx.x), y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto tap = from_memory(raw, width);
    const uint64_t first = at(y, x, width);
    if (width % TOGETHER) {
        for (int i = 0; i < TOGETHER && x + i < width; ++i) {
            const uint32_t colour = rectified(tap, place(map, y, x + i, width), y, x + i, height, width);
            write(out, first + i, &colour, 1);
        }
        return;
    }
    const uint4 four = __ldcs(reinterpret_cast<const uint4*>(map + 2 * first));
    const uint32_t away[TOGETHER] = {four.x, four.y, four.z, four.w};
    uint32_t colours[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; ++i)
        colours[i] =
            rectified(tap, short2{short(away[i] & 0xffff), short(away[i] >> 16)}, y, x + i, height, width);
    write(out, first, colours, TOGETHER);
}
