// Find peaks among what groups of pixels list.  Computes gpu.reference.find_peaks.
//
//   packed_peaks_list      what packed_correlation lists itself, from scores that other kernels wrote
//   packed_peaks_choose    the best of them that lie apart, their place and box
//
// List. A warp has every eighth row of 128 pixels of the block's group; see candidates.cuh.
//
// Choose. A warp has the candidates of some groups, and its lanes hold them in registers, so that a round waits for no
// memory: the block agrees on the best of all, and every warp drops what is close to it. Of more than it can hold, a
// warp has the best, and looks for another one where that is close. Whether a pixel at its group's border is a peak is
// asked only if it is the best of all; if it is none, all that are none are dropped at once, so that no long row of such
// pixels is met one by one.
//
// Launch: packed_peaks_list: blocks of (THREADS) for 128 x 64 pixels.
//         packed_peaks_choose: one block of whole warps, CHOOSERS threads at most.

#include "common.cuh"
#include "peaks.cuh"
#include "warp.cuh"
#include "candidates.cuh"

extern "C" __global__ void packed_peaks_list(const float32_t* __restrict__ scores,
                                             int64_t* __restrict__ listed_keys, int32_t* __restrict__ listed,
                                             int height, int width, float threshold) {
    wait_for_previous();
    let_next_come();  // packed_peaks_choose: one block
    __shared__ uint4 tile[TILE_HEIGHT * TILE_WIDTH / 4];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int first_row = blockIdx.y * TILE_HEIGHT, x = blockIdx.x * TILE_WIDTH + TOGETHER * lane;
    uint32_t* column = reinterpret_cast<uint32_t*>(tile + lane);
    uint32_t kept = 0;
    for (int row = warp; row < min(TILE_HEIGHT, height - first_row); row += WARPS) {
        float32_t four[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k)
            four[k] = scores[at(first_row + row, min(x + k, width - 1), width)];
        if (keep_row(column, row, four, x, width, threshold)) kept |= 1u << row / WARPS;
    }
    list_candidates(column, kept, listed_keys, listed, width, threshold);
}

// The larger one of 64 bits, by halves.
__device__ inline int64_t largest_key(int64_t key) {
    constexpr uint32_t SIGN = 0x80000000;
    const int32_t high = largest_of_warp(int32_t(key >> 32));
    const uint32_t low = int32_t(key >> 32) == high ? uint32_t(key) : 0;
    const uint32_t largest = uint32_t(largest_of_warp(int32_t(low ^ SIGN))) ^ SIGN;
    return int64_t(uint64_t(uint32_t(high)) << 32 | largest);
}

// Key and place of a pixel that can be a peak.
struct Candidate {
    int64_t key;
    int y, x;
};

__device__ inline Candidate candidate_of(int64_t key, int width) {
    const uint32_t place = place_of(key);
    return {key, int(place / width), int(place % width)};
}

// How near two places on one axis may be to be close: less than half the template.
__device__ inline bool near(int a, int b, int side) { return 2 * abs(a - b) < side; }

// The scores, and the template that they are of.
struct Searched {
    const float32_t* scores;
    int height, width, template_width, template_height;
};

__device__ inline bool are_close(const Candidate& a, int y, int x, const Searched& image) {
    return near(a.x, x, image.template_width) && near(a.y, y, image.template_height);
}

// Whether a neighbour beyond the group beats a pixel. All are asked for at once: at the image's border the nearest
// pixel stands in, which is another neighbour or the pixel itself.
__device__ inline bool is_beaten(const Candidate& pixel, const Searched& image) {
    const bool at_border =
        (pixel.x + 1) % TILE_WIDTH <= 1 || (pixel.y + 1) % TILE_HEIGHT <= 1;  // the first or the last
    if (!at_border) return false;
    bool beaten = false;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int y = clamp(pixel.y + k / 3 - 1, 0, image.height - 1);
        const int x = clamp(pixel.x + k % 3 - 1, 0, image.width - 1);
        const uint64_t place = at(y, x, image.width);
        beaten |= key_of(image.scores[place], place) > pixel.key;
    }
    return beaten;
}

// The candidates of a warp: those of EACH groups a lane, one group after the other.
struct Candidates {
    const int64_t* listed_keys;
    const int32_t* listed;
    int first_group, each;  // of the warp; of a lane
    int before, total;      // candidates of the lanes before; of the warp

    __device__ Candidates(const int64_t* listed_keys, const int32_t* listed, int group_count)
        : listed_keys(listed_keys), listed(listed) {
        const int lane = threadIdx.x & 31;
        each = (group_count + blockDim.x - 1) / blockDim.x;
        first_group = (threadIdx.x - lane) * each;
        int count = 0;
        for (int group = first_group + lane * each; group < min(first_group + (lane + 1) * each, group_count);
             ++group)
            count += listed[group];
        before = count;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int other = __shfl_up_sync(ALL, before, distance);
            before += lane >= distance ? other : 0;
        }
        total = __shfl_sync(ALL, before, 31);
        before -= count;
    }

    // One of the warp's candidates; beyond the last, none. All lanes must ask, each for any.
    __device__ int64_t key(int index) const {
        int owner = 0;  // the last lane that no more than `index` lie before
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
            if (__shfl_sync(ALL, before, owner + step) <= index) owner += step;
        int place = index - __shfl_sync(ALL, before, owner), group = first_group + owner * each;
        if (index >= total) return ABSENT;
        if (each > 1)
            for (; place >= listed[group]; ++group)
                place -= listed[group];
        return listed_keys[uint64_t(group) * ROOM + place];
    }
};

