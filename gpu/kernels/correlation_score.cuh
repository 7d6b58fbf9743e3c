// Scores from sums and products. Include after correlation_block.cuh and coefficient.cuh.
//
// Sums fit 32 bits up to 66051 pixels of template, differences of their products 48. The quotient is
// num * rsqrt(own) / sqrt(others), whose relative error is far below 2^-44: unless the bits that rounding to single
// precision drops lie that near a half, the exact quotient rounds to the same. If they do, it is computed.

// The scores of a lane's windows, from their sums and products.
__device__ inline void book(float32_t (&scores)[TOGETHER], const Pattern& pattern,
                            const uint2 (&windows)[TOGETHER], const uint32_t (&products)[TOGETHER]) {
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
        scores[k] = book(int64_t(pattern.pixels), Sums{windows[k].x, windows[k].y, products[k]},
                         pattern.total, pattern.squares);
}

// a b - c d, which fits 48 bits and a sign.
__device__ inline int64_t less(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return int64_t(uint64_t(a) * b - uint64_t(c) * d);
}

// The number itself, if it fits 51 bits: added to the bits of a double whose last one counts 1. A conversion of 64
// bits is slower.
__device__ inline double as_double(int64_t value) {
    constexpr double MIDDLE = 6755399441055744.0;  // 3 * 2^51
    return __dsub_rn(__hiloint2double(int(value >> 32) + 0x43380000, int(value)), MIDDLE);
}

// One over the root, with 20 bits that are right.
__device__ inline double rough_inverse_root(double square) {
#ifdef __CUDA_ARCH__
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(square));
    return root;
#else
    return rsqrtf(float32_t(square));
#endif
}

// The quotient that its neighbours in double precision would not all round to.
__device__ __noinline__ float quotient(int64_t numerator, int64_t own, double others) {
    return __double2float_rn(
        __ddiv_rn(__ll2double_rn(numerator), __dsqrt_rn(__dmul_rn(__ll2double_rn(own), others))));
}

// Whether the quotient, which is as near as that, could round to another float.
__device__ inline bool is_doubtful(double found) {
    return (uint32_t(__double2loint(found)) & 0x1FFFFFFF) - (0x10000000u - 256u) < 512u;
}

// All windows at once, those in doubt behind them. Where a variance is 0, so is the numerator.
__device__ inline void exact(float32_t (&scores)[TOGETHER], const Pattern& pattern,
                             const uint2 (&windows)[TOGETHER], const uint32_t (&products)[TOGETHER]) {
    int64_t numerator[TOGETHER], own[TOGETHER];
    bool doubtful[TOGETHER], any = false;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        numerator[k] = less(pattern.pixels, products[k], windows[k].x, pattern.total);
        own[k] = less(pattern.pixels, windows[k].y, windows[k].x, windows[k].x);
        const double variance = as_double(own[k]);
        double root = rough_inverse_root(variance);  // its inverse, and once nearer to that
        const double error = __fma_rn(__dmul_rn(-variance, root), root, 1.0);
        root = __fma_rn(__dmul_rn(root, error), __fma_rn(0.375, error, 0.5), root);
        const double found = __dmul_rn(as_double(numerator[k]), __dmul_rn(root, pattern.inverse_root));
        doubtful[k] = own[k] != 0 && is_doubtful(found);
        scores[k] = own[k] == 0 ? 0 : __double2float_rn(found);
        any |= doubtful[k];
    }
    if (any)
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            if (doubtful[k]) scores[k] = quotient(numerator[k], own[k], pattern.others);
    __syncwarp();
}

// Adds the sums over the threads of a block to `sums`.
__device__ inline void add_up(uint32_t total, uint32_t squares, uint32_t* sums) {
    const uint32_t of_warp[2] = {sum_of_warp(total), sum_of_warp(squares)};
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], of_warp[0]);
        atomicAdd(&sums[1], of_warp[1]);
    }
}

__device__ inline Pattern pattern_of(uint32_t pixels, const uint32_t* sums) {
    const int64_t others = less(pixels, sums[1], sums[0], sums[0]);
    const double variance = __ll2double_rn(others);
    return {pixels, sums[0], sums[1], variance, others == 0 ? 0 : __ddiv_rn(1, __dsqrt_rn(variance))};
}
