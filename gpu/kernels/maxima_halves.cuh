// Sobel's gradient of aperture 3, its magnitude |gx| + |gy| and the local maxima of that, two pixels an
// instruction in half precision: no number is above 2040. Include after halves.cuh.
//
// A thread has eight pixels of a row, columns x to x + 7. Pairs are `even` if they begin at an even distance from x,
// and `odd` if a column earlier: what lies left, right and on the diagonals of an even pair are odd ones.

#if APERTURE == 3 && !SQUARED

constexpr uint32_t SIGN = 0x80008000;
constexpr uint32_t ONES = 0x3C003C00, TWOS = 0x40004000;

// tan(22.5 degrees) as 13573 / 32768, which is 53/128 + 5/32768, and 2 more: tan(67.5). Both parts are exact. The
// sum with the first is, where it is near 0; elsewhere the second does not change its sign.
constexpr uint32_t TAN_22_5 = 0x36A036A0, TAN_67_5 = 0x40D440D4, TAN_REST = 0x09000900;

// Grey levels of columns x - 2 to x + 9.
struct Row {
    uint32_t pair[6];

    __device__ Row() {}

    // From the words of columns x - 4, x, x + 4 and x + 8 on.
    __device__ Row(uint32_t before, uint32_t low, uint32_t high, uint32_t after) {
        constexpr uint32_t THOUSAND = 0x64006400, EXPONENT = 0x64646464;  // 1024, whose last bits count ones
        pair[0] = subtract_halves(permuted(before, EXPONENT, 0x4342), THOUSAND);
        pair[1] = subtract_halves(permuted(low, EXPONENT, 0x4140), THOUSAND);
        pair[2] = subtract_halves(permuted(low, EXPONENT, 0x4342), THOUSAND);
        pair[3] = subtract_halves(permuted(high, EXPONENT, 0x4140), THOUSAND);
        pair[4] = subtract_halves(permuted(high, EXPONENT, 0x4342), THOUSAND);
        pair[5] = subtract_halves(permuted(after, EXPONENT, 0x4140), THOUSAND);
    }
};

// The even pair between two odd ones, or the other way round.
__device__ inline uint32_t between(uint32_t before, uint32_t after) {
    return permuted(before, after, 0x5432);
}

// Gradients of a row: magnitudes of columns x - 1 to x + 8, and of x to x + 7 where they point, as masks.
struct Line {
    uint32_t odd[5], even[4];
    uint32_t flat[4], steep[4], falling[4];  // gx and gy have different signs

    __device__ Line() {}

    // `row(k)` is the k-th row of the window.
    template <class Rows>
    __device__ Line(Rows row) {
        uint32_t smooth[6], slope[6], gx[5], gy[5];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            smooth[i] = fused_halves(row(1).pair[i], TWOS, add_halves(row(0).pair[i], row(2).pair[i]));
            slope[i] = subtract_halves(row(2).pair[i], row(0).pair[i]);
        }
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            gx[i] = subtract_halves(smooth[i + 1], smooth[i]);
            gy[i] = fused_halves(between(slope[i], slope[i + 1]), TWOS, add_halves(slope[i], slope[i + 1]));
            odd[i] = add_halves(absolute_halves(gx[i]), absolute_halves(gy[i]));
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
            point(i, between(gx[i], gx[i + 1]), between(gy[i], gy[i + 1]));
    }

    __device__ void point(int i, uint32_t gx, uint32_t gy) {
        const uint32_t across = absolute_halves(gx), up = absolute_halves(gy) ^ SIGN;
        const uint32_t lower = fused_halves(across, TAN_REST, fused_halves(across, TAN_22_5, up));
        const uint32_t upper = fused_halves(across, TAN_REST, fused_halves(across, TAN_67_5, up));
        flat[i] = above_halves(lower, 0);
        steep[i] = above_halves(0, upper);
        falling[i] = permuted(gx ^ gy, 0, 0xBB99);
    }

    // Outside the image there is no magnitude; `inside(k)`: whether the image has column x - 1 + k.
    template <class Inside>
    __device__ void clear_outside(Inside inside) {
#pragma unroll
        for (int i = 0; i < 5; ++i)
            odd[i] &= (inside(2 * i) ? 0xFFFF : 0) | (inside(2 * i + 1) ? 0xFFFF0000 : 0);
    }

    __device__ void finish() {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            even[i] = between(odd[i], odd[i + 1]);
    }
};

// Which of the middle line's pixels are maxima above `low`, a bit each, and 8 bits further up, above `high`.
__device__ inline uint32_t maxima(const Line& above, const Line& here, const Line& below, int low, int high) {
    const uint32_t weakest = low, strongest = high;  // each in both halves
    uint32_t weak = 0, strong = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const uint32_t flat = here.flat[i], steep = here.steep[i], falling = here.falling[i];
        const uint32_t bits = 0x00020001u << 2 * i;
        uint32_t before = chosen(falling, above.odd[i + 1], above.odd[i]);
        uint32_t after = chosen(falling, below.odd[i], below.odd[i + 1]);
        before = chosen(flat, here.odd[i], chosen(steep, above.even[i], before));
        after = chosen(flat, here.odd[i + 1], chosen(steep, below.even[i], after));
        after = subtract_halves(after, (flat | steep) & ONES);  // a tie with the one after counts
        const uint32_t least = larger_halves(larger_halves(before, weakest), after);
        const uint32_t kept = above_halves(here.even[i], least) & bits;
        weak |= kept;
        strong |= kept & above_halves(here.even[i], strongest);
    }
    weak |= weak >> 16;
    strong |= strong >> 16;
    return (weak & 0xFF) | (strong & 0xFF) << 8;
}

#endif
