// Path aggregation along rows and columns, of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
// A warp walks LINES lines through a row or a column of tiles, SLOTS lanes a pixel. All its lines see the same tiles, so
// within a tile each lane keeps the path costs of its blocks in registers; only what comes from the tile before
// is read where it was stored, of which links tell the slots. In a tile with more blocks than lanes can keep, every step
// reads what the one before stored.
//
// As in packed_aggregation, the lanes agree on the next minimum from what does not depend on the last one, and matching
// costs are asked for a group of steps before.
//
// Lines beyond the image lie in the padding of its tiles, as pixels beyond the end of a line do: they do no harm. A line
// that begins there brings zeros to its first pixel, since sparse_matching writes zeros.
//
// Launch: block (32), grid (groups of LINES lines, directions), of which `first` is the first.
// Build: as tiles.cuh says; SLOTS, 2 or 4; MOST_KEPT blocks of a tile whose path costs are kept in registers; PATH_COST as for packed_aggregation; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"
#include "sparse_step.cuh"

constexpr int LINES = 32 / SLOTS, GROUP = 4, GROUPS = TILE / GROUP;
constexpr int HELD = MOST_KEPT / SLOTS;  // blocks of a lane that are kept in registers, at most
constexpr int TURNS = GROUP / SLOTS;     // steps of a group whose grey levels a lane brings
constexpr int AHEAD = GROUPS - 1;        // groups of steps that are asked for before they are walked
static_assert(GROUP % SLOTS == 0 && TILE % LINES == 0,
              "lanes bring what a group needs; lines lie in one tile");

// The same in all lanes, which the compiler does not see before.
__device__ inline int uniform(int value) { return __shfl_sync(ALL, value, 0); }

// A line along a row or a column. The whole warp's lines lie in the same tiles. Which way they go is no constant of the
// code, so that all warps share it.
struct Course {
    bool across, forward;           // along a row; to larger coordinates
    int line, lines, length, last;  // tile of a line
    int stride, leap;               // from pixel to pixel of a tile, and from tile to tile
    int start, begin;               // the first tile, and the pixel at which the line enters every tile

    __device__ Course(const Tiles& tiles, int path, int line, int height, int width)
        : across(path < ROWS), forward(path % 2), line(line), lines(across ? height : width),
          length(across ? width : height), last((length - 1) / TILE),
          stride((across ? 1 : TILE) * (forward ? 1 : -1)),
          leap((across ? 1 : tiles.columns) * (forward ? 1 : -1)) {
        const int index = forward ? 0 : last, other = blockIdx.x * LINES / TILE;
        start = across ? other * tiles.columns + index : index * tiles.columns + other;
        begin = line % TILE * (across ? TILE : 1) - (forward ? 0 : (TILE - 1) * stride);
    }

    // The grey level of a step in a tile, the `number`-th on the way.
    __device__ int level(const uint8_t* left, int width, int number, int step) const {
        const int along = forward ? number * TILE + step : (last - number + 1) * TILE - 1 - step;
        const int inside = clamp(along, 0, length - 1), own = min(line, lines - 1);
        return left[across ? at(own, inside, width) : at(inside, own, width)];
    }
};

// What a warp's lanes share: matching costs of the groups of steps to come, each lane's own, of two steps a quad; and the
// path costs with which its lines left a tile, where they were kept in registers.
struct Memory {
    uint4 quads[GROUPS][HELD][GROUP / 2][32];
    uint4 ends[HELD * SLOTS][LINES];
    uint32_t by_change[256];

    // Start to copy the costs of a lane's blocks in a group of steps, from a pixel on.
    __device__ void fetch_costs(const uint8_t* costs, const Tiles& tiles, int tile, int count, int group,
                                int pixel, int stride) {
#pragma unroll
        for (int pass = 0; pass < HELD; ++pass) {
            const int slot = pass * SLOTS + threadIdx.x % SLOTS;
            if (pass * SLOTS >= count) break;  // the whole warp
            if (slot >= count) continue;
            const uint2* from = reinterpret_cast<const uint2*>(costs + tiles.place(tile, slot, pixel));
#pragma unroll
            for (int i = 0; i < GROUP; ++i)
                fetch(reinterpret_cast<uint2*>(&quads[group][pass][i / 2][threadIdx.x]) + i % 2,
                      from + i * stride);
        }
    }

