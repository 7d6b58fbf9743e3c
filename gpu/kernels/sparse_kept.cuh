// The path costs that sparse_lines keeps of a pixel, in registers or in shared memory, and the step to the next pixel.
// Include after sparse_course.cuh.
//
// Build: PATH_COST as for packed_aggregation.

// Path costs that lines had at a pixel, of each slot of its tile: two pages, one of which is being written.
struct Pages {
    uint4 (*pages)[LINES];
    int kept, written;  // slots of a page; which page was written last
    int line;

    __device__ uint4& at(int slot) const { return pages[written * kept + slot][line]; }
    __device__ uint4& next_at(int slot) const { return pages[(1 - written) * kept + slot][line]; }
    __device__ void own(uint32_t (&costs)[WORDS], int slot) const {
        const uint4 quad = at(slot);
        costs[0] = quad.x, costs[1] = quad.y, costs[2] = quad.z, costs[3] = quad.w;
    }
    __device__ uint32_t low(int slot) const { return at(slot).w; }
    __device__ uint32_t high(int slot) const { return at(slot).x; }
};

// Path costs that lines had at a pixel, where they were stored.
struct Stored {
    const Tiles& tiles;
    const PATH_COST* volume;
    int tile, pixel;

    __device__ const PATH_COST* at(int slot) const { return volume + tiles.place(tile, slot, pixel); }
    __device__ void own(uint32_t (&costs)[WORDS], int slot) const { load(costs, at(slot)); }
    __device__ uint32_t low(int slot) const { return uint32_t(at(slot)[BLOCK_DISPARITIES - 1]) << 16; }
    __device__ uint32_t high(int slot) const { return at(slot)[0]; }
};

// What a path that enters a tile brings to a block, by its link: all costs of the block, the last one below it in the
// upper half, the first one above it in the lower half.
template <class From>
__device__ inline void enter(uint32_t (&path)[WORDS], uint32_t& below, uint32_t& above, int link,
                             const From& from) {
    const int first = link & Link::FIRST;
    const bool has_low = link & Link::LOW, has_own = link & Link::OWN, has_high = link & Link::HIGH;
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        path[k] = NEVER_TWICE;
    if (has_own) from.own(path, first + has_low);
    below = has_low ? from.low(first) : NEVER_TWICE;
    above = has_high ? from.high(first + has_low + has_own) : NEVER_TWICE;
}

