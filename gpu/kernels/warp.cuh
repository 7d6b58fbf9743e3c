// What a warp agrees on: the sum or the largest of what its lanes hold. Include after common.cuh.
//
// From compute capability 8.0 on one instruction does it for 32 bits; before, lanes swap in five steps.

__device__ inline uint32_t sum_of_warp(uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xFFFFFFFF, value);
#else
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFF, value, offset);
    return value;
#endif
}

__device__ inline int32_t largest_of_warp(int32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xFFFFFFFF, value);
#else
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value = max(value, __shfl_xor_sync(0xFFFFFFFF, value, offset));
    return value;
#endif
}
