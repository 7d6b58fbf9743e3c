// The warps of a block of packed_leaned that do not walk: they receive rows from the block to the left, and
// send to the one to the right. Include after leaned.cuh.

// Where a row's quad lies in the memory of a block, of the columns that are handed over: straight of the last one,
// then rightward of the last one and of the one before. `columns` are those to the left of the last one.
__device__ inline uint4& handed_quad(Row& row, int quad, int columns) {
    const int part = quad / (2 * LANES), half = quad / LANES % 2, lane = quad % LANES;
    return row[part == 0 ? VERTICAL : RIGHTWARD][half][(columns - (part == 2)) * LANES + lane];
}

// A lane's part of a row that the block to the left hands over; zeros, where that one has no pixels.
struct Parcel {
    static constexpr int COUNT = (QUADS + 31) / 32;
    const uint4* from;
    uint4 quads[COUNT];
    int first, count;

    // Ask for all of it, then again for what had not come.
    __device__ Parcel(const Strip& strip, const uint4* handed, int row, uint32_t tag)
        : from(handed + int64_t(row) * QUADS), quads{}, first(threadIdx.x % 32),
          count(strip.receives(row) ? QUADS : 0) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            if (first + 32 * i < count) quads[i] = look(from + first + 32 * i);
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            while (first + 32 * i < count && !came(quads[i], tag))
                quads[i] = look(from + first + 32 * i);
        __syncwarp();
    }

    __device__ void put(Row& row) const {
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            if (first + 32 * i < QUADS)
                handed_quad(row, first + 32 * i, 1) =
                    make_uint4(quads[i].x & ~TAG, quads[i].y & ~TAG, quads[i].z & ~TAG, quads[i].w & ~TAG);
    }
};

// A warp that receives every RECEIVERS-th row, from one on. The minima of what comes are 0.
__device__ inline void receive_rows(Shared& shared, const Strip& strip, const uint4* handed, int first,
                                    uint32_t tag, int turn) {
    for (int row = strip.begin; row < strip.end; row += RING, ++turn)
        for (int i = first; i < RING; i += RECEIVERS) {
            dally(turn * 57 + i);
            const Parcel parcel(strip, handed, row + i, tag);
            wait_for(shared, 1, REACH, (i + 1) % RING, turn + (i + 1 == RING));  // room for the row
            parcel.put(shared.paths[i]);
            raise(shared.rows[0][i]);
        }
}

__device__ inline uint4 less(const uint4& quad, uint32_t by) {
    return make_uint4(quad.x - by, quad.y - by, quad.z - by, quad.w - by);
}

// A warp that hands over what the last columns leave, less the smallest of it, if there is somebody to hand it to.
__device__ inline void send_rows(Shared& shared, const Strip& strip, uint4* to, uint32_t tag, int turn) {
    for (int first = strip.begin; first < strip.end; first += RING, ++turn)
        for (int i = 0; i < RING; ++i) {
            const int row = first + i;
            raise(shared.rows[WARPS + 1][i]);  // the row before was read
            wait_for(shared, WARPS + 1 - REACH, REACH, i, turn + 1);
            dally(row * 7);
            const uint32_t last = smallest_of(shared.minima[i][COLUMNS + 1]);
            const uint32_t before = upper_half(smallest_of(shared.minima[i][COLUMNS]));
            for (int quad = threadIdx.x % 32; to && row < strip.end && quad < QUADS; quad += 32) {
                const int part = quad / (2 * LANES);
                const uint32_t by = part == 0 ? lower_half(last) : part == 1 ? upper_half(last) : before;
                hand_over(to + int64_t(row) * QUADS + quad,
                          less(handed_quad(shared.paths[i], quad, COLUMNS + 1), by), tag);
            }
            __syncwarp();
        }
}
