// Hysteresis within a block of tiles: tells apart the sets of connected pixels that reach a side of their tile, since
// only there they may go on. Those with a strong pixel are one, STRONG. Include after side_sets.cuh.
//
// If there is more to tell apart than one stretch of pixels along a tile's sides, a lane has a column: the warp goes
// down the rows. A run with a strong pixel is STRONG's; another gets its set from the first run above that it touches.
// Where a run touches yet another set, two are united, in shared memory; so are those of a block's tiles.
//
// A block has a warp for each of its TILES.

constexpr int AT_ONCE = 4;       // rows whose runs are found before the sets of the first are needed
constexpr int PITCH = TILE + 8;  // words of a tile: bytes of tiles side by side are in different banks

// What a block of threads knows of its tiles, in shared memory.
struct Block {
    uint4 weak[TILES][PITCH / AT_ONCE], strong[TILES][PITCH / AT_ONCE];  // a word a row
    uint32_t parents[1 + NODES];
    uint16_t sets[TILES][SIDES][TILE];

    __device__ uint32_t* weak_rows(int tile) { return reinterpret_cast<uint32_t*>(weak[tile]); }
    __device__ uint32_t* strong_rows(int tile) { return reinterpret_cast<uint32_t*>(strong[tile]); }
};

// The place of a block's tile among the image's rows and columns of tiles.
struct TilePlace {
    bool inside;
    uint64_t words;  // where its rows of bits are kept, one after the other

    __device__ TilePlace(int tile, int rows, int columns) {
        const int y = blockIdx.y * BLOCK_ROWS + tile / BLOCK_COLUMNS;
        const int x = blockIdx.x * BLOCK_COLUMNS + tile % BLOCK_COLUMNS;
        inside = y < rows && x < columns;
        words = at(y, x, columns) * TILE;
    }
};

// Of a lane's column and a row of pixels, the run that it lies in; if it lies in none, the one that ends before it.
struct Run {
    int gap;          // the last column before the run; 0, too, if it begins there
    uint32_t extent;  // the run, and the columns beside it

    __device__ Run(uint32_t row, uint32_t here) {
        gap = highest(~row & here - 1 | 1);
        const uint32_t end = row + here & ~row;  // the first column behind it, or this one; 0 behind the last
        extent = ALL << gap & 2 * end - 1;
    }
};

// A set whose first run, on row y, begins after a gap. Runs that touch nothing above have a cell of 2x2 for themselves.
__device__ inline int begun(int y, int gap) { return y / 2 * (TILE / 2) + (gap + 1) / 2; }

// How many stretches of pixels there are along the sides.
__device__ inline int stretches(const Sides& sides) {
    int count = 0;
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        count += __popc(sides[i] & ~(sides[i] << 1));
    return count;
}

// Give the pixels along a tile's sides their sets; `rows` that have pixels. A set of the first row that no strong pixel
// is in begins there.
__device__ inline void number(Block& block, int tile, uint32_t rows, int lane) {
    const uint32_t here = 1u << lane, outermost = here & 0x80000001;
    uint16_t (&sets)[SIDES][TILE] = block.sets[tile];
    uint16_t* outer = sets[lane == 0 ? LEFT : RIGHT];
    int first = 1 + tile * MOST_SETS;  // of the sets that may begin in the next rows
    const Run top(block.weak_rows(tile)[0], here);
    if (block.weak_rows(tile)[0] & here)
        sets[TOP][lane] = block.strong_rows(tile)[0] & top.extent ? STRONG : first + begun(0, top.gap);
    uint32_t set = 0, over = 0;  // of the row above
    for (int i = 0; i < TILE / AT_ONCE; ++i, first += begun(AT_ONCE, 0), outer += AT_ONCE) {
        const uint32_t any_row = rows & (1u << AT_ONCE) - 1;
        rows >>= AT_ONCE;
        if (any_row == 0) {
            over = 0;
            continue;
        }
        const uint4 four = block.weak[tile][i], strong_four = block.strong[tile][i];
        const uint32_t row[] = {four.x, four.y, four.z, four.w};
        const uint32_t strong[] = {strong_four.x, strong_four.y, strong_four.z, strong_four.w};
        uint32_t other[AT_ONCE], own[AT_ONCE];
        int source[AT_ONCE], fresh[AT_ONCE];
        bool touches[AT_ONCE], meets[AT_ONCE], has_strong[AT_ONCE], gets_strong[AT_ONCE], any = false;
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint32_t above = k == 0 ? over : row[k - 1], before = row[k] << 1;
            const Run run(row[k], here);
            const uint32_t touching = above & run.extent;
            source[k] = highest(touching & -touching);
            touches[k] = touching != 0;
            has_strong[k] = strong[k] & run.extent;
            fresh[k] = first + begun(k, run.gap);
            gets_strong[k] = has_strong[k] && touches[k] && row[k] & ~before & here;  // the run's first lane
            meets[k] = above & ~(above << 1) & before & here && touching & here - 1;  // one further left, too
        }
        over = row[AT_ONCE - 1];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint32_t from = __shfl_sync(ALL, set, source[k]);
            // A lane that meets another set is not its run's first: never both.
            own[k] = meets[k] ? set : gets_strong[k] ? STRONG : from;
            other[k] = from;
            any |= own[k] != from;
            set = has_strong[k] ? STRONG : touches[k] ? from : fresh[k];
            if (row[k] & outermost) outer[k] = set;
        }
        if (any) unite(BlockSets{block.parents}, own, other);
        __syncwarp();
    }
    if (over & here) sets[BOTTOM][lane] = set;
}

