// Path aggregation along rows and columns, of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
// A warp walks LINES lines through a row or a column of tiles, SLOTS lanes a pixel. All its lines see the same tiles, so
// within a tile each lane keeps the path costs of its block, or of two, in registers; only what comes from the tile before
// is read where it was stored. In a tile with more blocks than lanes can keep, every step is done so.
//
// As in packed_aggregation, the lanes agree on the next minimum from what does not depend on the last one, and matching
// costs are asked for a group of steps before.
//
// Lines beyond the image lie in the padding of its tiles, as pixels beyond the end of a line do: they do no harm.
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

// Lines along rows, if ACROSS, or columns; to larger coordinates, if FORWARD.
template <bool ACROSS, bool FORWARD>
struct Course {
    static constexpr int SIGN = FORWARD ? 1 : -1, STRIDE = (ACROSS ? 1 : TILE) * SIGN;
    int line, lines, length, last;  // tile of a line
    int leap;                       // tiles from one to the next
    int begin;                      // pixel of a tile at which the line enters it

    __device__ Course(const Tiles& tiles, int line, int height, int width)
        : line(line), lines(ACROSS ? height : width), length(ACROSS ? width : height),
          last((length - 1) / TILE), leap((ACROSS ? 1 : tiles.columns) * SIGN),
          begin((ACROSS ? line % TILE * TILE : line % TILE) + (FORWARD ? 0 : (1 - TILE) * STRIDE)) {}

    __device__ int first_tile(const Tiles& tiles) const {
        const int index = FORWARD ? 0 : last;
        return ACROSS ? line / TILE * tiles.columns + index : index * tiles.columns + line / TILE;
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

    __device__ Kept(const Tiles& tiles, const PATH_COST* volume, int tile, int count, int before, int pixel,
                    bool begins) {
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass) {
            const int slot = pass * SLOTS + threadIdx.x % SLOTS, none = NO_SLOT;
            has[pass] = slot < count;
            absent[pass] = has[pass] ? 0 : NEVER_TWICE;
            const int block = has[pass] ? tiles.block(tile, slot) : 0;
            has_below[pass] = has[pass] && tiles.slot(tile, block - 1) != none;
            has_above[pass] = has[pass] && tiles.slot(tile, block + 1) != none;
            const Before found(tiles, volume, before, pixel, block, has[pass] && !begins);
#pragma unroll
            for (int k = 0; k < WORDS; ++k)
                path[pass][k] = begins ? 0 : found.path[k];
            below[pass] = found.below << 16;
            above[pass] = found.above;
        }
    }

