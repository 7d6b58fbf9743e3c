// The messages of two pixels before one, in packed 16-bit arithmetic. Include after packed.cuh.

// The message from a pixel, by its path costs; `penalty` and `p1` in both halves.
__device__ inline void send(uint32_t (&sent)[8], const uint32_t (&path)[8], uint32_t penalty, uint32_t p1,
                            const Lane& lane) {
    const uint32_t nothing[8] = {}, smallest = of_pixel<LANES>(own_minimum(path) | lane.absent);
    uint32_t near[8];
    stay<8, LANES>(near, path, nothing, p1, lane);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        sent[j] = __vminu2(near[j], smallest + penalty) - smallest;
}

// The mean of two messages, halves rounded up. Each is at most 4095: sums need no more than the bits there are, and
// the lowest one of the upper half is kept out of the lower half.
__device__ inline uint32_t mean_of(uint32_t first, uint32_t second) {
    return (first + second + 0x10001) >> 1 & NEVER_TWICE;
}
