// Path aggregation along rows and columns, of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
// A warp walks LINES lines through a row or a column of tiles, SLOTS lanes a pixel. All its lines see the same tiles, so
// within a tile each lane keeps the path costs of its block, or of two, in registers; only what comes from the tile before
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
// Build: as tiles.cuh says; SLOTS; PATH_COST as for packed_aggregation; DIRECTIONS as for directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"
#include "sparse_step.cuh"

constexpr int LINES = 32 / SLOTS, GROUP = SLOTS, GROUPS = TILE / GROUP, HELD = 2;
static_assert(GROUP == 4 && TILE % LINES == 0, "a lane brings the grey level of a step of a group");

// The same in all lanes, which the compiler does not see before.
__device__ inline int uniform(int value) { return __shfl_sync(ALL, value, 0); }

// Lines along rows, if ACROSS, or columns; to larger coordinates, if FORWARD.
template <bool ACROSS, bool FORWARD>
struct Course {
    static constexpr int SIGN = FORWARD ? 1 : -1, STRIDE = (ACROSS ? 1 : TILE) * SIGN;
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

// Matching costs of a lane's blocks in the next steps.
struct Fetched {
    uint2 bytes[HELD][GROUP];

    template <class Course>
    __device__ void load(const Course&, const uint8_t* costs, const Tiles& tiles, int tile, int count,
                         int pixel) {
#pragma unroll
        for (int pass = 0; pass < HELD; ++pass) {
            const int slot = pass * SLOTS + threadIdx.x % SLOTS;
            if (slot >= count) continue;
            const uint2* from = reinterpret_cast<const uint2*>(costs + tiles.place(tile, slot, pixel));
#pragma unroll
            for (int i = 0; i < GROUP; ++i)
                bytes[pass][i] = from[i * Course::STRIDE];
        }
    }
};

// What a lane keeps of a pixel: path costs of its blocks, and those beside them.
template <int PASSES>
struct Kept {
    uint32_t path[PASSES][WORDS], below[PASSES], above[PASSES];
    uint32_t absent[PASSES];  // what no minimum is above, if there is no block
    bool has[PASSES], has_below[PASSES], has_above[PASSES];

