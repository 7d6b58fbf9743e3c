// Census words, by kind of window. Include after common.cuh.

// The word moved up by a bit, with the new one set where a < b: the sign of their difference, which the shift
// takes in, in half the instructions of a comparison and a selection.
__device__ inline uint32_t append(uint32_t word, int a, int b) {
    return __funnelshift_l(uint32_t(a - b), word, 1);
}

// The arithmetic, once a window; `pixel(dy, dx)` is where a kernel decides which memory to read.
template <class Pixel>
__device__ uint32_t checkerboard(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy)
#pragma unroll
        for (int dx = -4; dx <= 4; ++dx)
            if ((dy + dx) % 2 != 0) word = append(word, pixel(dy, dx), center);
    return word;
}

template <class Pixel>
__device__ uint32_t mean(Pixel pixel) {
    int sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx)
            sum += pixel(dy, dx);
    uint32_t word = 0;
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy)
#pragma unroll
        for (int dx = -4; dx <= 4; ++dx)
            if ((dy + dx) % 2 != 0) word = append(word, 9 * pixel(dy, dx), sum);
    return word;
}

template <class Pixel>
__device__ uint32_t symmetric(Pixel pixel) {
    uint32_t word = 0;
#pragma unroll
    for (int dy = -3; dy <= 0; ++dy)
#pragma unroll
        for (int dx = -4; dx <= 4; ++dx)
            if (dy < 0 || dx < 0) word = append(word, pixel(-dy, -dx), pixel(dy, dx));
    return word;
}

// The 24 neighbours of a window of 5x5 pixels.
template <class Pixel>
__device__ uint32_t core(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy)
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx)
            if (dy != 0 || dx != 0) word = append(word, pixel(dy, dx), center);
    return word;
}

template <class Pixel>
__device__ uint32_t ring(Pixel pixel) {
    const int center = pixel(0, 0);
    uint32_t word = core(pixel);
#pragma unroll
    for (int dy = -3; dy <= 3; dy += 3)
#pragma unroll
        for (int dx = -4; dx <= 4; dx += 4)
            if (dy != 0 || dx != 0) word = append(word, pixel(dy, dx), center);
    return word;
}

template <class Pixel>
__device__ uint32_t ring_symmetric(Pixel pixel) {
    constexpr int ROWS[8] = {-3, -3, -3, 0, -1, -1, -1, 0}, COLUMNS[8] = {-4, 0, 4, -4, -1, 1, 0, -1};
    uint32_t word = core(pixel);
#pragma unroll
    for (int i = 0; i < 8; ++i)
        word = append(word, pixel(-ROWS[i], -COLUMNS[i]), pixel(ROWS[i], COLUMNS[i]));
    return word;
}
