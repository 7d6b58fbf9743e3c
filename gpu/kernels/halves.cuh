// Arithmetic on two half-precision numbers a word. Include after common.cuh.
//
// Whole numbers up to 2048 are exact. As PTX, since the compiler at run time has no header for half precision; what
// runs on a CPU instead is in gpu/emulation/cuda_shim.hpp.

#ifdef __CUDA_ARCH__
__device__ inline uint32_t add_halves(uint32_t a, uint32_t b) {
    uint32_t sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ inline uint32_t subtract_halves(uint32_t a, uint32_t b) {
    uint32_t difference;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(difference) : "r"(a), "r"(b));
    return difference;
}

// a * b + c, rounded once.
__device__ inline uint32_t fused_halves(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t sum;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

__device__ inline uint32_t absolute_halves(uint32_t a) {
    uint32_t absolute;
    asm("abs.f16x2 %0, %1;" : "=r"(absolute) : "r"(a));
    return absolute;
}

// 0xFFFF where a > b.
__device__ inline uint32_t above_halves(uint32_t a, uint32_t b) {
    uint32_t mask;
    asm("set.gt.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(a), "r"(b));
    return mask;
}

// Bytes of b (4 to 7) and a (0 to 3), as the digits of the selector tell; 8 more: the byte's sign, eight times.
// __byte_perm knows no signs: it leaves these bits of the selector out.
__device__ inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
    uint32_t bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
    return bytes;
}
#endif

// Bits of a where the mask has one, else of b.
__device__ inline uint32_t chosen(uint32_t mask, uint32_t a, uint32_t b) { return (a & mask) | (b & ~mask); }

__device__ inline uint32_t larger_halves(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t larger;
    asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
    return larger;
#else
    return chosen(above_halves(a, b), a, b);
#endif
}
