// The pixels of a group that can be a peak, listed by the block that has their scores. Include after peaks.cuh and
// warp.cuh.
//
// A group is what a block has: 128 x 64 pixels. Its rows in which a score reaches the threshold lie in shared memory;
// in others none could be a peak, or beat one. Listed is what beats its neighbours in the group. At the group's border
// a neighbour beyond it may be higher: packed_peaks_choose finds that out.

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane takes part in every shuffle
constexpr int THREADS = 256, WARPS = THREADS / 32;
constexpr int TILE_WIDTH = 128, TILE_HEIGHT = 64;   // of a group; a warp has every eighth row of it
constexpr int TOGETHER = 4;                         // pixels side by side, of a lane
constexpr int ROOM = TILE_WIDTH * TILE_HEIGHT / 4;  // for keys: of 2 x 2 pixels, one beats the others
constexpr float32_t NO_SCORE = -2;                  // below every threshold

// Four scores of a row, those beside them, and the highest about each.
struct Row {
    float32_t four[TOGETHER], left, right, highest[TOGETHER];
};

// Whether one of the warp's scores of a row reaches the threshold: only then the row is kept, in shared memory, where
// `column` is the place of the lane's four in the first row.
__device__ inline bool keep_row(uint32_t* column, int row, const float32_t (&scores)[TOGETHER], int x,
                                int width, float32_t threshold) {
    float32_t inside[TOGETHER], best = NO_SCORE;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        inside[k] = x + k < width ? scores[k] : NO_SCORE;
        best = max(best, inside[k]);
    }
    if (!__any_sync(ALL, best >= threshold)) return false;
    *reinterpret_cast<uint4*>(column + row * TILE_WIDTH) =
        make_uint4(__float_as_int(inside[0]), __float_as_int(inside[1]), __float_as_int(inside[2]),
                   __float_as_int(inside[3]));
    return true;
}

__device__ inline float32_t before(const Row& row, int k) { return k > 0 ? row.four[k - 1] : row.left; }

__device__ inline float32_t behind(const Row& row, int k) {
    return k < TOGETHER - 1 ? row.four[k + 1] : row.right;
}

// A row of the group; of one that was not kept, and beside the group, no scores.
__device__ inline Row row_of_group(const uint32_t* column, int row, bool kept) {
    const int lane = threadIdx.x & 31;
    const uint32_t none = __float_as_int(NO_SCORE);
    uint4 bits = make_uint4(none, none, none, none);
    if (kept) bits = *reinterpret_cast<const uint4*>(column + row * TILE_WIDTH);
    const int left = __shfl_up_sync(ALL, bits.w, 1), right = __shfl_down_sync(ALL, bits.x, 1);
    Row found = {
        {__int_as_float(bits.x), __int_as_float(bits.y), __int_as_float(bits.z), __int_as_float(bits.w)},
        lane == 0 ? NO_SCORE : __int_as_float(left),
        lane == 31 ? NO_SCORE : __int_as_float(right)};
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k)
        found.highest[k] = max(max(before(found, k), behind(found, k)), found.four[k]);
    return found;
}

// A bit for each of four pixels that reaches the threshold and beats its neighbours: of equal scores, the first.
__device__ inline uint32_t candidates_among(const Row& above, const Row& own, const Row& below,
                                            float32_t threshold) {
    uint32_t found = 0;
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        const float32_t score = own.four[k], earlier = max(above.highest[k], before(own, k));
        const float32_t later = max(below.highest[k], behind(own, k));
        if (score >= threshold && score > earlier && score >= later) found |= 1u << k;
    }
    return found;
}

// Lists the keys of the block's group, and how many they are. Of the rows that a warp may have kept,
// every eighth, `kept` has a bit each; it lists the candidates of rows side by side, of which each is read once.
__device__ inline void list_candidates(const uint32_t* column, uint32_t kept,
                                       int64_t* __restrict__ listed_keys, int32_t* __restrict__ listed,
                                       int width, float32_t threshold) {
    constexpr int EACH = TILE_HEIGHT / WARPS;
    __shared__ bool kept_rows[TILE_HEIGHT + 2];  // from the one above the group to the one below
    __shared__ int count;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, first = EACH * warp;
    const int group = blockIdx.y * gridDim.x + blockIdx.x;
    const int first_row = blockIdx.y * TILE_HEIGHT, x = blockIdx.x * TILE_WIDTH + TOGETHER * lane;
    if (lane < EACH) kept_rows[1 + WARPS * lane + warp] = kept >> lane & 1;
    if (threadIdx.x == 0) count = 0, kept_rows[0] = kept_rows[TILE_HEIGHT + 1] = false;
    __syncthreads();
    if (__any_sync(ALL, lane < EACH && kept_rows[1 + first + lane % EACH])) {
        const auto row_at = [&](int row) { return row_of_group(column, row, kept_rows[1 + row]); };
        Row above = row_at(first - 1), own = row_at(first);
#pragma unroll 1  // the code is met once a block: it should be short
        for (int row = first; row < first + EACH; ++row) {
            const Row below = row_at(row + 1);
            uint32_t found = candidates_among(above, own, below, threshold);
            int64_t* keys = listed_keys + uint64_t(group) * ROOM;
            if (found) keys += atomicAdd(&count, __popc(found));
            for (; found; found &= found - 1) {
                const int k = __ffs(found) - 1;
                const float32_t score = __int_as_float(column[row * TILE_WIDTH + k]);
                *keys++ = key_of(score, at(first_row + row, x + k, width));
            }
            __syncwarp();
            above = own, own = below;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) listed[group] = count;
}
