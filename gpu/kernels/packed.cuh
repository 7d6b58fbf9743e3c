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
// Bounds. A path cost L is at most C + P2' <= 255 + 4095, its minimum m over d at most 255. Where m is
// subtracted at every fourth pixel only, both are at most 4 * 255 more. So L + P1 and m + P2' stay below 0x7FFF, which
// stands for a disparity outside the range. L >= m makes L - m safe as a subtraction of whole words: no borrow between
// the halves.

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr uint32_t NEVER = 0x7FFF;    // the path cost of a disparity outside the range
constexpr uint32_t NEVER_TWICE = 0x7FFF7FFF;

// What a lane is within its pixel.
struct Lane {
    int first;              // its first word, and first disparity
    bool active;            // false if its words lie beyond half the disparities
    uint32_t absent;        // what no minimum is above, if it is not active
    int before, after;      // the lanes that hold the words before and after its own, cyclically
    uint32_t below, above;  // how to permute what they give

    __device__ Lane(int lane, int words, int half) {
        const int last = half / words - 1;
        active = lane <= last;
        absent = active ? 0 : NEVER_TWICE;
        first = active ? lane * words : 0;
        before = lane == 0 ? last : lane - 1;
        after = lane == last ? 0 : lane + 1;
        below = lane == 0 ? 0x1054 : 0x3210;     // low: never; high: the low half of the last word
        above = lane == last ? 0x5432 : 0x3210;  // low: the high half of the first word; high: never
    }
};

// The costs of an odd word, from the bytes of it and the even one.
__device__ inline uint32_t odd_of(uint32_t bytes) { return __byte_perm(bytes, 0, 0x4341); }

// A lane's costs from their bytes. The even ones by a multiplication, for whose unit there is less to do.
template <int WORDS>
__device__ void words_of(uint32_t (&costs)[WORDS], const uint32_t (&bytes)[WORDS / 2]) {
#pragma unroll
    for (int k = 0; k < WORDS / 2; ++k) {
        costs[2 * k + 1] = odd_of(bytes[k]);
        costs[2 * k] = costs[2 * k + 1] * 0xFFFFFF00u + bytes[k];
    }
}

// The smallest of a lane's costs, each half by itself.
template <int WORDS>
__device__ uint32_t smallest_of(const uint32_t (&costs)[WORDS]) {
    uint32_t smallest = __vminu2(costs[0], costs[1]);
#pragma unroll
    for (int j = 2; j < WORDS; j += 2)
        smallest = __vimin3_u16x2(smallest, costs[j], costs[j + 1]);
    return smallest;
}

// The smallest of a lane's costs, in both halves.
template <int WORDS>
__device__ uint32_t own_minimum(const uint32_t (&costs)[WORDS]) {
    const uint32_t smallest = smallest_of(costs);
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

// What a pixel's costs come to without a jump, from the path costs of the pixel before it.
template <int WORDS, int SPAN>
__device__ void stay(uint32_t (&near)[WORDS], const uint32_t (&path)[WORDS], const uint32_t (&costs)[WORDS],
                     uint32_t p1, const Lane& lane) {
    uint32_t moved[WORDS];  // by one disparity
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        moved[j] = path[j] + p1;
    const uint32_t before =
        __byte_perm(__shfl_sync(ALL, moved[WORDS - 1], lane.before, SPAN), NEVER, lane.below);
    const uint32_t after = __byte_perm(__shfl_sync(ALL, moved[0], lane.after, SPAN), NEVER, lane.above);
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        near[j] = __vimin3_u16x2(path[j], j == 0 ? before : moved[(j + WORDS - 1) % WORDS],
                                 j + 1 == WORDS ? after : moved[(j + 1) % WORDS]) +
                  costs[j];
}

// Carry path costs to the next pixel, with the smallest of them; `least` is that of its matching costs. They are not
// normalized: what they are above the true ones, the smallest was before. All scalars in both halves.
//
// The lanes agree on the next minimum from what does not depend on the last one: with A the cost without a jump,
// L = min(A, C + m + P2'), so min L = min(min A, min C + m + P2'). What takes longest, the shuffles, is then needed
// one pixel later.
template <int WORDS, int SPAN>
__device__ void carry(uint32_t (&path)[WORDS], uint32_t& smallest, const uint32_t (&costs)[WORDS],
                      uint32_t least, uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t near[WORDS];
    stay<WORDS, SPAN>(near, path, costs, p1, lane);
    const uint32_t nearest = of_pixel<SPAN>(own_minimum(near) | lane.absent), jump = smallest + penalty;
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        path[j] = __viaddmin_u16x2(costs[j], jump, near[j]);
    smallest = __vminu2(nearest, least + jump);
}

// Take from all costs what they are too large by.
template <int WORDS>
__device__ void lower(uint32_t (&path)[WORDS], uint32_t by) {
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        path[j] -= by;
}

// What a step takes of a pixel: its grey level, and above it the smallest of its matching costs.
__device__ inline uint32_t step_of(uint32_t grey, uint32_t least) { return least << 16 | grey; }
__device__ inline int grey_of(uint32_t step) { return step & 0xFFFF; }
__device__ inline uint32_t least_of(uint32_t step) { return __byte_perm(step, 0, 0x3232); }  // in both halves

// P2' where the grey level changes by g; adaptation 0: none, 1: divide, 2: soft.
__device__ inline int large_penalty(int p1, int p2, int adaptation, int g) {
    if (adaptation == 1) return max(p1, p2 / max(g, 1));
    if (adaptation == 2) return max(3 * p1 / 2, 16 * p2 / (16 + g));
    return p2;
}

// The same for every change, in both halves; all threads of a block take part.
__device__ inline void tabulate(uint32_t (&by_change)[256], int p1, int p2, int adaptation) {
    for (int g = threadIdx.x; g < 256; g += blockDim.x)
        by_change[g] = large_penalty(p1, p2, adaptation, g) * 0x10001;
}

// Penalties in both halves; `large` is that of every pixel, unless it is ADAPTIVE: then by change of level.
struct Penalties {
    const uint32_t* by_change;
    uint32_t small, large;
};

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

// Start to copy to shared memory, if there is something to copy; else put zeros.
template <class T>
__device__ inline void fetch_or_clear(T* to, const T* from, bool exists) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned address = unsigned(__cvta_generic_to_shared(to)), size = exists ? sizeof(T) : 0;
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                     "n"(sizeof(T)), "r"(size)
                     : "memory");
#else
    if (exists)
        *to = *from;
    else
        *to = T{};
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
