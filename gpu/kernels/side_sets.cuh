// Sets of connected pixels that reach the sides of tiles, and how they are united. Include after bits.cuh.
//
// A set has a number. STRONG is the one of all that have a strong pixel: the least, so that what is united with it
// becomes part of it. In a block of tiles the others have the numbers from 1 to NODES.

constexpr uint32_t STRONG = 0, NO_SET = 0xFFFFFFFF;
constexpr int NODES = TILES * MOST_SETS;

// Where sets are kept, as 16 bits and without the block's number.
__device__ inline uint64_t side_place(int block, int tile, int side) {
    return ((uint64_t(block) * TILES + tile) * SIDES + side) * TILE;
}

__device__ inline uint32_t stored_set(uint16_t number, int block) {
    return number == uint16_t(NO_SET) ? NO_SET : number == STRONG ? STRONG : block * NODES + number;
}

// Parents of the sets of a block, in shared memory.
struct BlockSets {
    uint32_t* parents;

    __device__ uint32_t lower(uint32_t set, uint32_t parent) const {
        return atomicMin(&parents[set], parent);
    }
    template <int N>
    __device__ void climb(uint32_t (&)[N]) const {}
};

// Parents of all sets, in global memory. What is volatile does not race with what is atomic.
struct AllSets {
    volatile uint32_t* parents;

    __device__ uint32_t lower(uint32_t set, uint32_t parent) const {
        return atomicMin(const_cast<uint32_t*>(&parents[set]), parent);
    }

    // Replace sets by the first ones of their trees, all at once: each load takes as long as all of them. On the way
    // each set gets its parent's parent, so that ways halve.
    template <int N>
    __device__ void climb(uint32_t (&sets)[N]) const {
        uint32_t child[N];
#pragma unroll
        for (int i = 0; i < N; ++i)
            child[i] = sets[i];
        for (bool climbs = true; climbs;) {
            uint32_t parent[N];
            climbs = false;
#pragma unroll
            for (int i = 0; i < N; ++i)
                parent[i] = sets[i] == STRONG ? STRONG : parents[sets[i]];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                if (parent[i] != sets[i] && child[i] != sets[i]) parents[child[i]] = parent[i];
                climbs |= parent[i] != sets[i] && parent[i] != STRONG;
                child[i] = sets[i];
                sets[i] = parent[i];
            }
        }
    }
};

// Unite each of some sets with another: the later one gets the earlier one as its parent; if it had another, that one is
// to be united instead. No set has a later parent, so there are no circles. Nobody climbs before there is need to: most
// sets are alone yet. All are asked for their parents before the first answers.
template <class Sets, int N>
__device__ void unite(Sets sets, const uint32_t (&these)[N], const uint32_t (&those)[N]) {
    uint32_t before[N];
#pragma unroll
    for (int i = 0; i < N; ++i)
        before[i] =
            these[i] == those[i] ? these[i] : sets.lower(max(these[i], those[i]), min(these[i], those[i]));
#pragma unroll
    for (int i = 0; i < N; ++i) {
        uint32_t later = max(these[i], those[i]), earlier = min(these[i], those[i]);
        while (before[i] != later) {
            uint32_t both[] = {before[i], earlier};
            sets.climb(both);
            if (both[0] == both[1]) break;
            later = max(both[0], both[1]), earlier = min(both[0], both[1]);
            before[i] = sets.lower(later, earlier);
        }
    }
}

// Unite the sets of pixels that touch across the right side of a tile, or across its lower one; a lane begins at one
// pixel, which touches three. If the one opposite has a set, the two beside it have the same; and what the lane before
// unites need not be united again. All lanes unite together, whichever pixel theirs touches.
//
// `set_at(row, column, side, pixel)` is the set of a pixel on a side of a tile, or none. It should load in any case, and
// use what it loaded: a load in a branch is waited for there, and three would take their time one after the other.
// The whole warp must call.
template <class Sets, class SetAt>
__device__ void join(Sets sets, SetAt set_at, int row, int column, bool right, int lane) {
    const auto across = [&](int along) -> uint32_t {
        const int tile = along >> 5, pixel = along & 31;  // -1 lies in the tile before
        return set_at(right ? tile : row + 1, right ? column + 1 : tile, right ? LEFT : TOP, pixel);
    };
    const int start = (right ? row : column) * TILE + lane;
    const uint32_t own = set_at(row, column, right ? RIGHT : BOTTOM, lane), opposite = across(start);
    const uint32_t beyond =
        across(lane == 0 ? start - 1 : start + 1);  // which no lane has, if this is an outer one
    const uint32_t own_before = __shfl_up_sync(ALL, own, 1);
    const uint32_t opposite_before = __shfl_up_sync(ALL, opposite, 1);
    const uint32_t opposite_after = __shfl_down_sync(ALL, opposite, 1);
    const uint32_t before = lane == 0 ? beyond : opposite_before,
                   after = lane == 31 ? beyond : opposite_after;
    const bool again = lane > 0 && own == own_before && opposite == opposite_before;
    const bool meets = opposite != NO_SET;
    const auto to_unite = [=](uint32_t other) { return own == NO_SET || other == NO_SET ? own : other; };
    const uint32_t first = !meets ? before : again ? own : opposite, second = meets ? own : after;
    unite<Sets, 2>(sets, {own, own}, {to_unite(first), to_unite(second)});
    __syncwarp();
}
