// The walk of a warp of packed_leaned down the rows of its columns. Include after leaned.cuh and swept.cuh.

// Carry path costs to the next pixel. What is more than the large penalty above the smallest is a jump from there.
__device__ inline void go(uint32_t (&path)[8], const uint32_t (&costs)[8], uint32_t smallest,
                          uint32_t penalty, uint32_t p1, const Lane& lane) {
    uint32_t above[8];
    const uint32_t less = lower_half(0u - smallest);
#pragma unroll
    for (int j = 0; j < 8; ++j)
        above[j] = __viaddmin_u16x2(path[j], less, penalty);
    stay<8, LANES>(path, above, costs, p1, lane);
}

// The grey levels that a warp fetches, of its columns and two to their left, a lane a column; of 32 columns,
// two more.
struct Shades {
    uint32_t (*to)[WARPS][PIXELS + 2];
    const uint32_t* from;  // the next row
    int x, rows;           // of the pixel there, and rows left
    int width, down;

    // Begin with the row before the first, if the image has it.
    __device__ Shades(Shared& shared, const Strip& strip, const uint32_t* steps, int warp)
        : to(shared.steps), from(steps),
          x(strip.first + warp * PIXELS - 2 + int(threadIdx.x % 32) - strip.begin),
          rows(strip.end - strip.begin), width(strip.width), down(strip.down()) {
        from += strip.pixel(strip.begin, x + strip.begin);
        if (ADAPTIVE && strip.begin > 0) {
            move(-1);
            fetch(SLOTS - 1, warp);
        }
    }

    __device__ void fetch(int slot, int warp) {
        const int i = threadIdx.x % 32;
        if (i < PIXELS + 2)
            fetch_or_clear(&to[slot][warp][i], from, rows > 0 && unsigned(x) < unsigned(width));
        if constexpr (PIXELS == 32)
            if (i < 2)
                fetch_or_clear(&to[slot][warp][i + 32], from + 32,
                               rows > 0 && unsigned(x + 32) < unsigned(width));
        move(1);
    }

    __device__ void move(int by) {
        from += by * down;
        x -= by;
        rows -= by;
    }
};

// A warp's walk down the rows; a thread has a lane's part of a column.
struct Walk {
    Shared& shared;
    const Lane lane;
    const int warp, place;  // the column within the block
    const int rows;
    const int64_t down;  // from a pixel to the next one in the column, in a volume
    const uint32_t p1;   // in both halves
    Column column;
    const uint8_t* from;  // the thread's part of the costs to be fetched next
    SweptSums sums;       // and of the sums to be stored next
    Shades shades;
    uint32_t costs[8], penalties[3];       // of the row to come; of the directions in turn
    uint32_t leftward[8] = {}, least = 0;  // path costs, and the smallest

    __device__ Walk(Shared& shared, const Strip& strip, const uint32_t* steps, const uint8_t* costs,
                    const SweptSums& all, int warp, uint32_t p1, uint32_t p2)
        : shared(shared), lane(threadIdx.x % LANES, 8, strip.disparities / 2), warp(warp),
          place(threadIdx.x / LANES), rows(strip.end - strip.begin),
          down(int64_t(strip.down()) * strip.disparities), p1(p1), column(strip, strip.first + place),
          from(costs), sums(all), shades(shared, strip, steps, warp), penalties{p2, p2, p2} {
        const int64_t first =
            strip.pixel(strip.begin, strip.first + place) * strip.disparities + 2 * lane.first;
        from += first;
        sums.advance(first);
        if (!lane.active) column.count = 0;
    }

    // Start to fetch what a row takes, which is so many rows from the next one; rows are fetched in their order.
    __device__ void fetch_row(int slot, int rows_ahead) {
        fetch_or_clear(&shared.costs[slot][threadIdx.x], reinterpret_cast<const uint4*>(from),
                       column.exists(rows_ahead));
        if constexpr (ADAPTIVE) shades.fetch(slot, warp);
        fetched();
        from += down;
    }

    // Take what was fetched for the next row; `before` is the slot of the row before that.
    __device__ void prepare(int slot, int before) {
        arrive<AHEAD - 1>();
        Stored<uint8_t>{{shared.costs[slot][threadIdx.x]}}.unpack(costs);
        if constexpr (ADAPTIVE) {
            __syncwarp();  // what other lanes fetched is there
            const int own = place % PIXELS + 2, grey = grey_of(shared.steps[slot][warp][own]);
#pragma unroll
            for (int i = 0; i < 3; ++i)
                penalties[i] =
                    shared.by_change[abs(grey - grey_of(shared.steps[before][warp][own - i])) & 255];
        }
    }

    // Walk to the next row, which lies in a slot of the ring, from the one before.
    __device__ __forceinline__ void step(int slot, int before) {
        uint32_t straight[8], rightward[8];
        const int own = threadIdx.x + 2 * LANES;  // among the quads of a row
        const uint32_t straight_least = smallest_of(shared.minima[before][place + 1]);
        const uint32_t rightward_least = smallest_of(shared.minima[before][place]) >> 16;
        take(straight, shared.paths[before], VERTICAL, own - LANES);
        take(rightward, shared.paths[before], RIGHTWARD, own - 2 * LANES);
        go(leftward, costs, least, penalties[0], p1, lane);
        go(straight, costs, straight_least, penalties[1], p1, lane);
        leave(shared.paths[slot], VERTICAL, own, straight);
        go(rightward, costs, rightward_least, penalties[2], p1, lane);
        leave(shared.paths[slot], RIGHTWARD, own, rightward);
        note_minima(slot, smallest_of(straight), smallest_of(rightward));
        raise(shared.rows[1 + warp][slot]);
        least = of_pixel<LANES>(own_minimum(leftward) | lane.absent);
#pragma unroll
        for (int j = 0; j < 8; ++j)
            straight[j] += leftward[j] + rightward[j];
        sums.put(straight, column.exists(0));
        sums.advance(down);
        --column.left;
    }

    // Leave the lane's part of the minima, or what some lanes agreed on, if a pixel has more lanes than PARTS.
    __device__ void note_minima(int slot, uint32_t straight, uint32_t rightward) const {
        uint32_t both =
            __vminu2(__byte_perm(straight, rightward, 0x5410), __byte_perm(straight, rightward, 0x7632)) |
            lane.absent;
#pragma unroll
        for (int offset = LANES / 2; offset >= PARTS; offset /= 2)
            both = __vminu2(both, __shfl_xor_sync(ALL, both, offset));
        const int turn = threadIdx.x % LANES;
        if (turn < PARTS) shared.minima[slot][place + 2].parts[turn] = both;
    }

    // Walk all rows; every row of the ring had so many turns before.
    __device__ void run(int turn) {
#pragma unroll
        for (int i = 0; i < AHEAD; ++i)
            fetch_row(i, i);
        prepare(0, SLOTS - 1);
        for (int done = 0; done < rows; done += RING, ++turn) {
#pragma unroll GROUP
            for (int i = 0; i < RING; ++i) {
                const int before = (i + RING - 1) % RING;
                if (i % ROOM == 0)  // room for so many rows
                    wait_for(shared, warp + 2, REACH, (i + ROOM) % RING, turn + (i >= RING - ROOM));
                wait_for(shared, warp + 1 - REACH, REACH, before, turn + (i > 0));
                dally(turn * 57 + i + 31 * warp);
                step(i, before);
                fetch_row((i + AHEAD) % SLOTS, AHEAD - 1);
                prepare((i + 1) % SLOTS, i % SLOTS);
            }
        }
        arrive<0>();
    }
};
