// Sums of three paths, as a sweep stores them and packed_winner finds them. Include after stored.cuh.
//
// A sum below 512 takes nine bits: eight lie as those of a matching cost do, and the ninth bits of a lane's 16 sums
// elsewhere, as a half word. Larger sums take two bytes.
//
// Build: SUM_BYTES is 1 for nine bits, or 2; for packed_winner 0 where there are no sweeps.

// A quad of words from eight.
__device__ inline uint4 quad_of(const uint32_t (&words)[8], int first) {
    return make_uint4(words[first], words[first + 1], words[first + 2], words[first + 3]);
}

// The lower bytes of a lane's sums, packed as costs are, and the ninth bits: two sums beside each other have them four
// bits apart, those of the upper half of the disparities eight.
struct Nine {
    uint32_t bytes[4], ninths;

    __device__ Nine(const uint32_t (&sums)[8]) : ninths(0) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            bytes[k] = __byte_perm(sums[2 * k], sums[2 * k + 1], 0x6240);
            ninths = ninths * 2 + __byte_perm(sums[2 * k], sums[2 * k + 1], 0x7351);
        }
        ninths = __byte_perm(ninths | ninths >> 4, 0, 0x4420);
    }
};

// Where a lane's part of a sweep's sums lies.
struct SweptSums {
    uint8_t* sums;
    uint16_t* ninths;

    // Go on to another pixel's, so many costs from here.
    __device__ void advance(int64_t costs) {
        sums += costs * SUM_BYTES;
        ninths += costs / 16;
    }

    __device__ void put(const uint32_t (&of_pixel)[8], bool exists) const {
        if constexpr (SUM_BYTES == 1) {
            const Nine nine(of_pixel);
            if (!exists) return;
            __stcs(reinterpret_cast<uint4*>(sums),
                   make_uint4(nine.bytes[0], nine.bytes[1], nine.bytes[2], nine.bytes[3]));
            __stcs(ninths, uint16_t(nine.ninths));
        } else {
            store<uint16_t>(sums, of_pixel, 0, exists);
        }
    }
};

// A lane's sums of both sweeps, as they are stored; of a build without sweeps, none.
struct Swept {
    static constexpr int SWEEPS = SUM_BYTES > 0 ? 2 : 0;
    Stored<uint8_t> quads[SWEEPS * SUM_BYTES + 1];
    uint32_t ninths[SWEEPS + 1];

    // Those of a place in the first sweep's volume, which has so many; or of none: 0.
    __device__ void load(const uint8_t* sums, const uint16_t* high, uint64_t volume, uint64_t place,
                         bool exists) {
#pragma unroll
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
            const uint64_t there = sweep * volume + place;
#pragma unroll
            for (int i = 0; i < SUM_BYTES; ++i)
                quads[sweep * SUM_BYTES + i].load(sums, there * SUM_BYTES + 16 * i, exists);
            ninths[sweep] = SUM_BYTES == 1 && exists ? __ldcs(high + there / 16) : 0;
        }
    }

    __device__ void add_to(uint32_t (&sums)[8]) const {
        if constexpr (SUM_BYTES == 1) {
            add_bytes(sums);
        } else if constexpr (SUM_BYTES == 2) {
#pragma unroll
            for (int sweep = 0; sweep < SWEEPS; ++sweep) {
                uint32_t words[8];
                Stored<uint16_t>{{quads[2 * sweep].quads[0], quads[2 * sweep + 1].quads[0]}}.unpack(words);
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sums[j] += words[j];
            }
        }
    }

    __device__ void add_bytes(uint32_t (&sums)[8]) const {
#pragma unroll
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
            uint32_t words[8];
            quads[sweep].unpack(words);
            const uint32_t bits = __byte_perm(ninths[sweep], 0, 0x4140);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                sums[2 * k] += words[2 * k] + (bits << (5 + k) & 0x01000100);
                sums[2 * k + 1] += words[2 * k + 1] + (bits << (1 + k) & 0x01000100);
            }
        }
    }
};
