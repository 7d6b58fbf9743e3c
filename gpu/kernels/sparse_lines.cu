// Path aggregation along rows and columns, of the disparities that tiles search, in packed 16-bit arithmetic.  Computes
// gpu.reference.sparse_aggregation, and keeps the path costs of every direction.
//
// A warp walks LINES lines through a row or a column of tiles, SLOTS lanes per pixel. All its lines see the same tiles, so
// within a tile each lane keeps the path costs of its blocks: in registers where each lane has at most HELD of them, in
// shared memory where the tile has at most `kept`, as tiles have whose content matches nowhere. What comes from the tile
// before is in shared memory, and links tell the slots there. In a tile with more blocks, every step reads what the one
// before stored.
//
// As in packed_aggregation, the lanes agree on the next minimum from what does not depend on the last one. Matching costs
// are asked for some groups of steps before they are needed, and so is what has to be known of the next tile.
//
// Lines beyond the image lie in the padding of its tiles, as pixels beyond the end of a line do: they do no harm. A line
// that begins there brings zeros to its first pixel, since sparse_matching writes zeros.
//
// Launch: block (32), grid (groups of LINES lines, directions), of which `first` is the first; shared memory: two pages of
// `kept` blocks, at least HELD * SLOTS and at most 32 * SLOTS, each LINES * 16 bytes.
// Build: as tiles.cuh says; SLOTS, from 4 on; HELD, 1, 2 or 4; PATH_COST as for packed_aggregation; DIRECTIONS as for
// directions.cuh.

#include "common.cuh"
#include "directions.cuh"
#include "packed.cuh"
#include "sparse.cuh"
#include "sparse_course.cuh"
#include "sparse_kept.cuh"
#include "sparse_step.cuh"

constexpr int CHUNK = 4;  // blocks of a lane whose costs are asked for at once, of tiles with many

// The same in all lanes, which the compiler does not see before.
__device__ inline int uniform(int value) { return __shfl_sync(ALL, value, 0); }

// What a warp knows on its way.
template <class Course>
struct Walk {
    const Tiles& tiles;
    const Course& course;
    const uint8_t *left, *costs;
    PATH_COST* volume;
    const uint16_t* tile_links;
    Memory& memory;
    Pages pages;
    int width, p1, path;
    int tile, count, number;  // how many tiles came before
    int before;               // the tile before,
    bool kept_before;         // and whether its last path costs are in the page written last
    int links[HELD];
    int level;          // grey level of the pixel before
    int levels[AHEAD];  // of the lane's step in each of the next groups
    uint32_t smallest;  // of the path costs of the pixel before, in both halves

    // The penalty of the lane's step in a group.
    __device__ uint32_t penalty() {
        const int own = levels[0], last = __shfl_up_sync(ALL, own, 1, SLOTS);
        const uint32_t penalty = memory.by_change[abs(own - (threadIdx.x % SLOTS == 0 ? level : last))];
        level = __shfl_sync(ALL, own, GROUP - 1, SLOTS);
        return penalty;
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
        for (int i = 0; i + 1 < AHEAD; ++i)
            levels[i] = levels[i + 1];
        const int step = place * GROUP + min(int(threadIdx.x) % SLOTS, GROUP - 1);
        levels[AHEAD - 1] = course.level(left, width, same ? number : number + 1, step);
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
        const int turn = threadIdx.x % SLOTS;
        Kept<PASSES> kept(links, count);
        if (begins)
            kept.begin();
        else if (kept_before)
            kept.enter_all(links, pages);
        else
            kept.enter_all(links, stored_before());
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            arrive<AHEAD - 1>();
            const uint32_t own = penalty();
            ask(group + AHEAD, next_count);
            uint32_t paths[PASSES][GROUP][WORDS];
#pragma unroll
            for (int i = 0; i < GROUP; ++i) {
                uint32_t matched[PASSES][WORDS];
#pragma unroll
                for (int pass = 0; pass < PASSES; ++pass)
                    memory.matched(matched[pass], course, group, pass, i);
                const uint32_t large = __shfl_sync(ALL, own, i, SLOTS);
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
                pages.next_at(pass * SLOTS + turn) = make_uint4(path[0], path[1], path[2], path[3]);
        }
        pages.written = 1 - pages.written;
        kept_before = true;
    }

    // The path costs with which the lines left the tile before.
    __device__ Stored stored_before() const {
        return {tiles, volume, before, course.begin + (TILE - 1) * Course::STRIDE};
    }

