// A line of pixels in one of the directions, which lanes of a warp walk from its first pixel to its last;
// packed_aggregation.cu tells what is done so that a step is short. Include after stretch.cuh.

constexpr int UNROLL = 4;    // steps of a group
constexpr int WALKING = 32;  // threads: lines that a warp walks need no other one

__device__ inline int own_thread() { return threadIdx.x % WALKING; }

// A direction in the image: ACROSS columns, DOWN rows (or up), or both. From pixel to pixel are `stride` pixels,
// and from one side of the image to the other `leap`; so many costs, `strides` and `leaps`.
template <bool ACROSS, bool DOWNWARD>
struct Course {
    static constexpr bool DOWN = DOWNWARD, OBLIQUE = ACROSS && DOWN;
    int dx, lines, steps, last, start, apart, stride, leap;
    int64_t strides, leaps;

    __device__ Course(int dx, int dy, int height, int width, int disparities)
        : dx(ACROSS ? dx : 0), lines(DOWN ? width : height), steps(DOWN ? height : width),
          last(dx > 0 ? width - 1 : 0),
          start(DOWN ? (dy > 0 ? 0 : (height - 1) * width) : (dx > 0 ? 0 : width - 1)),
          apart(DOWN ? 1 : width), stride((DOWN ? dy * width : 0) + (ACROSS ? dx : 0)), leap(-dx * width),
          strides(int64_t(stride) * disparities), leaps(int64_t(leap) * disparities) {}
};

// A pixel on its way along a line, and where its costs begin. A line that leaves the image sideways goes on at the
// other side.
template <class Course>
struct Pixel {
    int x, place;
    int64_t costs;

    __device__ Pixel(const Course& course, int line, int disparities)
        : x(Course::DOWN ? line : course.start), place(course.start + line * course.apart),
          costs(int64_t(place) * disparities) {}

    // Move on; tell whether the next pixel begins a path.
    __device__ bool advance(const Course& course) {
        const bool leaves = Course::OBLIQUE && x == course.last;
        x += course.dx;
        place += course.stride;
        costs += course.strides;
        if (leaves) {
            x = course.lines - 1 - course.last;
            place += course.leap;
            costs += course.leaps;
        }
        return leaves;
    }

    // Tell whether one of the warp's lines goes on at the other side within the next UNROLL steps.
    __device__ bool turns(const Course& course) const {
        return Course::OBLIQUE && __any_sync(ALL, abs(course.last - x) < UNROLL);
    }
};

struct Views {
    const uint32_t* steps;
    const uint8_t* costs;  // matching costs, packed
    int disparities;
};

// What was fetched for the steps to come: costs by thread, the rest by pixel. Of the groups, one is in use, and the
// others may be under way.
template <int WORDS, int SPAN>
struct Fetched {
    static constexpr int GROUPS = WORDS == 8 ? 3 : 4;
    struct alignas(2 * WORDS) Bytes {
        uint32_t pairs[WORDS / 2];
    };
    Bytes costs[GROUPS][UNROLL][WALKING];
    uint4 steps[GROUPS][WALKING / SPAN];  // UNROLL of them
};

// What a thread fetches for the steps to come: of each its part of the matching costs, and the words of its TURNS
// share of the steps, which all lanes of the pixel take.
template <int WORDS, int SPAN, class Course>
struct Prefetch {
    typedef typename Fetched<WORDS, SPAN>::Bytes Bytes;
    static constexpr int TURNS = SPAN < UNROLL ? SPAN : UNROLL;
    Pixel<Course> later;  // the next pixel to fetch
    int left;             // steps to fetch
    const uint8_t* from;  // the lane's part of the first pixel's costs
    int turn;             // the lane, among those of its pixel

    // Begin to fetch the next UNROLL steps into a group of the memory.
    __device__ __forceinline__ void begin(const Views& views, const Course& course,
                                          Fetched<WORDS, SPAN>& memory, int group) {
        const uint8_t* costs[UNROLL];
        int places[UNROLL / TURNS];  // of the steps whose word this lane fetches
        if (later.turns(course))
            find_apart(course, costs, places);
        else
            find_in_line(course, costs, places);
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            if (i < left)
                fetch(&memory.costs[group][i][own_thread()], reinterpret_cast<const Bytes*>(costs[i]));
        uint32_t* steps = reinterpret_cast<uint32_t*>(&memory.steps[group][own_thread() / SPAN]) + turn;
#pragma unroll
        for (int i = 0; i < UNROLL; i += TURNS)
            if (turn < TURNS && i + turn < left) fetch(steps + i, views.steps + places[i / TURNS]);
        left -= UNROLL;
        fetched();
    }

