// What packed_aggregation left, added up. Include after packed.cuh.
//
// packed.cuh tells how path costs are packed. Eight of at most 255 + 4095 fit 16 bits, so that whole words
// are added without a carry between the halves.
//
// Build: LANES, PATH_COST as for packed_aggregation.

// Add 16 path costs to 8 words.
__device__ inline void add(uint32_t (&sums)[8], const uint8_t* costs) {
    const uint4* quads = reinterpret_cast<const uint4*>(costs);
#pragma unroll
    for (int i = 0; i < int(sizeof(PATH_COST)); ++i) {
        const uint4 quad = __ldcs(quads + i);  // read once
        const uint32_t words[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (sizeof(PATH_COST) == 1) {
                sums[2 * k] += even_of(words[k]);
                sums[2 * k + 1] += odd_of(words[k]);
            } else {
                sums[4 * i % 8 + k] += words[k];
            }
    }
}

// Add up 16 disparities of a pixel; `place` is the first of them in a volume of path costs.
__device__ inline void add_all(uint32_t (&sums)[8], const uint8_t* costs, uint64_t place, uint64_t volume,
                               int paths) {
#pragma unroll 4
    for (int path = 0; path < paths; ++path)
        add(sums, costs + (path * volume + place) * sizeof(PATH_COST));
}

__device__ inline uint32_t smallest_of_pixel(uint32_t value) {
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        value = min(value, uint32_t(__shfl_xor_sync(ALL, value, offset)));
    return value;
}
