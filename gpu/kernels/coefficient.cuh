// The coefficient of correlation, from exact sums, by either convention. Include after common.cuh.

struct Sums {  // of a window: grey levels, their squares, their products with the template's
    int64_t total, squares, products;
};

// Every operation is named with its rounding: the compiler would contract a * b - c * d, and round once less.
__device__ inline float exact(int64_t n, Sums window, int64_t template_total, int64_t template_squares) {
    const int64_t numerator = n * window.products - window.total * template_total;
    const int64_t own = n * window.squares - window.total * window.total;
    const int64_t others = n * template_squares - template_total * template_total;
    if (own == 0 || others == 0) return 0;
    const double product = __dmul_rn(__ll2double_rn(own), __ll2double_rn(others));
    return __double2float_rn(__ddiv_rn(__ll2double_rn(numerator), __dsqrt_rn(product)));
}

// n a - b c.
__device__ inline float difference(int64_t n, int64_t a, int64_t b, int64_t c) {
    return __fsub_rn(__fmul_rn(__ll2float_rn(n), __ll2float_rn(a)),
                     __fmul_rn(__ll2float_rn(b), __ll2float_rn(c)));
}

__device__ inline float book(int64_t n, Sums window, int64_t template_total, int64_t template_squares) {
    const double others =
        __dsub_rn(__dmul_rn(__ll2double_rn(n), __ll2double_rn(template_squares)),
                  __dmul_rn(__ll2double_rn(template_total), __ll2double_rn(template_total)));
    const float own = difference(n, window.squares, window.total, window.total);
    const float product = __fmul_rn(own, __double2float_rn(others));
    if (!(product > 0)) return 0;
    return __fmul_rn(difference(n, window.products, window.total, template_total), __frsqrt_rn(product));
}