    // The costs of the lane's blocks of a chunk.
    __device__ void ask_chunk(uint2 (&bytes)[CHUNK], int chunk, int pixel) const {
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) {
            const int slot = (chunk + i) * SLOTS + threadIdx.x % SLOTS;
            if (slot < count)
                bytes[i] = *reinterpret_cast<const uint2*>(costs + tiles.place(tile, slot, pixel));
        }
    }

    // Walk through a tile with many blocks, and keep path costs in shared memory.
    __device__ void turn_pages(int next_count, bool begins) {
        const int turn = threadIdx.x % SLOTS, passes = (count + SLOTS - 1) / SLOTS;
        uint32_t has_below = 0, has_above = 0;  // a bit of each pass
        uint2 next[CHUNK];
        ask_chunk(next, 0, course.begin);
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            const uint32_t own = penalty();
            ask(group + AHEAD, next_count);
#pragma unroll 1
            for (int i = 0; i < GROUP; ++i) {
                const uint32_t jump = smallest + __shfl_sync(ALL, own, i, SLOTS);
                const int at_step = group * GROUP + i, pixel = course.begin + at_step * Course::STRIDE;
                uint32_t nearest = NEVER_TWICE, least = NEVER_TWICE;
#pragma unroll 1
                for (int chunk = 0; chunk < passes; chunk += CHUNK) {
                    uint2 bytes[CHUNK];
#pragma unroll
                    for (int pass = 0; pass < CHUNK; ++pass)
                        bytes[pass] = next[pass];
                    if (chunk + CHUNK < passes)
                        ask_chunk(next, chunk + CHUNK, pixel);
                    else if (at_step + 1 < TILE)
                        ask_chunk(next, 0, pixel + Course::STRIDE);
#pragma unroll
                    for (int pass = 0; pass < CHUNK; ++pass) {
                        const int slot = (chunk + pass) * SLOTS + turn;
                        const uint32_t bit = 1u << (chunk + pass);
                        if (slot >= count) continue;
                        uint32_t path[WORDS], near[WORDS], matched[WORDS], below, above;
                        if (at_step == 0) {
                            const int link = tile_links[tiles.link(tile, slot, this->path)];
                            if (link & Link::HAS_BELOW) has_below |= bit;
                            if (link & Link::HAS_ABOVE) has_above |= bit;
                            if (begins) {
#pragma unroll
                                for (int k = 0; k < WORDS; ++k)
                                    path[k] = 0;
                                below = above = NEVER_TWICE;
                            } else if (kept_before)
                                enter(path, below, above, link, pages);
                            else
                                enter(path, below, above, link, stored_before());
                        } else {
                            pages.own(path, slot);
                            below = has_below & bit ? pages.low(slot - 1) : NEVER_TWICE;
                            above = has_above & bit ? pages.high(slot + 1) : NEVER_TWICE;
                        }
                        const uint32_t pair[WORDS / 2] = {bytes[pass].x, bytes[pass].y};
                        words_of(matched, pair);
                        step_near(near, path, below, above, matched, p1 * 0x10001);
                        nearest = __vminu2(nearest, smallest_of(near));
                        least = __vminu2(least, smallest_of(matched));
#pragma unroll
                        for (int k = 0; k < WORDS; ++k)
                            path[k] = __viaddmin_u16x2(matched[k], jump, near[k]) - smallest;
                        pages.next_at(slot) = make_uint4(path[0], path[1], path[2], path[3]);
                        store(volume + tiles.place(tile, slot, pixel), path);
                    }
                }
                smallest = smallest_next(nearest, least, jump, smallest);
                pages.written = 1 - pages.written;
                __syncwarp();  // what other lanes wrote is there
            }
        }
        kept_before = true;
    }

    // Walk through a tile, and read at each step what the one before stored.
    __device__ void reread(int next_count, bool begins) {
        look_ahead(next_count);
#pragma unroll 1
        for (int group = 0; group < GROUPS; ++group) {
            const uint32_t own = penalty();
            ask(group + AHEAD, next_count);
#pragma unroll 1
            for (int i = 0; i < GROUP; ++i) {
                const uint32_t large = __shfl_sync(ALL, own, i, SLOTS) & 0xFFFF;
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

extern __shared__ uint4 page_memory[];

template <bool ACROSS, bool FORWARD>
__device__ void walk(const uint8_t* left, const uint8_t* costs, const Tiles& tiles, PATH_COST* volume,
                     const uint16_t* links, Memory& memory, int height, int width, int p1, int path,
                     int kept) {
    typedef Course<ACROSS, FORWARD> Way;
    const Way course(tiles, blockIdx.x * LINES + threadIdx.x / SLOTS, height, width);
    if (blockIdx.x * LINES >= course.lines) return;  // the whole warp
    const Pages pages = {reinterpret_cast<uint4(*)[LINES]>(page_memory), kept, 0, int(threadIdx.x) / SLOTS};
    Walk<Way> walk = {tiles, course, left, costs, volume, links, memory, pages, width, p1, path};
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
        else if (HELD > 2 && walk.count <= 2 * SLOTS)
            walk.template keep<2>(next_count, begins);
        else if (walk.count <= HELD * SLOTS)
            walk.template keep<HELD>(next_count, begins);
        else if (walk.count <= kept)
            walk.turn_pages(next_count, begins);
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
                                        int width, int disparities, int p1, int p2, int adaptation, int first,
                                        int kept) {
    wait_for_previous();
    __shared__ Memory memory;
    tabulate(memory.by_change, p1, p2, adaptation);
    __syncwarp();  // the penalties are there
    const Tiles tiles(tables, width, disparities);
    PATH_COST* volume = reinterpret_cast<PATH_COST*>(volumes) + blockIdx.y * tiles.volume(height);
    const int path = first + blockIdx.y;
    if (path == 0)
        walk<true, false>(left, costs, tiles, volume, links, memory, height, width, p1, path, kept);
    if (path == 1) walk<true, true>(left, costs, tiles, volume, links, memory, height, width, p1, path, kept);
    if (path == 2)
        walk<false, false>(left, costs, tiles, volume, links, memory, height, width, p1, path, kept);
    if (path == 3)
        walk<false, true>(left, costs, tiles, volume, links, memory, height, width, p1, path, kept);
}
