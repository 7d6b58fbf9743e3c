// Path aggregation along rows and columns, of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
// A warp walks LINES lines through a row or a column of tiles, SLOTS lanes a pixel. All its lines see the same tiles, so
// within a tile each lane keeps the path costs of its blocks in registers. What comes from the tile before is in shared
// memory, and links tell the slots there. In a tile with more blocks than lanes can keep, every step reads what the one
// before stored.
//
// As in packed_aggregation, the lanes agree on the next minimum from what does not depend on the last one. Matching costs
// are asked for some groups of steps before they are needed, and so is what has to be known of the next tile.
//
// Lines beyond the image lie in the padding of its tiles, as pixels beyond the end of a line do: they do no harm. A line
// that begins there brings zeros to its first pixel, since sparse_matching writes zeros.
//
// Launch: block (32), grid (groups of LINES lines, directions), of which `first` is the first.
// Build: as tiles.cuh says; SLOTS, 2 or 4; MOST_KEPT blocks of a tile whose path costs are kept in registers; PATH_COST as
// for packed_aggregation; DIRECTIONS as for directions.cuh.

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

// Lines along rows, if ACROSS, or columns; to larger coordinates, if FORWARD.
template <bool ACROSS, bool FORWARD>
struct Course {
    static constexpr int SIGN = FORWARD ? 1 : -1, STRIDE = (ACROSS ? 1 : TILE) * SIGN;
    static constexpr bool ALONG_ROWS = ACROSS;
    int line, lines, length, last;  // tile of a line
    int start, leap;                // the first tile, and how far it is from one to the next
    int begin;                      // pixel of a tile at which the line enters it

    __device__ Course(const Tiles& tiles, int line, int height, int width)
        : line(line), lines(ACROSS ? height : width), length(ACROSS ? width : height),
          last((length - 1) / TILE), start(first_tile(tiles, last)),
          leap((ACROSS ? 1 : tiles.columns) * SIGN),
          begin((ACROSS ? line % TILE * TILE : line % TILE) + (FORWARD ? 0 : (1 - TILE) * STRIDE)) {}

    // The whole warp's lines lie in the same tiles.
    __device__ static int first_tile(const Tiles& tiles, int last) {
        const int index = FORWARD ? 0 : last, other = blockIdx.x * LINES / TILE;
        return ACROSS ? other * tiles.columns + index : index * tiles.columns + other;
    }

    // The grey level of a step in a tile, the `number`-th on the way.
    __device__ int level(const uint8_t* left, int width, int number, int step) const {
        const int along = FORWARD ? number * TILE + step : (last - number + 1) * TILE - 1 - step;
        const int inside = clamp(along, 0, length - 1), own = min(line, lines - 1);
        return ACROSS ? left[at(own, inside, width)] : left[at(inside, own, width)];
    }
};

// What a warp's lanes share: matching costs of the groups of steps to come, each lane's own, of two steps a quad; and the
// path costs with which its lines left a tile, where they were kept in registers.
struct Memory {
    uint4 quads[GROUPS][HELD][GROUP / 2][32];
    uint4 ends[HELD * SLOTS][LINES];
    uint32_t by_change[256];

    // Start to copy the costs of a lane's blocks in a group of steps, from a pixel on.
    template <class Course>
    __device__ void fetch_costs(const Course&, const uint8_t* costs, const Tiles& tiles, int tile, int count,
                                int group, int pixel) {
#pragma unroll
        for (int pass = 0; pass < HELD; ++pass) {
            const int slot = pass * SLOTS + threadIdx.x % SLOTS;
            if (pass * SLOTS >= count) break;  // the whole warp
            if (slot >= count) continue;
            const uint8_t* from = costs + tiles.place(tile, slot, pixel);
            if constexpr (Course::ALONG_ROWS) {
                const uint4* first = reinterpret_cast<const uint4*>(
                    from - (Course::SIGN > 0 ? 0 : (GROUP - 1) * BLOCK_DISPARITIES));
                for (int i = 0; i < GROUP / 2; ++i)
                    fetch(&quads[group][pass][i][threadIdx.x], first + i);
            } else {
                for (int i = 0; i < GROUP; ++i)
                    fetch(reinterpret_cast<uint2*>(&quads[group][pass][i / 2][threadIdx.x]) + i % 2,
                          reinterpret_cast<const uint2*>(from) + i * Course::STRIDE);
            }
        }
    }

