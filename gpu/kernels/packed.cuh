// What the packed kernels share: arithmetic on two 16-bit costs a word. Include after common.cuh.
//
// Packing. Word k of a pixel holds the costs of d = k (low half) and d = k + D/2 (high half), so that the
// neighbours d - 1 and d + 1 of both halves are the neighbouring words; only where the halves meet must they
// be permuted. SPAN consecutive lanes own a pixel, WORDS words each, in registers. Lanes past the
// disparities compute along and are left out of the minimum and of the stores.
//
// Costs in memory are of type Element. As bytes, each pair of words becomes one: the even word's costs in the
// even bytes, the odd one's in the odd.
//
// Bounds. A path cost L is at most C + P2' <= 255 + 4095, its minimum m over d at most 255; so L + P1 and m +
// P2' stay below 0x7FFF. That is the value outside the range of d; it must survive + P1 in 16 bits, which
// 0xFFFF would not. L >= m makes L - m safe as a subtraction of whole words: no borrow between the halves.

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr uint32_t NEVER = 0x7FFF;    // the path cost of a disparity outside the range
constexpr uint32_t NEVER_TWICE = 0x7FFF7FFF;

// What a lane is within its pixel.
struct Lane {
    int first;              // its first word, and first disparity
    bool active;            // false if its words lie beyond half the disparities
    int before, after;      // the lanes that hold the words before and after its own, cyclically
    uint32_t below, above;  // how to permute what they give

    __device__ Lane(int lane, int words, int half) {
        const int last = half / words - 1;
        active = lane <= last;
        first = active ? lane * words : 0;
        before = lane == 0 ? last : lane - 1;
        after = lane == last ? 0 : lane + 1;
        below = lane == 0 ? 0x1054 : 0x3210;     // low: never; high: the low half of the last word
        above = lane == last ? 0x5432 : 0x3210;  // low: the high half of the first word; high: never
    }
};

// Four words of bytes from two words of costs each, and back.
__device__ inline uint32_t even_of(uint32_t bytes) { return bytes & 0x00FF00FF; }
__device__ inline uint32_t odd_of(uint32_t bytes) { return __byte_perm(bytes, 0, 0x4341); }
__device__ inline uint32_t bytes_of(uint32_t even, uint32_t odd) { return __byte_perm(even, odd, 0x6240); }

// The smallest of a lane's costs, in both halves; NEVER of a lane that is not active.
template <int WORDS>
__device__ uint32_t own_minimum(const uint32_t (&costs)[WORDS], bool active) {
    uint32_t smallest = __vminu2(costs[0], costs[1]);
#pragma unroll
    for (int j = 2; j < WORDS; j += 2)
        smallest = __vimin3_u16x2(smallest, costs[j], costs[j + 1]);
    if (!active) smallest = NEVER_TWICE;
    return __vminu2(smallest, __byte_perm(smallest, 0, 0x1032));
}

// The smallest of a pixel's lanes, each half by itself.
template <int SPAN>
__device__ uint32_t of_pixel(uint32_t smallest) {
#pragma unroll
    for (int offset = SPAN / 2; offset > 0; offset /= 2)
        smallest = __vminu2(smallest, __shfl_xor_sync(ALL, smallest, offset));
    return smallest;
}

// The path costs of a pixel and their minimum from those of the pixel before it. At the beginning of a path
// both `smallest` and `penalty` are 0, which makes L = C whatever `path` holds. All scalars in both halves.
//
// The lanes agree on the next minimum from what does not depend on the last one: with A the cost without a jump,
// L = min(A + C, C + m + P2') - m, so min L = min(min(A + C) - m, min C + P2'). What takes longest, the shuffles,
// is then needed one pixel later. Both minima are agreed on at once, a half each.
template <int WORDS, int SPAN>
__device__ void carry(uint32_t (&path)[WORDS], uint32_t& smallest, const uint32_t (&costs)[WORDS],
                      uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t before = __byte_perm(__shfl_sync(ALL, path[WORDS - 1], lane.before, SPAN), NEVER, lane.below);
    const uint32_t after = __byte_perm(__shfl_sync(ALL, path[0], lane.after, SPAN), NEVER, lane.above);
    uint32_t near[WORDS];
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        const uint32_t next = j + 1 < WORDS ? path[(j + 1) % WORDS] : after;
        near[j] = __viaddmin_u16x2(__vminu2(before, next), p1, path[j]) + costs[j];
        before = path[j];
    }
    const uint32_t two =
        of_pixel<SPAN>(__byte_perm(own_minimum(near, lane.active), own_minimum(costs, lane.active), 0x5410));
    const uint32_t jump = smallest + penalty;
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        path[j] = __viaddmin_u16x2(costs[j], jump, near[j]) - smallest;
    smallest = __vminu2(__byte_perm(two, 0, 0x1010) - smallest, __byte_perm(two, 0, 0x3232) + penalty);
}

// P2' where the grey level changes by g; adaptation 0: none, 1: divide, 2: soft.
__device__ inline int large_penalty(int p1, int p2, int adaptation, int g) {
    if (adaptation == 1) return max(p1, p2 / max(g, 1));
    if (adaptation == 2) return max(3 * p1 / 2, 16 * p2 / (16 + g));
    return p2;
}

// Start to copy to shared memory what will be needed later; a load into registers would be waited for too
// soon. Before sm_80 there is no such copy, and it is made at once.
template <class T>
__device__ void fetch(T* to, const T* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned address = unsigned(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(T))
                 : "memory");
#else
    *to = *from;
#endif
}

// Copies since the last call are one group.
__device__ inline void fetched() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Wait for this thread's copies, except those of the PENDING groups begun last.
template <int PENDING>
__device__ void arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
