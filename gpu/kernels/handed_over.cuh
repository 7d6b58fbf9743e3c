// What a block hands over to another one that runs at the same time: words that tell by themselves that they are there.
// The upper bit of each is a tag, another one than what the word before had in its place. So nothing is told apart from
// them, and nothing has to be written in any order.

constexpr uint32_t TAG = 0x80000000;

__device__ inline void hand_over(uint4* to, uint4 words, uint32_t tag) {
    words.x = (words.x & ~TAG) | tag, words.y = (words.y & ~TAG) | tag;
    words.z = (words.z & ~TAG) | tag, words.w = (words.w & ~TAG) | tag;
#if defined(__CUDA_ARCH__)
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x), "r"(words.y),
                 "r"(words.z), "r"(words.w)
                 : "memory");
#else
    *to = words;
#endif
}

// What lies there just now.
__device__ inline uint4 look(const uint4* from) {
#if defined(__CUDA_ARCH__)
    uint4 words;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(from)
                 : "memory");
    return words;
#else
    __nanosleep(0);
    return *from;
#endif
}

// Whether words have come that have this tag.
__device__ inline bool came(const uint4& words, uint32_t tag) {
    return (((words.x ^ tag) | (words.y ^ tag) | (words.z ^ tag) | (words.w ^ tag)) & TAG) == 0;
}