    // Go on to the next pixel. All scalars in both halves.
    __device__ void carry(uint32_t& smallest, const uint32_t (&costs)[PASSES][WORDS], uint32_t penalty,
                          uint32_t p1) {
        const uint32_t jump = smallest + penalty;
        uint32_t near[PASSES][WORDS], nearest = NEVER_TWICE, least = NEVER_TWICE;
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
            nearest = __vminu2(nearest, smallest_of(near[pass]) | absent[pass]);
            least = __vminu2(least, smallest_of(costs[pass]) | absent[pass]);
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
    int width, p1;
    Fetched next;
    int tile, count, number;  // how many tiles came before
    int before;               // the tile before
    int level;                // grey level of the pixel before
    uint32_t smallest;        // of its path costs, in both halves

    // The penalty of the lane's step among those of a group.
    __device__ uint32_t penalty(int group) {
        const int turn = threadIdx.x % SLOTS, own = course.level(left, width, number, group * GROUP + turn);
        const int last = __shfl_up_sync(ALL, own, 1, SLOTS);
        const uint32_t found = by_change[abs(own - (turn == 0 ? level : last))];
        level = __shfl_sync(ALL, own, SLOTS - 1, SLOTS);
        return found;
    }

    // Ask for what follows a group of this tile.
    __device__ void fetch_after(int group, int next_count) {
        const bool same = group + 1 < GROUPS;
        const int pixel = course.begin + (same ? group + 1 : 0) * GROUP * Course::STRIDE;
        next.load(course, costs, tiles, same ? tile : tile + course.leap, same ? count : next_count, pixel);
    }

    // Walk through a tile from a step on, and keep path costs of PASSES blocks a lane.
    template <int PASSES>
    __device__ void keep(int from, int next_count, bool begins) {
        const int turn = threadIdx.x % SLOTS, end = course.begin + (TILE - 1) * Course::STRIDE;
        Kept<PASSES> kept(tiles, volume, tile, count, before, end, begins);
#pragma unroll 1
        for (int group = from / GROUP; group < GROUPS; ++group) {
            const Fetched now = next;
            fetch_after(group, next_count);
            const uint32_t penalties = penalty(group);
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
                if (group * GROUP + i >= from) kept.carry(smallest, matched, large, p1 * 0x10001);
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

    // Walk through a tile from a step on, and read at each what the one before stored.
    __device__ void reread(int from, int next_count, bool begins) {
#pragma unroll 1
        for (int group = from / GROUP; group < GROUPS; ++group) {
            if (group + 1 == GROUPS) fetch_after(group, next_count);
            const uint32_t penalties = penalty(group);
#pragma unroll 1
            for (int i = 0; i < GROUP; ++i) {
                const uint32_t large = __shfl_sync(ALL, penalties, i, SLOTS) & 0xFFFF;
                const int at_step = group * GROUP + i, pixel = course.begin + at_step * Course::STRIDE;
                if (at_step < from) continue;
                const bool enters = at_step == 0, starts = begins && at_step == from;
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
                     const uint32_t* by_change, int height, int width, int p1) {
    typedef Course<ACROSS, FORWARD> Way;
    const Way course(tiles, blockIdx.x * LINES + threadIdx.x / SLOTS, height, width);
    if (blockIdx.x * LINES >= course.lines) return;  // the whole warp
    Walk<Way> walk = {tiles, course, left, costs, volume, by_change, width, p1};
    walk.tile = walk.before = course.first_tile(tiles);
    walk.count = tiles.count(walk.tile);
    int from = FORWARD ? 0 : TILE - 1 - (course.length - 1) % TILE;
    walk.next.load(course, costs, tiles, walk.tile, walk.count,
                   course.begin + from / GROUP * GROUP * Way::STRIDE);
    for (walk.number = 0; walk.number <= course.last; ++walk.number) {
        const bool begins = walk.number == 0, ends = walk.number == course.last;
        const int next_count = ends ? 0 : tiles.count(walk.tile + course.leap);
        if (walk.count <= SLOTS)
            walk.template keep<1>(from, next_count, begins);
        else if (walk.count <= HELD * SLOTS)
            walk.template keep<HELD>(from, next_count, begins);
        else
            walk.reread(from, next_count, begins);
        __syncwarp();  // what other lanes stored is there
        walk.before = walk.tile;
        walk.tile += course.leap;
        walk.count = next_count;
        from = 0;
    }
}

extern "C" __global__ void sparse_lines(const uint8_t* __restrict__ left, const uint8_t* __restrict__ costs,
                                        const uint16_t* __restrict__ tables, uint8_t* volumes, int height,
                                        int width, int disparities, int p1, int p2, int adaptation,
                                        int first) {
    wait_for_previous();
    __shared__ uint32_t by_change[256];
    tabulate(by_change, p1, p2, adaptation);
    __syncwarp();  // the penalties are there
    const Tiles tiles(tables, width, disparities);
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + blockIdx.y * tiles.volume(height);
    const int path = first + blockIdx.y;
    if (path == 0) walk<true, false>(left, costs, tiles, volume, by_change, height, width, p1);
    if (path == 1) walk<true, true>(left, costs, tiles, volume, by_change, height, width, p1);
    if (path == 2) walk<false, false>(left, costs, tiles, volume, by_change, height, width, p1);
    if (path == 3) walk<false, true>(left, costs, tiles, volume, by_change, height, width, p1);
}