    // The lane's costs in a step of a group.
    __device__ void matched(uint32_t (&costs)[WORDS], int group, int pass, int step) const {
        const uint4 quad = quads[group][pass][step / 2][threadIdx.x];
        const uint32_t bytes[2][WORDS / 2] = {{quad.x, quad.y}, {quad.z, quad.w}};
        words_of(costs, bytes[step % 2]);
    }
};

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

    // Take what the links tell of the tile before. `own(costs, slot)` gives all costs of a slot, `low(slot)` the last
    // ones in the upper half, `high(slot)` the first ones in the lower half.
    template <class Own, class Low, class High>
    __device__ void enter(const int (&links)[HELD], Own own, Low low, High high) {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            const int link = has[pass] ? links[pass] : 0, first = link & Link::FIRST;
            const bool has_low = link & Link::LOW, has_own = link & Link::OWN, has_high = link & Link::HIGH;
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = NEVER_TWICE;
            if (has_own) own(path[pass], first + has_low);
            below[pass] = has_low ? low(first) : NEVER_TWICE;
            above[pass] = has_high ? high(first + has_low + has_own) : NEVER_TWICE;
        }
    }

    // Go on to the next pixel. All scalars in both halves.
    __device__ void carry(uint32_t& smallest, const uint32_t (&costs)[PASSES][WORDS], uint32_t penalty,
                          uint32_t p1) {
        const uint32_t jump = smallest + penalty;
        uint32_t near[PASSES][WORDS], nearest = 0, least = 0;
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            uint32_t moved[WORDS];
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                moved[k] = path[pass][k] + p1;
            const uint32_t before = __byte_perm(moved[WORDS - 1], below[pass] + p1, 0x1076);
            const uint32_t after = __byte_perm(moved[0], above[pass] + p1, 0x5432);
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                near[pass][k] =
                    __vimin3_u16x2(path[pass][k], k == 0 ? before : moved[(k + WORDS - 1) % WORDS],
                                   k + 1 == WORDS ? after : moved[(k + 1) % WORDS]) +
                    costs[pass][k];
            const uint32_t own_near = smallest_of(near[pass]) | absent[pass];
            const uint32_t own_least = smallest_of(costs[pass]) | absent[pass];
            nearest = pass == 0 ? own_near : __vminu2(nearest, own_near);
            least = pass == 0 ? own_least : __vminu2(least, own_least);
        }
        // One word for both: the lower half for what is near, the upper one for matching costs.
        uint32_t both = __vminu2(__byte_perm(nearest, least, 0x5410), __byte_perm(nearest, least, 0x7632));
        both = of_pixel<SLOTS>(both);
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass)
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = __viaddmin_u16x2(costs[pass][k], jump, near[pass][k]) - smallest;
        smallest = __vminu2(__byte_perm(both, 0, 0x1010), __byte_perm(both, 0, 0x3232) + jump) - smallest;
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

