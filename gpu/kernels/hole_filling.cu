// Hole filling.  Computes gpu.reference.hole_filling.
//
//   hole_masks     a bit a pixel, set where it is valid: 32 pixels of a row make a word, and 32 rows of a line that leads
//                  down, or down to one of the sides
//   hole_filling   finds what surrounds each hole
//
// A hole steps over 32 pixels at once where none is valid: in a bare wall or sky the next one is far away. A diagonal
// line is named by the column where it would cross the first row of a band of 32 rows.
//
// Launch: hole_masks: block (WORD, any), a thread a line of a band, a warp WORD of them; grid z: lines to the left, down and
//         to the right. There are SPAN more lines than columns: diagonal ones begin outside.
//         hole_filling: one thread a pixel.
// Build: WORD is how many bits a word has (32), SUBPIXEL_STEPS how many stored steps a pixel, SLACK by how many
// pixels an occlusion may be wider than its step.

#include "common.cuh"

enum { SPAN = 2 * (WORD - 1), NOTHING = 0x7FFF };  // NOTHING lies above every disparity

struct Masks {
    int height, width, words, bands;

    __device__ Masks(int height, int width)
        : height(height), width(width), words((width + WORD - 1) / WORD), bands((height + WORD - 1) / WORD) {}

    // The word of 32 pixels of a row.
    __device__ uint64_t across(int y, int word) const { return at(y, word, words); }

    // The word of a band's rows along the line that leads `dx` to the right a row. `column` lies within WORD - 1
    // of the image.
    __device__ uint64_t down(int dx, int band, int column) const {
        return at(height, 0, words) + at((dx + 1) * bands + band, column + WORD - 1, width + SPAN);
    }
};

extern "C" __global__ void hole_masks(const int16_t* __restrict__ filtered, uint32_t* __restrict__ masks,
                                      int height, int width, int min_disparity) {
    wait_for_previous();
    // The first warp begins outside: its lanes then have the columns of a word of a row.
    const int lane = threadIdx.x, word = int(blockIdx.x) - 1, column = word * WORD + lane;
    const int band = blockIdx.y * blockDim.y + threadIdx.y, dx = int(blockIdx.z) - 1;
    const Masks place(height, width);
    if (band >= place.bands) return;
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS;
    uint32_t down = 0, across = 0;
#pragma unroll
    for (int i = 0; i < WORD; ++i) {
        const int y = band * WORD + i, x = column + dx * i;
        const bool inside = y < height && 0 <= x && x < width;
        const bool valid = inside && filtered[at(y, x, width)] != invalid;
        down |= uint32_t(valid) << i;
        const uint32_t row = __ballot_sync(0xFFFFFFFF, valid);
        if (lane == i) across = row;
    }
    if (dx == 0 && 0 <= word && word < place.words && band * WORD + lane < height)
        masks[place.across(band * WORD + lane, word)] = across;
    if (-WORD < column && column < width + WORD - 1) masks[place.down(dx, band, column)] = down;
}

// The last bit set before a position of a line, or -1; `word(i)` is the line's i-th word.
template <class Word>
__device__ int before(Word word, int position) {
    int i = position / WORD;
    uint32_t mask = word(i) & ((1u << position % WORD) - 1);
    while (mask == 0 && i > 0)
        mask = word(--i);
    return mask != 0 ? i * WORD + WORD - 1 - __clz(mask) : -1;
}

// The first bit set after a position of a line of so many words, or -1.
template <class Word>
__device__ int after(Word word, int position, int words) {
    int i = position / WORD;
    uint32_t mask = word(i) & ~((2u << position % WORD) - 1);
    while (mask == 0 && ++i < words)
        mask = word(i);
    return mask != 0 ? i * WORD + __ffs(mask) - 1 : -1;
}

// The median of those found, of an even number the lower one; the values are sorted on the way. Unrolled, so that
// they stay in registers.
__device__ inline int median(int (&found)[8], int invalid) {
    int count = 0, result = invalid;
#pragma unroll
    for (int i = 0; i < 8; ++i)
        count += found[i] != NOTHING;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int k = i + 1; k < 8; ++k) {
            const int larger = max(found[i], found[k]);
            found[i] = min(found[i], found[k]);
            found[k] = larger;
        }
        if (count > 0 && i == (count - 1) / 2) result = found[i];
    }
    return result;
}

__device__ inline int fill(const int16_t* __restrict__ filtered, const uint32_t* __restrict__ masks, int y,
                           int x, int height, int width, int invalid) {
    const Masks place(height, width);
    const auto row = [=](int i) { return masks[place.across(y, i)]; };
    const int left = before(row, x), right = after(row, x, place.words);
    int found[8];
    found[0] = left >= 0 ? filtered[at(y, left, width)] : NOTHING;
    found[1] = right >= 0 ? filtered[at(y, right, width)] : NOTHING;
    if (right >= 0) {
        const bool edge = found[1] > x * SUBPIXEL_STEPS;  // the right surface, continued, is out of sight
        if (left < 0 || edge) return found[1];
        const int step = found[1] - found[0];
        if (step > SUBPIXEL_STEPS && (right - left - 1 - SLACK) * SUBPIXEL_STEPS <= step) return found[0];
    }
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
        const int column = x - dx * y;  // where the line would cross the first row
        const auto line = [=](int i) {
            const int start = column + dx * i * WORD;
            return -WORD < start && start < width + WORD - 1 ? masks[place.down(dx, i, start)] : 0;
        };
        const int up = before(line, y), down = after(line, y, place.bands);
        found[2 * dx + 4] = up >= 0 ? filtered[at(up, column + dx * up, width)] : NOTHING;
        found[2 * dx + 5] = down >= 0 ? filtered[at(down, column + dx * down, width)] : NOTHING;
    }
    return median(found, invalid);
}

extern "C" __global__ void hole_filling(const int16_t* __restrict__ filtered,
                                        const uint32_t* __restrict__ masks, int16_t* __restrict__ disparity,
                                        int height, int width, int min_disparity) {
    wait_for_previous();
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int invalid = (min_disparity - 1) * SUBPIXEL_STEPS, value = filtered[at(y, x, width)];
    disparity[at(y, x, width)] =
        value != invalid ? value : fill(filtered, masks, y, x, height, width, invalid);
}
