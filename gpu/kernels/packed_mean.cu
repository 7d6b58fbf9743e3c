// Mean filter, eight pixels a thread, two sums an instruction.  Computes gpu.reference.mean_filter.
//
// A warp walks down ROWS rows of 240 pixels; its first and its last lane only hold what the windows of others
// reach into. A lane keeps the sums of its eight columns, adds the row that enters the windows and subtracts the
// one that leaves them; what lies beside its columns it asks of its neighbours, or mirrors its own. Windows then
// slide along the columns, two pixels at a time.
//
// Pair k holds column 2 k in its low half, 2 k + 1 in its high one. Sums fit: of a column they are at most
// 15 * 255, of a window 225 * 255, and additions of whole words carry nothing from half to half.
//
// All rows of a thread are asked for before the first one is used, and a quotient is the upper byte of a
// product: (sum + half) / area = (sum + half) * ceil(2^24 / area) >> 24, for every sum there is.
//
// Launch: one-dimensional blocks of WARPS warps; the grid covers warps of 240 pixels along x, blocks of
// WARPS * ROWS rows along y. The image has more rows than RADIUS.
// Build: CONVENTION is opencv or blog. ALIGNED is 1 if the width is a multiple of eight.

#include "common.cuh"
#include "mirror.cuh"
#include "unaligned.cuh"

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane takes part in every shuffle
constexpr int PIXELS = 8, OWN = 30 * PIXELS;
constexpr uint32_t AREA = (2 * RADIUS + 1) * (2 * RADIUS + 1);
constexpr uint32_t RECIPROCAL = ((1 << 24) + AREA - 1) / AREA;

// How a mean is rounded, and whether windows that leave the image have one; otherwise theirs is 0.
struct opencv {
    static const bool mirrors = true;
    static const uint32_t half = AREA / 2;
};

struct blog {
    static const bool mirrors = false;
    static const uint32_t half = 0;
};

__device__ inline void add(uint32_t (&sums)[4], uint2 row) {
    sums[0] += __byte_perm(row.x, 0, 0x4140), sums[1] += __byte_perm(row.x, 0, 0x4342);
    sums[2] += __byte_perm(row.y, 0, 0x4140), sums[3] += __byte_perm(row.y, 0, 0x4342);
}

__device__ inline void subtract(uint32_t (&sums)[4], uint2 row) {
    sums[0] -= __byte_perm(row.x, 0, 0x4140), sums[1] -= __byte_perm(row.x, 0, 0x4342);
    sums[2] -= __byte_perm(row.y, 0, 0x4140), sums[3] -= __byte_perm(row.y, 0, 0x4342);
}

// A row that the image has, in place of one at most RADIUS beyond it.
__device__ inline int mirrored(int row, int height) {
    row = abs(min(row, height - 1 + RADIUS));
    return row < height ? row : 2 * (height - 1) - row;
}

// The pixels of the windows of a thread's ROWS rows.
__device__ inline void ask_for(uint2 (&rows)[ROWS + 2 * RADIUS], const uint8_t* __restrict__ image, int y,
                               int x, int height, int width) {
    const auto row = [=](int i) { return image + at(mirrored(y + i - RADIUS, height), 0, width); };
    if (ALIGNED) {
        const int column = clamp(x, 0, width - PIXELS);
#pragma unroll
        for (int i = 0; i < ROWS + 2 * RADIUS; ++i)
            rows[i] = *reinterpret_cast<const uint2*>(row(i) + column);
    } else if (0 <= x && x + PIXELS <= width) {
#pragma unroll
        for (int i = 0; i < ROWS + 2 * RADIUS; ++i)
            rows[i] = eight_bytes(row(i) + x);
    } else {  // pixel by pixel, where the image ends and begins to be mirrored
        int columns[PIXELS];
#pragma unroll
        for (int k = 0; k < PIXELS; ++k)
            columns[k] = reflected(clamp(x, 0, width + PIXELS) + k, width);
#pragma unroll
        for (int i = 0; i < ROWS + 2 * RADIUS; ++i) {
            uint32_t words[2] = {0, 0};
#pragma unroll
            for (int k = 0; k < PIXELS; ++k)
                words[k / 4] |= uint32_t(row(i)[columns[k]]) << 8 * (k % 4);
            rows[i] = make_uint2(words[0], words[1]);
        }
    }
    __syncwarp();
}