// A block's step without a jump: `near` is the least of its neighbours plus the costs. Scalars are in both halves.
__device__ inline void step_near(uint32_t (&near)[WORDS], const uint32_t (&path)[WORDS], uint32_t below,
                                 uint32_t above, const uint32_t (&costs)[WORDS], uint32_t p1) {
    uint32_t moved[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        moved[k] = path[k] + p1;
    const uint32_t before = __byte_perm(moved[WORDS - 1], below + p1, 0x1076);
    const uint32_t after = __byte_perm(moved[0], above + p1, 0x5432);
#pragma unroll
    for (int k = 0; k < WORDS; ++k)
        near[k] = __vimin3_u16x2(path[k], k == 0 ? before : moved[(k + WORDS - 1) % WORDS],
                                 k + 1 == WORDS ? after : moved[(k + 1) % WORDS]) +
                  costs[k];
}

// The smallest path cost of a pixel, in both halves, from each lane's smallest of what is near and of the matching costs.
__device__ inline uint32_t smallest_next(uint32_t nearest, uint32_t least, uint32_t jump, uint32_t smallest) {
    // One word for both: the lower half for what is near, the upper one for matching costs.
    uint32_t both = __vminu2(__byte_perm(nearest, least, 0x5410), __byte_perm(nearest, least, 0x7632));
    both = of_pixel<SLOTS>(both);
    return __vminu2(__byte_perm(both, 0, 0x1010), __byte_perm(both, 0, 0x3232) + jump) - smallest;
}

// What a lane keeps of a pixel: path costs of its blocks, and those beside them.
template <int PASSES>
struct Kept {
    uint32_t path[PASSES][WORDS], below[PASSES], above[PASSES];
    uint32_t absent[PASSES];  // what no minimum is above, if there is no block
    bool has[PASSES], has_below[PASSES], has_above[PASSES];

    __device__ Kept(const int (&links)[HELD], int count) {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            has[pass] = pass * SLOTS + int(threadIdx.x) % SLOTS < count;
            absent[pass] = has[pass] ? 0 : NEVER_TWICE;
            has_below[pass] = has[pass] && links[pass] & Link::HAS_BELOW;
            has_above[pass] = has[pass] && links[pass] & Link::HAS_ABOVE;
        }
    }

    // Begin a path.
    __device__ void begin() {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = 0;
            below[pass] = above[pass] = NEVER_TWICE;
        }
    }

    // Take what the links tell of the tile before.
    template <class From>
    __device__ void enter_all(const int (&links)[HELD], const From& from) {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass)
            enter(path[pass], below[pass], above[pass], has[pass] ? links[pass] : 0, from);
    }

    // Go on to the next pixel. All scalars in both halves.
    __device__ void carry(uint32_t& smallest, const uint32_t (&costs)[PASSES][WORDS], uint32_t penalty,
                          uint32_t p1) {
        const uint32_t jump = smallest + penalty;
        uint32_t near[PASSES][WORDS], nearest = 0, least = 0;
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            step_near(near[pass], path[pass], below[pass], above[pass], costs[pass], p1);
            const uint32_t own_near = smallest_of(near[pass]) | absent[pass];
            const uint32_t own_least = smallest_of(costs[pass]) | absent[pass];
            nearest = pass == 0 ? own_near : __vminu2(nearest, own_near);
            least = pass == 0 ? own_least : __vminu2(least, own_least);
        }
        const uint32_t next = smallest_next(nearest, least, jump, smallest);
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass)
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = __viaddmin_u16x2(costs[pass][k], jump, near[pass][k]) - smallest;
        smallest = next;
        look_beside();
    }

    // Take the path costs beside a lane's blocks from the lanes that keep them.
    __device__ void look_beside() {
        const int turn = threadIdx.x % SLOTS;
        uint32_t low[PASSES], high[PASSES];
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            low[pass] = __shfl_sync(ALL, path[pass][WORDS - 1], turn - 1, SLOTS);
            high[pass] = __shfl_sync(ALL, path[pass][0], turn + 1, SLOTS);
        }
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            const uint32_t lower = turn > 0 || pass == 0 ? low[pass] : low[pass > 0 ? pass - 1 : 0];
            const uint32_t upper =
                turn < SLOTS - 1 || pass + 1 == PASSES ? high[pass] : high[(pass + 1) % PASSES];
            below[pass] = has_below[pass] ? lower : NEVER_TWICE;
            above[pass] = has_above[pass] ? upper : NEVER;
        }
    }
};

// The path costs of a block in a group of steps, to memory: along rows and as bytes all at once.
template <class Course>
__device__ inline void put(PATH_COST* to, const uint32_t (&path)[GROUP][WORDS], bool exists) {
    if (!exists) return;
    if constexpr (sizeof(PATH_COST) == 1 && Course::STRIDE * Course::SIGN == 1) {
        uint2 pairs[GROUP];
#pragma unroll
        for (int i = 0; i < GROUP; ++i) {
            const uint32_t (&costs)[WORDS] = path[Course::SIGN > 0 ? i : GROUP - 1 - i];
            pairs[i] = make_uint2(costs[0] + costs[1] * 256, costs[2] + costs[3] * 256);
        }
        uint4* quads =
            reinterpret_cast<uint4*>(to - (Course::SIGN > 0 ? 0 : (GROUP - 1) * BLOCK_DISPARITIES));
        quads[0] = make_uint4(pairs[0].x, pairs[0].y, pairs[1].x, pairs[1].y);
        quads[1] = make_uint4(pairs[2].x, pairs[2].y, pairs[3].x, pairs[3].y);
    } else {
#pragma unroll
        for (int i = 0; i < GROUP; ++i)
            store(to + i * Course::STRIDE * BLOCK_DISPARITIES, path[i]);
    }
}
