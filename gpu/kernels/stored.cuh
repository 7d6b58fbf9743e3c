// Costs as lanes store and load them. Include after packed.cuh.

// Streamed past the second-level cache. Costs are too large by `excess`.
template <class Element, int WORDS>
__device__ void store(uint8_t* to, const uint32_t (&path)[WORDS], uint32_t excess, bool stores) {
    constexpr bool BYTES = sizeof(Element) == 1;
    constexpr int STORED = BYTES ? WORDS / 2 : WORDS;
    uint32_t words[STORED];
#pragma unroll
    for (int i = 0; i < STORED; ++i)
        words[i] =
            BYTES ? path[(2 * i + 1) % WORDS] * 256 + path[2 * i % WORDS] - excess * 257 : path[i] - excess;
    if constexpr (STORED == 2) {
        if (stores) __stcs(reinterpret_cast<uint2*>(to), make_uint2(words[0], words[1]));
    } else {
#pragma unroll
        for (int i = 0; i < STORED; i += 4)
            if (stores)
                __stcs(reinterpret_cast<uint4*>(to) + i / 4,
                       make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
    }
}

// 16 path costs, or matching costs, as they are stored.
template <class Element>
struct Stored {
    uint4 quads[sizeof(Element)];

    // Those of a place in a volume, or of none: 0.
    __device__ void load(const uint8_t* volume, uint64_t place, bool exists) {
        const uint4* from = reinterpret_cast<const uint4*>(volume + place * sizeof(Element));
#pragma unroll
        for (int i = 0; i < int(sizeof(Element)); ++i) {
            quads[i] = make_uint4(0, 0, 0, 0);
            if (exists) quads[i] = __ldcs(from + i);
        }
    }

    // The costs, in 8 words.
    __device__ void unpack(uint32_t (&costs)[8]) const {
        const uint4 a = quads[0], b = quads[sizeof(Element) - 1];
        if constexpr (sizeof(Element) == 1) {
            const uint32_t bytes[4] = {a.x, a.y, a.z, a.w};
            words_of(costs, bytes);
        } else {
            const uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
            for (int j = 0; j < 8; ++j)
                costs[j] = words[j];
        }
    }
};
