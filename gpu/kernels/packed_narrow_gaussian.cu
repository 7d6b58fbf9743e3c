// Gaussian filter of convention opencv with a radius of at most 4, in whole numbers.  Computes
// gpu.reference.gaussian_filter where rows begin at multiples of four bytes.
//
// A thread walks down the image with four pixels of a row, of which the lanes beside it have the neighbours. It asks for
// all rows before it uses the first. Sums along rows fit 16 bits; two of them below each other make a word, and of
// each such pair one instruction adds what both give to an output.
//
// Launch: block (32 * WARPS), a warp for ROWS rows of 120 columns: its first and last lane only have neighbours.
// Build: RADIUS is from 1 to 4; ROWS is even. Weights are bytes, those from the centre on in `inner`, the fifth in
// `outer`; the sum of a row of them is 256.

#include "common.cuh"

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr int READ = ROWS + 2 * RADIUS, PAIRS = RADIUS + 1;
constexpr uint32_t HALF = 1 << 15;

// Four weights, by their distances from the centre. Beyond the radius, the fifth byte after the centre's is 0.
struct Weights {
    uint32_t inner, outer;

    __device__ static constexpr uint32_t byte(int distance) {
        return distance < -RADIUS || distance > RADIUS ? 5 : distance < 0 ? -distance : distance;
    }
    __device__ uint32_t operator()(int a, int b, int c, int d) const {
        return __byte_perm(inner, outer, byte(a) | byte(b) << 4 | byte(c) << 8 | byte(d) << 12);
    }
};

// Sums along a row of the pixels of `own`, between the words on either side.
__device__ inline void sum_row(uint32_t (&sums)[4], uint32_t before, uint32_t own, uint32_t after,
                               const Weights& weights) {
    const uint32_t words[] = {before, own, after};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        sums[k] = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const int first = 4 * (i - 1) - k;  // from the output to the word
            if (first <= RADIUS && first + 3 >= -RADIUS)
                sums[k] = __dp4a(words[i], weights(first, first + 1, first + 2, first + 3), sums[k]);
        }
    }
}

// The third bytes of four sums: what they are, divided by 65536.
__device__ inline uint32_t divided(const uint32_t (&sums)[4]) {
    return __byte_perm(__byte_perm(sums[0], sums[1], 0x0062), __byte_perm(sums[2], sums[3], 0x0062), 0x5410);
}

extern "C" __launch_bounds__(32 * WARPS) __global__
    void packed_narrow_gaussian(const uint8_t* __restrict__ left, uint8_t* __restrict__ blurred, int height,
                                int width, int inner, int outer) {
    wait_for_previous();
    const int lane = threadIdx.x % 32, x = (blockIdx.x * 30 + lane - 1) * 4;
    const int top = (blockIdx.y * WARPS + threadIdx.x / 32) * ROWS;
    if (top >= height) return;
    const bool writes = 0 < lane && lane < 31 && x < width;
    const Weights weights{uint32_t(inner), uint32_t(outer)};
    uint32_t levels[READ];
#pragma unroll
    for (int i = 0; i < READ; ++i) {
        const int y = min(top - RADIUS + i, height - 1 + RADIUS);
        const int row = min(abs(y), 2 * (height - 1) - y);  // of the image, or of its mirror image
        levels[i] = *reinterpret_cast<const uint32_t*>(left + at(row, clamp(x, 0, width - 4), width));
    }
    uint32_t upper[4], pairs[PAIRS][4];
#pragma unroll
    for (int i = 0; i < READ; ++i) {
        uint32_t before = __shfl_up_sync(ALL, levels[i], 1), after = __shfl_down_sync(ALL, levels[i], 1);
        if (x == 0) before = __byte_perm(levels[i], after, 0x1234);
        if (x == width - 4) after = __byte_perm(levels[i], before, 0x7012);
        uint32_t sums[4];
        sum_row(sums, before, levels[i], after, weights);
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (i % 2 == 0)
                upper[k] = sums[k];
            else
                pairs[i / 2 % PAIRS][k] = upper[k] | sums[k] << 16;
        const int output = i - 1 - 2 * RADIUS;  // the upper one of two that have all rows now
        if (i % 2 == 0 || output < 0) continue;
        uint32_t first[] = {HALF, HALF, HALF, HALF}, second[] = {HALF, HALF, HALF, HALF};
#pragma unroll
        for (int m = 0; m < PAIRS; ++m) {
            const int from = 2 * m - RADIUS;  // the first output to the first row
            const uint32_t down = weights(from, from + 1, from - 1, from);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const uint32_t pair = pairs[(output / 2 + m) % PAIRS][k];
                first[k] = __dp2a_lo(pair, down, first[k]);
                second[k] = __dp2a_hi(pair, down, second[k]);
            }
        }
        const int y = top + output;
        if (writes && y < height) *reinterpret_cast<uint32_t*>(blurred + at(y, x, width)) = divided(first);
        if (writes && y + 1 < height)
            *reinterpret_cast<uint32_t*>(blurred + at(y + 1, x, width)) = divided(second);
    }
}