    // The lane's costs in a step of a group.
    template <class Course>
    __device__ void matched(uint32_t (&costs)[WORDS], const Course&, int group, int pass, int step) const {
        const int place = Course::ALONG_ROWS && Course::SIGN < 0 ? GROUP - 1 - step : step;
        const uint4 quad = quads[group][pass][place / 2][threadIdx.x];
        const uint32_t bytes[2][WORDS / 2] = {{quad.x, quad.y}, {quad.z, quad.w}};
        words_of(costs, bytes[place % 2]);
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

// What a warp knows on its way.
template <class Course>
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
        const int place = same ? group : group - GROUPS,
                  pixel = course.begin + place * GROUP * Course::STRIDE;
        memory.fetch_costs(course, costs, tiles, same ? tile : tile + course.leap, same ? count : next_count,
                           place, pixel);
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
                    memory.matched(matched[pass], course, group, pass, i);
                const uint32_t large = __shfl_sync(ALL, penalties[i / SLOTS], i % SLOTS, SLOTS);
                kept.carry(smallest, matched, large, p1 * 0x10001);
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass)
#pragma unroll
                    for (int k = 0; k < WORDS; ++k)
                        paths[pass][i][k] = kept.path[pass][k];
            }
            const int pixel = course.begin + group * GROUP * Course::STRIDE;
#pragma unroll
            for (int pass = 0; pass < PASSES; ++pass)
                put<Course>(volume + tiles.place(tile, pass * SLOTS + turn, pixel), paths[pass],
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
        const int end = course.begin + (TILE - 1) * Course::STRIDE;
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
                const int at_step = group * GROUP + i, pixel = course.begin + at_step * Course::STRIDE;
                const bool enters = at_step == 0, starts = begins && enters;
                const int there = enters ? before : tile;
                const int last = enters ? course.begin + (TILE - 1) * Course::STRIDE : pixel - Course::STRIDE;
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
};

template <bool ACROSS, bool FORWARD>
__device__ void walk(const uint8_t* left, const uint8_t* costs, const Tiles& tiles, PATH_COST* volume,
                     const uint16_t* links, Memory& memory, int height, int width, int p1, int path) {
    typedef Course<ACROSS, FORWARD> Way;
    const Way course(tiles, blockIdx.x * LINES + threadIdx.x / SLOTS, height, width);
    if (blockIdx.x * LINES >= course.lines) return;  // the whole warp
    Walk<Way> walk = {tiles, course, left, costs, volume, links, memory, width, p1, path};
    // How many blocks a tile has is asked for a tile before it has to be known.
    const auto count_of = [&](int number) {
        return number > course.last ? 0 : tiles.count(course.start + number * course.leap);
    };
    walk.tile = course.start - course.leap;
    walk.count = uniform(count_of(0));
    walk.look_ahead(walk.count);
    walk.tile = course.start;
    for (int group = 0; group < AHEAD; ++group)
        walk.ask(group, 0);
    int asked = count_of(1);
    for (walk.number = 0; walk.number <= course.last; ++walk.number) {
        const bool begins = walk.number == 0;
        const int next_count = uniform(asked);
        asked = count_of(walk.number + 2);
        if (walk.count <= SLOTS)
            walk.template keep<1>(next_count, begins);
        else if (walk.count <= 2 * SLOTS)
            walk.template keep<2>(next_count, begins);
        else if (HELD > 2 && walk.count <= HELD * SLOTS)
            walk.template keep<HELD>(next_count, begins);
        else
            walk.reread(next_count, begins);
        __syncwarp();  // what other lanes stored is there
        walk.before = walk.tile;
        walk.tile += course.leap;
        walk.count = next_count;
    }
    arrive<0>();
}

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
    if (path == 0) walk<true, false>(left, costs, tiles, volume, links, memory, height, width, p1, path);
    if (path == 1) walk<true, true>(left, costs, tiles, volume, links, memory, height, width, p1, path);
    if (path == 2) walk<false, false>(left, costs, tiles, volume, links, memory, height, width, p1, path);
    if (path == 3) walk<false, true>(left, costs, tiles, volume, links, memory, height, width, p1, path);
}
