// What the packed kernels share: where they keep things, and arithmetic on two 16-bit costs a word. Include
// after common.cuh.
//
// Packing. Word k of a pixel holds the costs of d = k (low half) and d = k + D/2 (high half), so that the
// neighbours d - 1 and d + 1 of both halves are the neighbouring words; only where the halves meet must they
// be permuted. SPAN consecutive lanes own a pixel, WORDS words each, in registers. Lanes past the
// disparities compute along and are left out of the minimum and of the stores.
//
// Bounds. A path cost L is at most C + P2' <= 255 + 4095, its minimum m over d at most 255; so L + P1 and m +
// P2' stay below 0x7FFF. That is the value outside the range of d; it must survive + P1 in 16 bits, which
// 0xFFFF would not. L >= m makes L - m safe as a subtraction of whole words: no borrow between the halves.

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr uint32_t NEVER = 0x7FFF;    // the path cost of a disparity outside the range
constexpr uint32_t NEVER_TWICE = 0x7FFF7FFF;

// What is compared. packed_words writes it, in rows of `pitch` pixels: a multiple of eight that leaves at least
// three after the last column.
struct Views {
    const uint2* left;   // a left pixel's descriptor and its grey level
    const uint4* right;  // the quad of a right pixel: its descriptor and those of the three to its left
    int height, width, pitch;
    int half, min_disparity, outside;  // half the disparities; the cost outside the image
    int upper;  // 65536, unknown to the compiler: it would shift and or on the ALU, which is the busiest pipe

    __device__ const uint2* pixels(int row) const { return left + uint64_t(unsigned(row)) * pitch; }

    // The quad of column x; for a quad of columns outside the image only, any. Quads of every eighth pixel lie side by
    // side: neighbouring lanes load those, and kept in the order of pixels each would be alone in its line of the cache.
    __device__ const uint4* quad(int row, int x) const {
        const int eighth = pitch / 8;
        return right + uint64_t(unsigned(row)) * pitch + (x & 7) * eighth + clamp(x >> 3, 0, eighth - 1);
    }
};

// Start to copy to shared memory what will be needed later; registers would have to wait for it. Before sm_80 there is
// no such copy, and it is made at once.
template <class T>
__device__ void fetch(T* to, const T* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned address = unsigned(__cvta_generic_to_shared(to));
    if (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(T)) : "memory");
#else
    *to = __ldg(from);
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

__device__ inline int absolute(uint32_t a, uint32_t b) { return abs(int(a) - int(b)); }
__device__ inline int hamming(uint32_t a, uint32_t b) { return __popc(a ^ b); }

// Two 16-bit halves of a word, exchanged.
__device__ inline uint32_t exchanged(uint32_t word) { return __byte_perm(word, 0, 0x1032); }

// Write the four words of a quad into an array, those that have a place in it.
template <int LENGTH>
__device__ void put(uint32_t (&words)[LENGTH], int at, const uint4& quad) {
    const uint32_t four[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        if (0 <= at + i && at + i < LENGTH) words[at + i] = four[i];
}

// The costs of a lane from descriptors of the right pixels for its low and high halves, in the order of d.
template <int WORDS>
__device__ void match(uint32_t (&costs)[WORDS], uint32_t left, const uint32_t* low, const uint32_t* high,
                      const Views& views) {
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        costs[j] = DIFFERENCE(left, high[j]) * views.upper + DIFFERENCE(left, low[j]);
}

// Whether all right pixels of a lane lie in the image; `partner` is the column of the first.
template <int WORDS>
__device__ bool inside(int partner, const Views& views) {
    return partner < views.width && partner - views.half - WORDS + 1 >= 0;
}

// Replace the costs of right pixels outside the image: by selects only, since a warp of the first D columns
// comes here at every step.
template <int WORDS>
__device__ void mend(uint32_t (&costs)[WORDS], int partner, const Views& views) {
    const auto within = [&](int column) { return unsigned(column) < unsigned(views.width); };
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        const uint32_t lower = within(partner - j) ? costs[j] : views.outside;
        const uint32_t upper = within(partner - j - views.half) ? costs[j] : views.outside << 16;
        costs[j] = __byte_perm(lower, upper, 0x7610);
    }
}

