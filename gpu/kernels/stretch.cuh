// Sums of 16 disparities as a lane adds and puts them; and a stretch of a row, which lanes walk once more from what
// packed_aggregation keeps of it. Include after stored.cuh.

// What is kept of rows in large images: of every stretch the path costs of the last pixel that a walk comes to. They
// lie by path, row, stretch and disparity.
struct RowEnds {
    int count, height, disparities;  // stretches of a row

    __device__ RowEnds(int height, int width, int disparities)
        : count((width + STRETCH - 1) / STRETCH), height(height), disparities(disparities) {}

    __device__ static bool keeps(int x, int dx) { return x % STRETCH == (dx > 0 ? STRETCH - 1 : 0); }
    __device__ uint64_t place(int path, int row, int stretch) const {
        return at(path * height + row, stretch, count, disparities);
    }
};

// A lane's words of a pixel's sums, to memory and from there, added to others.
__device__ inline void put(uint32_t* to, const uint32_t (&sums)[8]) {
    uint4* quads = reinterpret_cast<uint4*>(to);
    quads[0] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    quads[1] = make_uint4(sums[4], sums[5], sums[6], sums[7]);
}
__device__ inline void add(uint32_t (&sums)[8], const uint32_t (&costs)[8]) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
        sums[j] += costs[j];
}
__device__ inline void add_put(uint32_t (&sums)[8], const uint32_t* from) {
    const uint4* quads = reinterpret_cast<const uint4*>(from);
    const uint4 a = quads[0], b = quads[1];
    const uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    add(sums, words);
}

// A stretch of a row, which LANES lanes walk in one direction and then in the other, as far as these are summed.
struct Stretch {
    const Lane& lane;
    const Penalties& penalties;
    const uint8_t* grey;  // of the first pixel, if ADAPTIVE
    Stored<uint8_t> matches[STRETCH];
    Stored<PATH_COST> left, right;  // path costs of the pixels before and after
    uint32_t path[8], smallest;

    // Begin with the path costs of the pixel before, or after.
    __device__ void begin(const Stored<PATH_COST>& kept) {
        kept.unpack(path);
        smallest = of_pixel<LANES>(own_minimum(path) | lane.absent);
    }

    // Carry path costs to a pixel, from the one beside it.
    __device__ void go(int pixel, int from) {
        uint32_t costs[8], near[8], penalty = penalties.large;
        matches[pixel].unpack(costs);
        if constexpr (ADAPTIVE) penalty = penalties.by_change[abs(grey[pixel] - grey[from])];
        stay<8, LANES>(near, path, costs, penalties.small, lane);
        const uint32_t jump = smallest + penalty;
#pragma unroll
        for (int j = 0; j < 8; ++j)
            path[j] = __viaddmin_u16x2(costs[j], jump, near[j]) - smallest;
        smallest = of_pixel<LANES>(own_minimum(path) | lane.absent);
    }
};