// Of a warp's candidates, so many are in registers of a lane, and so many looked at without a branch.
constexpr int HELD = 10, AT_ONCE = 2;

// Do something for all candidates that a warp holds, of which there are `total` or more: `each(k)` for the lane's k-th.
template <class Each>
__device__ void for_held(int total, Each each) {
#pragma unroll
    for (int first = 0; first < HELD; first += AT_ONCE) {
        if (32 * first >= total) break;  // for the whole warp
#pragma unroll
        for (int k = first; k < first + AT_ONCE; ++k)
            each(k);
    }
}

// The best of the candidates that a warp cannot hold, of those that are close to no peak; lane k knows peak k.
__device__ inline int64_t best_of_rest(const Candidates& candidates, int64_t noted, int rank, bool doubting,
                                       const Searched& image) {
    int64_t best = ABSENT;
    for (int first = 32 * HELD; first < candidates.total; first += 32) {
        const int64_t key = candidates.key(first + (threadIdx.x & 31));
        const Candidate found = candidate_of(key, image.width);
        bool close = false;
        for (int k = 0; k < rank; ++k) {
            const uint32_t low = __shfl_sync(ALL, uint32_t(noted), k);
            const Candidate peak = candidate_of(int64_t(low), image.width);
            close |= are_close(found, peak.y, peak.x, image);
        }
        if (key > best && !close && !(doubting && is_beaten(found, image))) best = key;
        __syncwarp();
    }
    return largest_key(best);
}

extern "C" __launch_bounds__(CHOOSERS) __global__
    void packed_peaks_choose(const float32_t* __restrict__ scores, const int64_t* __restrict__ listed_keys,
                             const int32_t* __restrict__ listed, float32_t* __restrict__ peaks,
                             int32_t* __restrict__ boxes, int height, int width, int template_width,
                             int template_height, int top, int start, int peak_count, int most_peaks) {
    wait_for_previous();
    let_next_come();  // the next frame: nothing else has work for the multiprocessors
    __shared__ int64_t of_warps[2][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x / 32;
    const int across = (width + TILE_WIDTH - 1) / TILE_WIDTH, down = (height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    const Searched image = {scores, height, width, template_width, template_height};
    const Candidates candidates(listed_keys, listed, across * down);
    const int total = candidates.total;
    const int last_group = candidates.first_group + 32 * candidates.each - 1;
    const int first_row = candidates.first_group / across * TILE_HEIGHT;
    const int last_row = last_group / across * TILE_HEIGHT + TILE_HEIGHT - 1;
    int64_t held[HELD];
    for_held(total, [&](int k) { held[k] = candidates.key(32 * k + lane); });
    bool doubting = false, changes = true;
    int64_t noted = ABSENT;  // the peak whose rank is the lane
    int64_t rest = best_of_rest(candidates, noted, 0, doubting, image), of_warp = ABSENT;
    for (int rank = 0, round = 0; rank < peak_count; ++round) {
        if (changes) {
            int64_t best = rest;
            for_held(total, [&](int k) { best = max(best, held[k]); });
            of_warp = largest_key(best);
        }
        if (lane == 0) of_warps[round % 2][warp] = of_warp;
        __syncthreads();
        const int64_t of_all = largest_key(lane < warps ? of_warps[round % 2][lane] : ABSENT);
        if (of_all == ABSENT) break;  // for every thread
        const Candidate peak = candidate_of(of_all, width);
        const bool beaten = is_beaten(peak, image);
        if (!beaten && lane == rank) noted = of_all;
        doubting |= beaten, rank += !beaten;
        // A warp all of whose rows are too far away has nothing to drop.
        changes = beaten || near(peak.y, clamp(peak.y, first_row, last_row), template_height);
        if (!changes) continue;
        const auto beaten_too = [&](int64_t key) { return is_beaten(candidate_of(key, width), image); };
        const auto close = [&](int64_t key) {
            return are_close(candidate_of(key, width), peak.y, peak.x, image);
        };
        if (beaten)
            for_held(total,
                     [&](int k) { held[k] = held[k] != ABSENT && beaten_too(held[k]) ? ABSENT : held[k]; });
        else
            for_held(total, [&](int k) { held[k] = close(held[k]) ? ABSENT : held[k]; });
        if (rest != ABSENT && (beaten ? beaten_too(rest) : close(rest)))
            rest = best_of_rest(candidates, noted, rank, doubting, image);
    }
    if (threadIdx.x < most_peaks)
        refine(scores, noted, peaks + 4 * threadIdx.x, boxes + 4 * threadIdx.x, height, width, template_width,
               template_height, top, start);
}