// The path costs of a pixel from those of the pixel before it, of which `smallest` is the minimum. At the
// beginning of a path both `smallest` and `penalty` are 0, which makes L = C whatever `path` holds. All scalars
// in both halves.
template <int WORDS, int SPAN>
__device__ void carry(uint32_t (&path)[WORDS], const uint32_t (&costs)[WORDS], uint32_t smallest,
                      uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t before = __byte_perm(__shfl_sync(ALL, path[WORDS - 1], lane.before, SPAN), NEVER, lane.below);
    const uint32_t after = __byte_perm(__shfl_sync(ALL, path[0], lane.after, SPAN), NEVER, lane.above);
    const uint32_t jump = smallest + penalty;
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        const uint32_t next = j + 1 < WORDS ? path[(j + 1) % WORDS] : after;
        const uint32_t t = __vimin3_u16x2(path[j], jump, __vminu2(before, next) + p1);
        before = path[j];
        path[j] = t + costs[j] - smallest;
    }
}

// The smallest of a lane's path costs, in both halves; NEVER of a lane that is not active.
template <int WORDS>
__device__ uint32_t own_minimum(const uint32_t (&path)[WORDS], bool active) {
    uint32_t smallest = __vimin3_u16x2(path[0], path[1], __vminu2(path[2], path[3]));
#pragma unroll
    for (int j = 4; j < WORDS; j += 4)
        smallest =
            __vimin3_u16x2(smallest, __vminu2(path[j], path[j + 1]), __vminu2(path[j + 2], path[j + 3]));
    if (!active) smallest = NEVER_TWICE;
    return __vminu2(smallest, exchanged(smallest));
}

// The smallest of a pixel's lanes, each half by itself.
template <int SPAN>
__device__ uint32_t minimum(uint32_t smallest) {
#pragma unroll
    for (int offset = SPAN / 2; offset > 0; offset /= 2)
        smallest = __vminu2(smallest, __shfl_xor_sync(ALL, smallest, offset));
    return smallest;
}

template <int WORDS>
__device__ void subtract(uint32_t (&path)[WORDS], uint32_t smallest) {
#pragma unroll
    for (int j = 0; j < WORDS; ++j)
        path[j] -= smallest;
}

// P2' where the grey level changes by g; adaptation 0: none, 1: divide, 2: soft.
__device__ inline int large_penalty(int p1, int p2, int adaptation, int g) {
    if (adaptation == 1) return max(p1, p2 / max(g, 1));
    if (adaptation == 2) return max(3 * p1 / 2, 16 * p2 / (16 + g));
    return p2;
}

// As bytes, each pair of words becomes one: the even word's costs in the even bytes, the odd one's in the odd.
// All is computed before the test, which then guards the store alone and needs no branch.
template <class Element, int WORDS>
__device__ void store(uint8_t* to, const uint32_t (&path)[WORDS], bool stores) {
    constexpr bool BYTES = sizeof(Element) == 1;
    constexpr int STORED = BYTES ? WORDS / 2 : WORDS;
    uint32_t words[STORED];
#pragma unroll
    for (int i = 0; i < STORED; ++i)
        words[i] = BYTES ? __byte_perm(path[2 * i % WORDS], path[(2 * i + 1) % WORDS], 0x6240) : path[i];
    if constexpr (STORED == 2) {
        if (stores) *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
    } else {
#pragma unroll
        for (int i = 0; i < STORED; i += 4) {
            const uint4 quad = make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]);
            if (stores) reinterpret_cast<uint4*>(to)[i / 4] = quad;
        }
    }
}