// The path costs of a block in a group of steps, to memory: of a row's bytes two quads.
__device__ inline void put(PATH_COST* to, const Course& course, const uint32_t (&path)[GROUP][WORDS],
                           bool exists) {
    if (!exists) return;
    if constexpr (sizeof(PATH_COST) == 1) {
        if (course.across) {
            uint2 pairs[GROUP];
#pragma unroll
            for (int i = 0; i < GROUP; ++i)
                pairs[i] = make_uint2(path[i][0] + path[i][1] * 256, path[i][2] + path[i][3] * 256);
            const bool forward = course.forward;
            const uint2 first = forward ? pairs[0] : pairs[3], second = forward ? pairs[1] : pairs[2];
            const uint2 third = forward ? pairs[2] : pairs[1], last = forward ? pairs[3] : pairs[0];
            uint4* quads = reinterpret_cast<uint4*>(to - (forward ? 0 : (GROUP - 1) * BLOCK_DISPARITIES));
            quads[0] = make_uint4(first.x, first.y, second.x, second.y);
            quads[1] = make_uint4(third.x, third.y, last.x, last.y);
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < GROUP; ++i)
        store(to + i * course.stride * BLOCK_DISPARITIES, path[i]);
}

// What a warp knows on its way.
struct Walk {
    const Tiles& tiles;
    const Course& course;
    const uint8_t *left, *costs;
    PATH_COST* volume;
    const uint16_t* tile_links;
    Memory& memory;
    int width, p1, path;
    int tile, count, number;  // how many tiles came before
    int before;               // the tile before,
    bool kept_before;         // and whether its last path costs were kept in registers
    int links[HELD];
    int level;                 // grey level of the pixel before
    int levels[AHEAD][TURNS];  // of the lane's steps in each of the next groups
    uint32_t smallest;         // of the path costs of the pixel before, in both halves

    // The penalties of the lane's steps in a group.
    __device__ void penalize(uint32_t (&penalties)[TURNS]) {
        const int turn = threadIdx.x % SLOTS;
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            const int own = levels[0][i], last = __shfl_up_sync(ALL, own, 1, SLOTS);
            penalties[i] = memory.by_change[abs(own - (turn == 0 ? level : last))];
            level = __shfl_sync(ALL, own, SLOTS - 1, SLOTS);
        }
    }

    // Ask for the costs and grey levels of a group of this tile or, counted on, of the next.
    __device__ void ask(int group, int next_count) {
        const bool same = group < GROUPS;
        const int place = same ? group : group - GROUPS, pixel = course.begin + place * GROUP * course.stride;
        memory.fetch_costs(costs, tiles, same ? tile : tile + course.leap, same ? count : next_count, place,
                           pixel, course.stride);
        fetched();
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) {
#pragma unroll
            for (int i = 0; i + 1 < AHEAD; ++i)
                levels[i][turn] = levels[i + 1][turn];
            const int step = place * GROUP + turn * SLOTS + threadIdx.x % SLOTS;
            levels[AHEAD - 1][turn] = course.level(left, width, same ? number : number + 1, step);
        }
    }

    // Ask for the links into the next tile.
    __device__ void look_ahead(int next_count) {
#pragma unroll
        for (int pass = 0; pass < HELD; ++pass) {
            const int slot = pass * SLOTS + threadIdx.x % SLOTS;
            if (slot < next_count) links[pass] = tile_links[tiles.link(tile + course.leap, slot, path)];
        }
    }

    // Walk through a tile, and keep path costs of PASSES blocks a lane.
    template <int PASSES>
    __device__ void keep(int next_count, bool begins) {
        const int turn = threadIdx.x % SLOTS, line = threadIdx.x / SLOTS;
        Kept<PASSES> kept(links, count);
        if (begins)
            kept.begin();
        else if (kept_before)
            enter_from_registers(kept, line);
        else
            enter_from_volume(kept);
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            arrive<AHEAD - 1>();
            uint32_t penalties[TURNS];
            penalize(penalties);
            ask(group + AHEAD, next_count);
            uint32_t paths[PASSES][GROUP][WORDS];
#pragma unroll
            for (int i = 0; i < GROUP; ++i) {
                uint32_t matched[PASSES][WORDS];
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass)
                    memory.matched(matched[pass], group, pass, i);
                const uint32_t large = __shfl_sync(ALL, penalties[i / SLOTS], i % SLOTS, SLOTS);
                kept.carry(smallest, matched, large, p1 * 0x10001);
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass)
#pragma unroll
                    for (int k = 0; k < WORDS; ++k)
                        paths[pass][i][k] = kept.path[pass][k];
            }
            const int pixel = course.begin + group * GROUP * course.stride;