// Number a tile's sets as far as they reach its sides; tell whether any does.
__device__ inline bool number_sides(Block& block, int tile, int lane) {
    const uint32_t weak = block.weak_rows(tile)[lane], strong = block.strong_rows(tile)[lane];
    const Sides sides = sides_of(weak);
    const int first = 1 + tile * MOST_SETS;
#pragma unroll
    for (int i = 0; i < SIDES; ++i)
        block.sets[tile][i][lane] = sides[i] >> lane & 1 ? first : NO_SET;
    if ((sides[TOP] | sides[BOTTOM] | sides[LEFT] | sides[RIGHT]) == 0) return false;  // the whole warp
#pragma unroll
    for (int i = lane; i < MOST_SETS; i += 32)
        block.parents[first + i] = first + i;
    const bool any_strong = __any_sync(ALL, strong);
    const uint32_t rows = __ballot_sync(ALL, weak != 0);
    __syncwarp();
    if (any_strong || stretches(sides) > 1) number(block, tile, rows, lane);
    return true;
}

// Join the sets of a tile to those of the tiles to its right and below it.
__device__ inline void join_within(Block& block, int tile, int lane) {
    const int row = tile / BLOCK_COLUMNS, column = tile % BLOCK_COLUMNS;
    const auto set_at = [&](int row, int column, int side, int pixel) {
        // As numbers without a sign, -1 is beyond the last.
        const bool inside = uint32_t(row) < BLOCK_ROWS && uint32_t(column) < BLOCK_COLUMNS;
        const uint16_t stored = block.sets[inside ? row * BLOCK_COLUMNS + column : 0][side][pixel];
        return stored_set(stored | (inside ? 0 : NO_SET), 0);
    };
    join(BlockSets{block.parents}, set_at, row, column, true, lane);
    join(BlockSets{block.parents}, set_at, row, column, false, lane);
}

// Write the sets of a tile's sides, and those that are roots among all sets.
__device__ inline void write_sides(Block& block, int tile, uint16_t* __restrict__ side_sets,
                                   uint32_t* __restrict__ set_parents, int lane) {
    const int number = blockIdx.y * gridDim.x + blockIdx.x;  // of the block
    uint32_t set[SIDES], root[SIDES];
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        set[i] = stored_set(block.sets[tile][i][lane], 0);
        root[i] = set[i] == NO_SET ? STRONG : set[i];
    }
    for (bool climbs = true; climbs;) {  // from all sides at once
        climbs = false;
#pragma unroll
        for (int i = 0; i < SIDES; ++i) {
            const uint32_t parent = block.parents[root[i]];
            climbs |= parent != root[i];
            root[i] = parent;
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < SIDES; ++i) {
        side_sets[side_place(number, tile, i) + lane] = set[i] == NO_SET ? NO_SET : root[i];
        if (root[i] != STRONG)
            set_parents[number * NODES + root[i]] = number * NODES + root[i];  // all the same
    }
}

// Tell apart the sets of the block's tiles, whose bits all its warps see. The whole block must call.
__device__ inline void tell_apart(Block& block, uint16_t* __restrict__ side_sets,
                                  uint32_t* __restrict__ set_parents) {
    const int lane = threadIdx.x % 32, tile = threadIdx.x / 32;
    if (threadIdx.x == 0) block.parents[STRONG] = STRONG;
    const bool reaching = number_sides(block, tile, lane);  // the tile has sets at its sides
    if (__syncthreads_or(reaching)) {                       // all sets are there
        if (reaching) join_within(block, tile, lane);
        __syncthreads();  // and united
    }
    write_sides(block, tile, side_sets, set_parents, lane);
}
