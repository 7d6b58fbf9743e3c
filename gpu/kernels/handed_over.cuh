// How a block tells another one, which runs at the same time, how far it is.

// Tell that all is written that this thread's block had written at its last barrier.
__device__ inline void publish(int* progress, int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(progress), "r"(count) : "memory");
#else
    __threadfence();
    *static_cast<volatile int*>(progress) = count;
#endif
}

// Read what was published; what was written before can be read from now on.
__device__ inline int published(const int* progress) {
    int count;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(count) : "l"(progress) : "memory");
#else
    count = *static_cast<const volatile int*>(progress);
    __threadfence();
#endif
    return count;
}
