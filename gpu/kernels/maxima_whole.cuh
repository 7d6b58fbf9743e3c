// Sobel's gradient, along rows first and then along columns, and the local maxima of |gx| + |gy| or of
// gx^2 + gy^2, in whole numbers. Include after halves.cuh.
//
// A thread has eight pixels of a row, columns x to x + 7. What is signed and fits 16 bits is kept as pairs: a word
// that is the second number times 65536, plus the first. Sums and multiples of such words are those of both.

#define RADIUS (APERTURE / 2)

#if APERTURE > 3 || SQUARED

#define TAN_22_5 13573  // in 1/32768

__device__ inline int first_of(uint32_t pair) { return int16_t(pair); }
__device__ inline int second_of(uint32_t pair) { return int(pair + 0x8000) >> 16; }

#if APERTURE == 7
// A sixteenth, rounded to the nearest integer, halves to even.
__device__ inline int sixteenth(int value) { return (value + 7 + (value >> 4 & 1)) >> 4; }

// Of a pair of one row and one of another, the numbers of the same column; the first one's or the second one's.
__device__ inline uint32_t stacked(uint32_t upper, uint32_t lower, bool second) {
    return permuted(upper, lower, second ? 0x7632 : 0x5410);
}

// Two bytes of weights.
__device__ constexpr int weights(int first, int second) { return (first & 0xFF) | (second & 0xFF) << 8; }

// Slopes of aperture 7 are stored with this added: then none is negative, and each is where it seems to be.
constexpr int BIAS = 4096;
#else
constexpr int BIAS = 0;
#endif

// A row smoothed and differentiated, columns x - 1 to x + 8 in pairs.
struct Row {
    uint32_t smooth[5], slope[5];

    __device__ Row() {}

    // From the words of columns x - 4, x, x + 4 and x + 8 on.
    __device__ Row(uint32_t before, uint32_t low, uint32_t high, uint32_t after) {
        const int smoothing[] = {SMOOTHING}, derivative[] = {DERIVATIVE};
        const uint32_t words[] = {before, low, high, after};
        uint32_t pair[15];  // the one that begins at column x - 4 + k
#pragma unroll
        for (int k = 0; k < 15; ++k)
            pair[k] = k % 4 < 3 ? permuted(words[k / 4], 0, 0x4140 + 0x0101 * (k % 4))
                                : permuted(permuted(words[k / 4], words[k / 4 + 1], 0x6543), 0, 0x4140);
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const int centre = 3 + 2 * i;
            smooth[i] = smoothing[RADIUS] * pair[centre];
            slope[i] = BIAS * 0x10001;
#pragma unroll
            for (int k = 1; k <= RADIUS; ++k) {
                smooth[i] += smoothing[RADIUS + k] * (pair[centre + k] + pair[centre - k]);
                slope[i] += derivative[RADIUS + k] * (pair[centre + k] - pair[centre - k]);
            }
        }
    }
};

// Gradients of a row: what pixels are compared by, of columns x - 1 to x + 8.
struct Line {
    int compared[10], gx[10], gy[10];

    __device__ Line() {}

    // `row(k)` is the k-th row of the window.
    template <class Rows>
    __device__ Line(Rows row) {
#pragma unroll
        for (int i = 0; i < 5; ++i)
            add_up(row, i);
#pragma unroll
        for (int k = 0; k < 10; ++k)
            compared[k] = SQUARED ? gx[k] * gx[k] + gy[k] * gy[k] : abs(gx[k]) + abs(gy[k]);
    }

    // Both gradients of a pair. Those of aperture 7 fit 16 bits only when they are divided.
    template <class Rows>
    __device__ void add_up(Rows row, int i) {
        const int smoothing[] = {SMOOTHING}, derivative[] = {DERIVATIVE};
        const int k = 2 * i;
#if APERTURE == 7
        constexpr int UPPER[] = {0, 2, 5}, LOWER[] = {1, 4, 6};  // all rows but the middle one
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            int across = -64 * BIAS, down = 0;
#pragma unroll
            for (int j = 0; j < 6; j += 2) {
                const int pair = stacked(row(j).slope[i], row(j + 1).slope[i], n);
                across = __dp2a_lo(pair, weights(smoothing[j], smoothing[j + 1]), across);
            }
            across =
                __dp2a_lo(int(row(6).slope[i]), weights(n ? 0 : smoothing[6], n ? smoothing[6] : 0), across);
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const int upper = UPPER[j], lower = LOWER[j];
                const int pair = stacked(row(upper).smooth[i], row(lower).smooth[i], n);
                down = __dp2a_lo(pair, weights(derivative[upper], derivative[lower]), down);
            }
            gx[k + n] = sixteenth(across), gy[k + n] = sixteenth(down);
        }
#else
        uint32_t across = 0, down = 0;
#pragma unroll
        for (int j = 0; j < APERTURE; ++j) {
            across += smoothing[j] * row(j).slope[i];
            down += derivative[j] * row(j).smooth[i];
        }
        gx[k] = first_of(across), gx[k + 1] = second_of(across);
        gy[k] = first_of(down), gy[k + 1] = second_of(down);
#endif
    }

    // Outside the image there is no magnitude; `inside(k)`: whether the image has column x - 1 + k.
    template <class Inside>
    __device__ void clear_outside(Inside inside) {
#pragma unroll
        for (int k = 0; k < 10; ++k)
            if (!inside(k)) compared[k] = 0;
    }

    __device__ void finish() {}
};

// Which of the middle line's pixels are maxima above `low`, a bit each, and 8 bits further up, above `high`.
__device__ inline uint32_t maxima(const Line& above, const Line& here, const Line& below, int low, int high) {
    uint32_t found = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int k = i + 1, gx = here.gx[k], gy = here.gy[k];
        const int down = abs(gy) << 15, across = abs(gx) * TAN_22_5;
        const bool flat = down<across, steep = down> across + (abs(gx) << 16), falling = (gx ^ gy) < 0;
        int before = falling ? above.compared[k + 1] : above.compared[k - 1];
        int after = falling ? below.compared[k - 1] : below.compared[k + 1];
        before = flat ? here.compared[k - 1] : steep ? above.compared[k] : before;
        after = flat ? here.compared[k + 1] : steep ? below.compared[k] : after;
        after -= flat || steep;  // a tie with the one after counts
        if (here.compared[k] > max(max(before, low), after))
            found |= (here.compared[k] > high ? 0x101u : 1u) << i;
    }
    return found;
}

#endif
