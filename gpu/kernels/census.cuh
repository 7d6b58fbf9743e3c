// Census words, by kind of window. Include after common.cuh.

// The arithmetic, once a window; `pixel(dy, dx)` is where a kernel decides which memory to read.
template <class Pixel>
__device__ uint32_t checkerboard(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy)
#pragma unroll
        for (int dx = -4; dx <= 4; ++dx)
            if ((dy + dx) % 2 != 0) word = word << 1 | (center > pixel(dy, dx));
    return word;
}

template <class Pixel>
__device__ uint32_t symmetric(Pixel pixel) {
    uint32_t word = 0;
#pragma unroll
    for (int dy = -3; dy <= 0; ++dy)
#pragma unroll
        for (int dx = -4; dx <= 4; ++dx)
            if (dy < 0 || dx < 0) word = word << 1 | (pixel(dy, dx) > pixel(-dy, -dx));
    return word;
}

template <class Pixel>
__device__ uint32_t ring(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy)
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx)
            if (dy != 0 || dx != 0) word = word << 1 | (center > pixel(dy, dx));
#pragma unroll
    for (int dy = -3; dy <= 3; dy += 3)
#pragma unroll
        for (int dx = -4; dx <= 4; dx += 4)
            if (dy != 0 || dx != 0) word = word << 1 | (center > pixel(dy, dx));
    return word;
}