    // Find where the next steps are, one by one: the line may go on at the other side.
    __device__ __forceinline__ void find_apart(const Course& course, const uint8_t* (&costs)[UNROLL],
                                               int (&places)[UNROLL / TURNS]) {
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            costs[i] = from + later.costs;
            if (i % TURNS == 0 || i % TURNS == turn) places[i / TURNS] = later.place;
            later.advance(course);
        }
    }

    // Find where the next steps are, at the same distance from each other.
    __device__ __forceinline__ void find_in_line(const Course& course, const uint8_t* (&costs)[UNROLL],
                                                 int (&places)[UNROLL / TURNS]) {
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            costs[i] = from + later.costs + i * course.strides;
#pragma unroll
        for (int i = 0; i < UNROLL; i += TURNS)
            places[i / TURNS] = later.place + (i + turn) * course.stride;
        later.x += UNROLL * course.dx;
        later.place += UNROLL * course.stride;
        later.costs += UNROLL * course.strides;
    }
};

// A group of steps as it arrived, in registers.
template <class Bytes>
struct Group {
    Bytes bytes[UNROLL];     // matching costs
    uint32_t words[UNROLL];  // what else a step takes of its pixel

    template <int WORDS, int SPAN>
    __device__ __forceinline__ Group(const Fetched<WORDS, SPAN>& memory, int group) {
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            bytes[i] = memory.costs[group][i][own_thread()];
        __syncwarp();  // what the pixel's other lanes fetched is there, too
        const uint4 quad = memory.steps[group][own_thread() / SPAN];
        words[0] = quad.x;
        words[1] = quad.y;
        words[2] = quad.z;
        words[3] = quad.w;
    }
};

// Lines begin at the border of the image.
struct Border {
    static constexpr bool CONTINUES = false;
};

// Lines continue those of the row before the band: its path costs (null at the border), and its steps.
struct Before {
    static constexpr bool CONTINUES = true;
    const uint8_t* costs;
    const uint32_t* steps;

    template <int WORDS, int SPAN, class Course>
    __device__ void begin(uint32_t (&path)[WORDS], uint32_t& smallest, int& grey, const Course& course, int x,
                          const Lane& lane, int disparities) const {
        const int from = x - course.dx;
        const bool exists = costs && 0 <= from && from < course.lines;
        Stored<PATH_COST> kept;
        kept.load(costs, int64_t(from) * disparities + 2 * lane.first, exists);
        kept.unpack(path);
        smallest = of_pixel<SPAN>(own_minimum(path) | lane.absent);
        if (exists) grey = grey_of(steps[from]);
    }
};

// Walk a line of a direction; `volume` takes its path costs: all, or those of the ENDS of stretches of a row.
template <int WORDS, int SPAN, bool ENDS, class Course, class Start = Border>
__device__ void walk(const Views& views, const Course& course, uint8_t* volume, const Penalties& penalties,
                     int index, Fetched<WORDS, SPAN>& memory, const Start& start = Start()) {
    constexpr int GROUPS = Fetched<WORDS, SPAN>::GROUPS;
    const int line = min(index, course.lines - 1);  // a surplus line repeats the last
    const Lane lane(own_thread() % SPAN, WORDS, views.disparities / 2);
    const bool stores = lane.active && index < course.lines;
    uint8_t* to = volume + 2 * lane.first * sizeof(PATH_COST);
    Pixel<Course> now(course, line, views.disparities);
    const RowEnds ends(course.lines, course.steps, views.disparities);
    Prefetch<WORDS, SPAN, Course> prefetch = {now, course.steps, views.costs + 2 * lane.first,
                                              own_thread() % SPAN};
    uint32_t path[WORDS] = {}, smallest = 0;  // as before the image
    int before = 0;
    bool begins = false;
    if constexpr (Start::CONTINUES)
        start.template begin<WORDS, SPAN>(path, smallest, before, course, now.x, lane, views.disparities);
#pragma unroll
    for (int group = 0; group < GROUPS - 1; ++group)
        prefetch.begin(views, course, memory, group);
    for (int ahead = course.steps, group = 0; ahead > 0; ahead -= UNROLL) {
        arrive<GROUPS - 2>();
        const Group<typename Fetched<WORDS, SPAN>::Bytes> taken(memory, group);
        prefetch.begin(views, course, memory, group == 0 ? GROUPS - 1 : group - 1);
        group = group == GROUPS - 1 ? 0 : group + 1;
        lower(path, smallest);
        smallest = 0;
#pragma unroll
        for (int i = 0; i < UNROLL; ++i) {
            uint32_t costs[WORDS], penalty = penalties.large;
            words_of(costs, taken.bytes[i].pairs);
            if constexpr (ADAPTIVE) {
                const int grey = grey_of(taken.words[i]);
                penalty = penalties.by_change[abs(grey - before) & 255];  // past the line's end, any
                before = grey;
            }
            if (begins) penalty = smallest = 0;
            const uint32_t excess = smallest;
            carry<WORDS, SPAN>(path, smallest, costs, least_of(taken.words[i]), penalty, penalties.small,
                               lane);
            const int64_t place = ENDS ? ends.place(0, line, now.x / STRETCH) : now.costs;
            if (!ENDS || RowEnds::keeps(now.x, course.dx))
                store<PATH_COST>(to + place * sizeof(PATH_COST), path, excess, stores && i < ahead);
            begins = now.advance(course);
        }
    }
    arrive<0>();
}
