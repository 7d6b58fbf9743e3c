// Keys of peaks, which pixels can be one, and what becomes of those chosen. Include after common.cuh.
//
// A peak's key is its score above its place, so that of two keys the larger one is that of the pixel that
// beats the other, and one atomic maximum decides both.

constexpr int64_t ABSENT = int64_t(uint64_t(1) << 63);  // below every key

// The bits of a float, as an integer that compares as the float does; scores are never -0.
__device__ inline int ordered(int bits) { return bits < 0 ? bits ^ 0x7fffffff : bits; }

// Places are counted down: of equal scores the first pixel has the largest key.
__device__ inline int64_t key_of(float score, uint64_t place) {
    const uint64_t high = uint32_t(ordered(__float_as_int(score)));
    return int64_t(high << 32 | (0xffffffff - place));
}

__device__ inline uint32_t place_of(int64_t key) { return 0xffffffff - uint32_t(key); }

__device__ bool is_highest(const float* scores, int y, int x, int height, int width) {
    const int64_t own = key_of(scores[at(y, x, width)], at(y, x, width));
    for (int row = max(y - 1, 0); row <= min(y + 1, height - 1); ++row)
        for (int column = max(x - 1, 0); column <= min(x + 1, width - 1); ++column)
            if (key_of(scores[at(row, column, width)], at(row, column, width)) > own) return false;
    return true;
}

// Whether two places are less than half the template apart along both axes.
__device__ inline bool are_close(uint32_t place, uint32_t other, int width, int template_width,
                                 int template_height) {
    const int dy = int(place / width) - int(other / width), dx = int(place % width) - int(other % width);
    return 2 * abs(dx) < template_width && 2 * abs(dy) < template_height;
}

__device__ float offset(float before, float after) {
    const float curvature = __fadd_rn(before, after);
    if (curvature == 0) return 0;
    return __fdiv_rn(__fsub_rn(before, after), __fmul_rn(2, curvature));
}

// Write place, score and box of the peak that a key tells of; what stands for none, if it is ABSENT.
__device__ inline void refine(const float* scores, int64_t key, float* peak, int32_t* box, int height,
                              int width, int template_width, int template_height, int top, int start) {
    const bool present = key != ABSENT;
    const int y = present ? place_of(key) / width : 0, x = present ? place_of(key) % width : 0;
    const float* score = scores + at(y, x, width);
    const bool along = 0 < x && x < width - 1, down = 0 < y && y < height - 1;
    const float own = *score, left = score[along ? -1 : 0], right = score[along ? 1 : 0];
    const float above = score[down ? -width : 0], below = score[down ? width : 0];  // all asked for at once
    const float dx = along ? offset(__fsub_rn(left, own), __fsub_rn(right, own)) : 0;
    const float dy = down ? offset(__fsub_rn(above, own), __fsub_rn(below, own)) : 0;
    peak[0] = present ? __fadd_rn(x, dx) : 0;
    peak[1] = present ? __fadd_rn(y, dy) : 0;
    peak[2] = present ? own : 0;
    peak[3] = present;
    box[0] = present ? x + start : 0;
    box[1] = present ? y + top : 0;
    box[2] = present ? x + start + template_width - 1 : -1;
    box[3] = present ? y + top + template_height - 1 : -1;
}