#pragma unroll
            for (int pass = 0; pass < PASSES; ++pass)
                put(volume + tiles.place(tile, pass * SLOTS + turn, pixel), course, paths[pass],
                    kept.has[pass]);
        }
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            const uint32_t (&path)[WORDS] = kept.path[pass];
            if (kept.has[pass])
                memory.ends[pass * SLOTS + turn][line] = make_uint4(path[0], path[1], path[2], path[3]);
        }
        kept_before = true;
    }

    template <int PASSES>
    __device__ void enter_from_registers(Kept<PASSES>& kept, int line) {
        const uint4(&ends)[HELD * SLOTS][LINES] = memory.ends;
        kept.enter(
            links,
            [&](uint32_t (&costs)[WORDS], int slot) {
                const uint4 quad = ends[slot][line];
                costs[0] = quad.x, costs[1] = quad.y, costs[2] = quad.z, costs[3] = quad.w;
            },
            [&](int slot) { return ends[slot][line].w; }, [&](int slot) { return ends[slot][line].x; });
    }

    template <int PASSES>
    __device__ void enter_from_volume(Kept<PASSES>& kept) {
        const int end = course.begin + (TILE - 1) * course.stride;
        const auto place = [&](int slot) { return volume + tiles.place(before, slot, end); };
        kept.enter(
            links, [&](uint32_t (&costs)[WORDS], int slot) { load(costs, place(slot)); },
            [&](int slot) { return uint32_t(place(slot)[BLOCK_DISPARITIES - 1]) << 16; },
            [&](int slot) { return uint32_t(place(slot)[0]); });
    }

    // Walk through a tile, and read at each step what the one before stored.
    __device__ void reread(int next_count, bool begins) {
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            uint32_t penalties[TURNS];
            penalize(penalties);
            ask(group + AHEAD, next_count);
#pragma unroll 1
            for (int i = 0; i < GROUP; ++i) {
                const uint32_t own = TURNS == 1 || i < SLOTS ? penalties[0] : penalties[TURNS - 1];
                const uint32_t large = __shfl_sync(ALL, own, i % SLOTS, SLOTS) & 0xFFFF;
                const int at_step = group * GROUP + i, pixel = course.begin + at_step * course.stride;
                const bool enters = at_step == 0, starts = begins && enters;
                const int there = enters ? before : tile;
                const int last = enters ? course.begin + (TILE - 1) * course.stride : pixel - course.stride;
                const uint32_t least = smallest & 0xFFFF;
                smallest =
                    0x10001 *
                    step(tiles, costs, volume, tile, pixel, true,
                         [&](uint32_t (&path)[WORDS], int block, bool has) {
                             if (starts) {
#pragma unroll
                                 for (int k = 0; k < WORDS; ++k)
                                     path[k] = 0;
                             } else {
                                 Before(tiles, volume, there, last, block, has).send(path, least, large, p1);
                             }
                         });
                __syncwarp();  // what other lanes stored is there
            }
        }
        kept_before = false;
    }

    // How many blocks a tile on the way has, or none after the last one.
    __device__ int count_of(int number) const {
        return number > course.last ? 0 : tiles.count(course.start + number * course.leap);
    }

    // Walk through all tiles. How many blocks one has is asked for a tile before it has to be known.
    __device__ void all() {
        tile = course.start - course.leap;
        count = uniform(count_of(0));
        look_ahead(count);
        tile = course.start;
        for (int group = 0; group < AHEAD; ++group)
            ask(group, 0);
        int asked = count_of(1);
        for (number = 0; number <= course.last; ++number) {
            const bool begins = number == 0;
            const int next_count = uniform(asked);
            asked = count_of(number + 2);
            if (count <= SLOTS)
                keep<1>(next_count, begins);
            else if (count <= 2 * SLOTS)
                keep<2>(next_count, begins);
            else if (HELD > 2 && count <= HELD * SLOTS)
                keep<HELD>(next_count, begins);
            else
                reread(next_count, begins);
            __syncwarp();  // what other lanes stored is there
            before = tile;
            tile += course.leap;
            count = next_count;
        }
        arrive<0>();
    }
};

extern "C" __global__ void sparse_lines(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                                        const uint16_t* __restrict__ tables,
                                        const uint16_t* __restrict__ links, uint8_t* volumes, int height,
                                        int width, int disparities, int p1, int p2, int adaptation,
                                        int first) {
    wait_for_previous();
    __shared__ Memory memory;
    tabulate(memory.by_change, p1, p2, adaptation);
    __syncwarp();  // the penalties are there
    const Tiles tiles(tables, width, disparities);
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + blockIdx.y * tiles.volume(height);
    const int path = first + blockIdx.y;
    const Course course(tiles, path, blockIdx.x * LINES + threadIdx.x / SLOTS, height, width);
    if (blockIdx.x * LINES >= course.lines) return;  // the whole warp
    Walk walk = {tiles, course, left, costs, volume, links, memory, width, p1, path};
    walk.all();
}