// Sums of a lane's columns and of those beside it, from column -8 on: pairs that begin at even columns.
__device__ inline void with_neighbours(uint32_t (&even)[12], const uint32_t (&sums)[4], int x, int width) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        even[k] = RADIUS >= 7 - 2 * k ? __shfl_up_sync(ALL, sums[k], 1) : 0;
        even[4 + k] = sums[k];
        even[8 + k] = RADIUS > 2 * k ? __shfl_down_sync(ALL, sums[k], 1) : 0;
    }
    if (x == 0) {
        even[3] = __byte_perm(sums[0], sums[1], 0x3254);
        even[2] = __byte_perm(sums[1], sums[2], 0x3254);
        even[1] = __byte_perm(sums[2], sums[3], 0x3254);
        even[0] = __byte_perm(sums[3], sums[3], 0x3232);
    }
    if (ALIGNED && x + PIXELS == width) {
        even[8] = __byte_perm(sums[2], sums[3], 0x3254);
        even[9] = __byte_perm(sums[1], sums[2], 0x3254);
        even[10] = __byte_perm(sums[0], sums[1], 0x3254);
        even[11] = __byte_perm(sums[0], sums[0], 0x1010);
    }
}

// The means of eight windows, from the sums of columns.
__device__ inline uint2 means(const uint32_t (&even)[12]) {
    uint32_t odd[11];  // pairs that begin at odd columns, from -7 on
#pragma unroll
    for (int k = 0; k < 11; ++k)
        odd[k] = __byte_perm(even[k], even[k + 1], 0x5432);
    const auto pair = [&](int column) { return column & 1 ? odd[(column + 7) / 2] : even[(column + 8) / 2]; };
    uint32_t window = 0, quotients[4];
#pragma unroll
    for (int column = -RADIUS; column <= RADIUS; ++column)
        window += pair(column);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int entering = 2 * k + RADIUS, leaving = 2 * k - RADIUS - 1;
        if (k > 0) {
            window += pair(entering) + pair(entering - 1);
            window -= pair(leaving) + pair(leaving - 1);
        }
        const uint32_t low = (window & 0xFFFF) * RECIPROCAL + CONVENTION::half * RECIPROCAL;
        const uint32_t high = (window >> 16) * RECIPROCAL + CONVENTION::half * RECIPROCAL;
        quotients[k] = __byte_perm(low, high, 0x0073);
    }
    return make_uint2(__byte_perm(quotients[0], quotients[1], 0x5410),
                      __byte_perm(quotients[2], quotients[3], 0x5410));
}

// Bytes of which windows lie in the image, in eight pixels from column x on.
__device__ inline uint2 whole_windows(int x, int width) {
    uint32_t words[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < PIXELS; ++k)
        if (x + k >= RADIUS && x + k < width - RADIUS) words[k / 4] |= 0xFFu << 8 * (k % 4);
    return make_uint2(words[0], words[1]);
}

// Store a warp's row. Where rows do not begin at multiples of eight bytes, each lane stores the word that begins
// in the pixels of the lane before it, or what of that word is the warp's.
__device__ inline void store(uint8_t* __restrict__ row, uint2 pixels, int x, int width) {
    const int first = blockIdx.x * OWN, last = min(first + OWN, width);
    if (ALIGNED) {
        if (x >= first && x < last) *reinterpret_cast<uint2*>(row + x) = pixels;
        return;
    }
    const int later = reinterpret_cast<uint64_t>(row) & 7, begin = x - later;
    const uint2 before = make_uint2(__shfl_up_sync(ALL, pixels.x, 1), __shfl_up_sync(ALL, pixels.y, 1));
    const uint2 word = moved_back(before, pixels, later);
    if (begin >= first && begin + PIXELS <= last)
        *reinterpret_cast<uint2*>(row + begin) = word;
    else
#pragma unroll
        for (int k = 0; k < PIXELS; ++k)
            if (begin + k >= first && begin + k < last)
                row[begin + k] = (k < 4 ? word.x : word.y) >> 8 * (k % 4);
    __syncwarp();
}

extern "C" __launch_bounds__(32 * WARPS) __global__
    void packed_mean(const uint8_t* __restrict__ left, uint8_t* __restrict__ mean, int height, int width) {
    wait_for_previous();
    const int lane = threadIdx.x & 31, top = (blockIdx.y * WARPS + (threadIdx.x >> 5)) * ROWS;
    if (top >= height) return;  // a whole warp
    const int x = int(blockIdx.x) * OWN + (lane - 1) * PIXELS;
    uint2 rows[ROWS + 2 * RADIUS];
    ask_for(rows, left, top, x, height, width);
    const uint2 whole = whole_windows(x, width);
    uint32_t sums[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 2 * RADIUS; ++i)
        add(sums, rows[i]);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int y = top + i;
        add(sums, rows[i + 2 * RADIUS]);
        uint32_t even[12];
        with_neighbours(even, sums, x, width);
        uint2 pixels = means(even);
        if (!CONVENTION::mirrors) {
            const bool row = y >= RADIUS && y < height - RADIUS;
            pixels = row ? make_uint2(pixels.x & whole.x, pixels.y & whole.y) : make_uint2(0, 0);
        }
        if (y < height) store(mean + at(y, 0, width), pixels, x, width);  // all lanes, or none
        subtract(sums, rows[i]);
    }
}