    __device__ Kept(const Tiles& tiles, const PATH_COST* volume, const int (&links)[HELD], int count,
                    int before, int pixel, bool begins) {
        constexpr int SLOT = PIXELS * BLOCK_DISPARITIES;
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            has[pass] = pass * SLOTS + int(threadIdx.x) % SLOTS < count;
            absent[pass] = has[pass] ? 0 : NEVER_TWICE;
            const int link = has[pass] ? links[pass] : 0;
            has_below[pass] = link & Link::HAS_BELOW;
            has_above[pass] = link & Link::HAS_ABOVE;
            const bool low = link & Link::LOW, own = link & Link::OWN, high = link & Link::HIGH;
            const PATH_COST* from = volume + tiles.place(before, link & Link::FIRST, pixel);
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = begins ? 0 : NEVER_TWICE;
            if (own) load(path[pass], from + low * SLOT);
            below[pass] = (low ? from[BLOCK_DISPARITIES - 1] : NEVER) << 16;
            above[pass] = high ? from[(low + own) * SLOT] : NEVER;
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
    const uint32_t* by_change;
    const uint16_t* tile_links;
    int width, p1, path;
    Fetched next;
    int links[HELD];
    int tile, count, number;  // how many tiles came before
    int before;               // the tile before
    int level;                // grey level of the pixel before
    int next_level;           // of the lane's step among those of the next group
    uint32_t smallest;        // of its path costs, in both halves

    // The penalty of the lane's step among those of a group; `own` is its grey level.
    __device__ uint32_t penalty(int own) {
        const int turn = threadIdx.x % SLOTS, last = __shfl_up_sync(ALL, own, 1, SLOTS);
        const uint32_t found = by_change[abs(own - (turn == 0 ? level : last))];
        level = __shfl_sync(ALL, own, SLOTS - 1, SLOTS);
        return found;
    }

    __device__ void look_at(int number, int group) {
        next_level = course.level(left, width, number, group * GROUP + threadIdx.x % SLOTS);
    }

    // Ask for what follows a group of this tile.
    __device__ void fetch_after(int group, int next_count) {
        const bool same = group + 1 < GROUPS;
        look_at(same ? number : number + 1, same ? group + 1 : 0);
        const int pixel = course.begin + (same ? group + 1 : 0) * GROUP * Course::STRIDE;
        next.load(course, costs, tiles, same ? tile : tile + course.leap, same ? count : next_count, pixel);
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
        const int turn = threadIdx.x % SLOTS, end = course.begin + (TILE - 1) * Course::STRIDE;
        Kept<PASSES> kept(tiles, volume, links, count, before, end, begins);
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            const Fetched now = next;
            const uint32_t penalties = penalty(next_level);
            fetch_after(group, next_count);
            uint32_t paths[PASSES][GROUP][WORDS];
#pragma unroll
            for (int i = 0; i < GROUP; ++i) {
                uint32_t matched[PASSES][WORDS];
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass) {
                    const uint32_t bytes[WORDS / 2] = {now.bytes[pass][i].x, now.bytes[pass][i].y};
                    words_of(matched[pass], bytes);
                }
                const uint32_t large = __shfl_sync(ALL, penalties, i, SLOTS);
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
    }

    // Walk through a tile, and read at each step what the one before stored.
    __device__ void reread(int next_count, bool begins) {
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            const uint32_t penalties = penalty(next_level);
            fetch_after(group, next_count);
#pragma unroll 1
            for (int i = 0; i < GROUP; ++i) {
                const uint32_t large = __shfl_sync(ALL, penalties, i, SLOTS) & 0xFFFF;
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
    }
};

template <bool ACROSS, bool FORWARD>
__device__ void walk(const uint8_t* left, const uint8_t* costs, const Tiles& tiles, PATH_COST* volume,
                     const uint32_t* by_change, const uint16_t* links, int height, int width, int p1,
                     int path) {
    typedef Course<ACROSS, FORWARD> Way;
    const Way course(tiles, blockIdx.x * LINES + threadIdx.x / SLOTS, height, width);
    if (blockIdx.x * LINES >= course.lines) return;  // the whole warp
    Walk<Way> walk = {tiles, course, left, costs, volume, by_change, links, width, p1, path};
    walk.tile = course.start - course.leap;
    walk.count = uniform(tiles.count(course.start));
    walk.look_ahead(walk.count);
    walk.tile = walk.before = course.start;
    walk.look_at(0, 0);
    walk.next.load(course, costs, tiles, walk.tile, walk.count, course.begin);
    // How many blocks a tile has is asked for a tile before it has to be known.
    const auto count_of = [&](int number) {
        return number > course.last ? 0 : tiles.count(course.start + number * course.leap);
    };
    int asked = count_of(1);
    for (walk.number = 0; walk.number <= course.last; ++walk.number) {
        const bool begins = walk.number == 0;
        const int next_count = uniform(asked);
        asked = count_of(walk.number + 2);
        if (walk.count <= SLOTS)
            walk.template keep<1>(next_count, begins);
        else if (walk.count <= HELD * SLOTS)
            walk.template keep<HELD>(next_count, begins);
        else
            walk.reread(next_count, begins);
        __syncwarp();  // what other lanes stored is there
        walk.before = walk.tile;
        walk.tile += course.leap;
        walk.count = next_count;
    }
}

extern "C" __global__ void sparse_lines(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                                        const uint16_t* __restrict__ tables,
                                        const uint16_t* __restrict__ links, uint8_t* volumes, int height,
                                        int width, int disparities, int p1, int p2, int adaptation,
                                        int first) {
    wait_for_previous();
    __shared__ uint32_t by_change[256];
    tabulate(by_change, p1, p2, adaptation);
    __syncwarp();  // the penalties are there
    const Tiles tiles(tables, width, disparities);
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + blockIdx.y * tiles.volume(height);
    const int path = first + blockIdx.y;
    if (path == 0) walk<true, false>(left, costs, tiles, volume, by_change, links, height, width, p1, path);
    if (path == 1) walk<true, true>(left, costs, tiles, volume, by_change, links, height, width, p1, path);
    if (path == 2) walk<false, false>(left, costs, tiles, volume, by_change, links, height, width, p1, path);
    if (path == 3) walk<false, true>(left, costs, tiles, volume, by_change, links, height, width, p1, path);
}
