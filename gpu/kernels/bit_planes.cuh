// Planes of bits: a word has one bit of each of 32 pixels side by side. Include after common.cuh.

// What a table tells of three bits, of all bits of words at once: bit 4a + 2b + c. The compiler finds the instruction
// for it, too, but first takes apart what adders share, and needs a tenth more of them.
template <int TABLE>
__device__ inline uint32_t look_up(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t found = 0;
#if defined(__CUDA_ARCH__)
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(found) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
#else
    for (int i = 0; i < 8; ++i)
        if (TABLE >> i & 1) found |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
#endif
    return found;
}

// Whether an odd number of three bits is set; whether two are; whether two are with the first turned round; and one
// of the last two bits, as the first tells.
__device__ inline uint32_t parity(uint32_t a, uint32_t b, uint32_t c) { return look_up<0x96>(a, b, c); }
__device__ inline uint32_t majority(uint32_t a, uint32_t b, uint32_t c) { return look_up<0xE8>(a, b, c); }
__device__ inline uint32_t borrowed(uint32_t a, uint32_t b, uint32_t c) { return look_up<0x8E>(a, b, c); }
__device__ inline uint32_t either(uint32_t which, uint32_t a, uint32_t b) {
    return look_up<0xCA>(which, a, b);
}

// Move words, four at once.
template <int N>
__device__ void load_quads(uint32_t (&words)[N], const uint4* from) {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
        const uint4 quad = from[i / 4];
        words[i] = quad.x, words[i + 1] = quad.y, words[i + 2] = quad.z, words[i + 3] = quad.w;
    }
}
template <int N>
__device__ void store_quads(uint4* to, const uint32_t (&words)[N]) {
#pragma unroll
    for (int i = 0; i < N; i += 4)
        to[i / 4] = make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]);
}

// Exchange the upper bits of a word with the lower ones of another, in groups of 2 * BY bits.
template <int BY>
__device__ inline void exchange(uint32_t& low, uint32_t& high) {
    if constexpr (BY == 8) {
        const uint32_t evens = __byte_perm(low, high, 0x6240);
        high = __byte_perm(low, high, 0x7351);
        low = evens;
    } else {
        constexpr uint32_t LOWER = BY == 4 ? 0x0F0F0F0F : BY == 2 ? 0x33333333 : 0x55555555;
        const uint32_t upper = low >> BY;
        low = either(LOWER, low, high << BY);
        high = either(LOWER, upper, high);
    }
}

// Turn squares of N words by N bits, the first of them in the lowest bits, about their diagonals.
template <int BY, int N>
__device__ void turn(uint32_t (&words)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (!(i & BY)) exchange<BY>(words[i], words[i + BY]);
    if constexpr (BY > 1) turn<BY / 2>(words);
}

// Take words of two pixels apart into 16 planes; the other way round, make them of these.
__device__ inline void planes_of(uint32_t (&words)[16]) {
    uint32_t apart[16];  // of pixels i and i + 16
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        apart[2 * i] = __byte_perm(words[i], words[i + 8], 0x5410);
        apart[2 * i + 1] = __byte_perm(words[i], words[i + 8], 0x7632);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
        words[i] = apart[i];
    turn<8>(words);
}
__device__ inline void pairs_of(uint32_t (&words)[16]) {
    turn<8>(words);
    uint32_t beside[16];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        beside[i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x5410);
        beside[i + 8] = __byte_perm(words[2 * i], words[2 * i + 1], 0x7632);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
        words[i] = beside[i];
}

// Take words of four pixels apart into 8 planes.
__device__ inline void planes_of(uint32_t (&words)[8]) {
    uint32_t apart[8];  // of pixels i, i + 8, i + 16 and i + 24
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const uint32_t a = words[i], b = words[i + 2], c = words[i + 4], d = words[i + 6];
        const uint32_t even = __byte_perm(a, b, 0x6240), odd = __byte_perm(a, b, 0x7351);
        const uint32_t even_after = __byte_perm(c, d, 0x6240), odd_after = __byte_perm(c, d, 0x7351);
        apart[4 * i] = __byte_perm(even, even_after, 0x5410);
        apart[4 * i + 1] = __byte_perm(odd, odd_after, 0x5410);
        apart[4 * i + 2] = __byte_perm(even, even_after, 0x7632);
        apart[4 * i + 3] = __byte_perm(odd, odd_after, 0x7632);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        words[i] = apart[i];
    turn<4>(words);
}

// A number of planes: how many of some words have a bit set, for each bit. Of three words of the same weight an adder
// makes one, and one of twice the weight.
template <int DIGITS>
struct Counter {
    uint32_t sums[DIGITS] = {}, waiting[DIGITS];

    template <int N>
    __device__ explicit Counter(const uint32_t (&words)[N]) {
        add_from<0>(words);
        finish<N>();
    }

    template <int I, int N>
    __device__ __forceinline__ void add_from(const uint32_t (&words)[N]) {
        if constexpr (I < N) {
            add<I>(words[I]);
            add_from<I + 1>(words);
        }
    }

    // Add a word, before which so many came of the same weight.
    template <int BEFORE, int DIGIT = 0>
    __device__ __forceinline__ void add(uint32_t word) {
        if constexpr (BEFORE == 0) {
            sums[DIGIT] = word;
        } else if constexpr (BEFORE % 2 == 1) {
            waiting[DIGIT] = word;
        } else {
            const uint32_t carry = majority(sums[DIGIT], waiting[DIGIT], word);
            sums[DIGIT] = parity(sums[DIGIT], waiting[DIGIT], word);
            add<BEFORE / 2 - 1, DIGIT + 1>(carry);
        }
    }

    // Add what waits for a third word, of so many.
    template <int COUNT, int DIGIT = 0>
    __device__ __forceinline__ void finish() {
        if constexpr (COUNT > 0 && COUNT % 2 == 0) {
            const uint32_t carry = sums[DIGIT] & waiting[DIGIT];
            sums[DIGIT] ^= waiting[DIGIT];
            add<COUNT / 2 - 1, DIGIT + 1>(carry);
        }
        if constexpr (COUNT > 1) finish<COUNT / 2, DIGIT + 1>();
    }
};
