// Products of matrices of bytes by the tensor cores. Include after common.cuh.
//
// multiply() adds A B to D, for a whole warp. With g = lane / 4 and t = lane % 4 a lane holds, of A (16 x 32),
// columns 4 t .. 4 t + 3 of row g (a.x) and of row g + 8 (a.y), and the same 16 columns on (a.z, a.w); of
// B (32 x 8), rows 4 t .. 4 t + 3 of column g (b0) and 16 rows on (b1); of D (16 x 8), columns 2 t and 2 t + 1 of
// row g, then of row g + 8. Elements are unsigned, sums wrap at 32 bits.
//
// GPUs before compute capability 8.0 lack the instruction: there, as in an emulation, lanes hand their rows and
// columns round, which takes too long to be of use.

// A word of another lane.
__device__ inline uint32_t word_of(int lane, uint32_t word) { return __shfl_sync(0xFFFFFFFF, word, lane); }

__device__ __noinline__ uint4 handed_round(uint4 d, uint4 a, uint32_t b0, uint32_t b1) {
    const int row = threadIdx.x & 28, column = (threadIdx.x & 3) * 8;  // the first lanes that hold them
    for (int t = 0; t < 4; ++t) {
        const uint4 of_rows = make_uint4(word_of(row + t, a.x), word_of(row + t, a.y), word_of(row + t, a.z),
                                         word_of(row + t, a.w));
        const uint2 one = make_uint2(word_of(column + t, b0), word_of(column + t, b1));
        const uint2 other = make_uint2(word_of(column + 4 + t, b0), word_of(column + 4 + t, b1));
        d.x = __dp4a(of_rows.z, one.y, __dp4a(of_rows.x, one.x, d.x));
        d.y = __dp4a(of_rows.z, other.y, __dp4a(of_rows.x, other.x, d.y));
        d.z = __dp4a(of_rows.w, one.y, __dp4a(of_rows.y, one.x, d.z));
        d.w = __dp4a(of_rows.w, other.y, __dp4a(of_rows.y, other.x, d.w));
    }
    return d;
}

__device__ inline void multiply(uint32_t (&d)[4], uint4 a, uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#else
    const uint4 sums = handed_round(make_uint4(d[0], d[1], d[2], d[3]), a, b0, b1);
    d[0] = sums.x, d[1] = sums.y, d[2] = sums.z, d[3] = sums.w;
#endif
}
