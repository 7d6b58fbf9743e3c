// The lines of a warp of sparse_lines, and the matching costs that its lanes fetch ahead. Include after sparse.cuh.
//
// Build: SLOTS lanes per pixel, from 4 on; HELD blocks of a lane that are kept in registers, at most.

constexpr int LINES = 32 / SLOTS, GROUP = 4, GROUPS = TILE / GROUP;
constexpr int AHEAD = GROUPS - 1;  // groups of steps that are asked for before they are walked
static_assert(GROUP <= SLOTS && TILE % LINES == 0, "lanes bring what a group needs; lines lie in one tile");

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

// What a warp's lanes share: matching costs of the groups of steps to come, each lane's own, of two steps a quad.
struct Memory {
    uint4 quads[GROUPS][HELD][GROUP / 2][32];
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
