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
    __device__ uint32_t ancestor(uint32_t set) const { return set; }
};

// Parents of all sets, in global memory. What is volatile does not race with what is atomic.
struct AllSets {
    volatile uint32_t* parents;

    __device__ uint32_t lower(uint32_t set, uint32_t parent) const {
        return atomicMin(const_cast<uint32_t*>(&parents[set]), parent);
    }

    // The first set of the tree. On the way each set gets its parent's parent, so that ways halve.
    __device__ uint32_t ancestor(uint32_t set) const {
        while (set != STRONG) {
            const uint32_t parent = parents[set];
            if (parent == set || parent == STRONG) return parent;
            const uint32_t next = parents[parent];
            if (next != parent) parents[set] = next;
            set = next;
        }
        return STRONG;
    }
};

// Unite two sets: the later one gets the earlier one as its parent; if it had another, that one is to be united
// instead. No set has a later parent, so there are no circles. Nobody climbs before there is need to: most sets
// are alone yet.
template <class Sets>
__device__ void unite(Sets sets, uint32_t a, uint32_t b) {
    while (a != b) {
        const uint32_t later = max(a, b), earlier = min(a, b), before = sets.lower(later, earlier);
        if (before == later) return;
        a = sets.ancestor(before);
        b = sets.ancestor(earlier);
    }
}

// Unite the sets of pixels that touch across the right side of a tile, or across its lower one; a lane begins at one
// pixel, which touches three. If the one opposite has a set, the two beside it have the same; and what the lane before
// unites need not be united again. `set_at(row, column, side, pixel)` is the set of a pixel on a side of a tile,
// or none. The whole warp must call.
template <class Sets, class SetAt>
__device__ void join(Sets sets, SetAt set_at, int row, int column, bool right, int lane) {
    const int start = (right ? row : column) * TILE + lane;
    const auto across = [&](int along) -> uint32_t {
        if (along < 0) return NO_SET;
        if (right) return set_at(along / TILE, column + 1, LEFT, along % TILE);
        return set_at(row + 1, along / TILE, TOP, along % TILE);
    };
    const uint32_t own = set_at(row, column, right ? RIGHT : BOTTOM, lane);
    const uint32_t before = across(start - 1), opposite = across(start), after = across(start + 1);
    const uint32_t own_before = __shfl_up_sync(ALL, own, 1);
    const uint32_t opposite_before = __shfl_up_sync(ALL, opposite, 1);
    const bool again = lane > 0 && own == own_before && opposite == opposite_before;
    if (own != NO_SET) {
        if (opposite != NO_SET) {
            if (!again) unite(sets, own, opposite);
        } else {
            if (before != NO_SET) unite(sets, own, before);
            if (after != NO_SET) unite(sets, own, after);
        }
    }
    __syncwarp();
}
