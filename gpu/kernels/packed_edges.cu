// Strong and weak local maxima of the gradient, a bit a pixel.  Computes gpu.reference.gradient,
// non_maximum_suppression, manual_thresholds and edge_seeds of convention opencv in one pass.
//
// A thread walks down ROWS rows of eight pixels. It asks for all the rows that it needs before it uses the first; what
// lies left and right comes from the lanes beside it. Gradients and magnitudes stay in registers, three rows of
// them at a time, and of each row go two bytes out.
//
// Launch: block (32 * WARPS), a warp for ROWS rows of 256 columns.
// Build: APERTURE is 3, 5 or 7, SMOOTHING and DERIVATIVE are its Sobel weights, SQUARED whether gx^2 + gy^2 is
// compared, ALIGNED_ROWS whether every row begins at a multiple of eight bytes. `low` and `high` are in the unit
// that is compared; but without squares, at aperture 3, two half-precision numbers each.

#include "common.cuh"
#include "grey.cuh"
#include "halves.cuh"
#include "maxima_halves.cuh"
#include "maxima_whole.cuh"

constexpr uint32_t ALL = 0xFFFFFFFF;  // every lane of a warp takes part in every shuffle
constexpr int BLOCKS = APERTURE > 3 ? 3 : SQUARED ? 4 : 5;  // of a multiprocessor, at least
constexpr int READ = ROWS + 2 + 2 * RADIUS;

// Four pixels of a row from column x on; beyond the last column its pixel.
__device__ inline uint32_t four_of(const Grey& grey, uint64_t row, int x) {
    if (x >= grey.width) return grey.image[row + grey.width - 1] * 0x01010101u;
    if (grey.has_four<false>(row, x)) return grey.four<false>(row, x);
    uint32_t levels = 0;
    for (int k = 3; k >= 0; --k)
        levels = levels << 8 | grey.image[row + min(x + k, grey.width - 1)];
    return levels;
}

// What a thread reads: eight pixels of each row from column x on and, where no lane of the warp has them, the four
// before or after. With ALIGNED_ROWS, pixels beyond the last column are whatever there is.
struct Read {
    uint2 levels[READ];
    uint32_t beyond[READ];

    __device__ void rows(const Grey& grey, int first, int x, int lane) {
        const bool before = lane == 0 && x > 0, after = lane == 31 && x + 8 < grey.width;
        const int side = before ? x - 4 : x + 8;
#pragma unroll
        for (int i = 0; i < READ; ++i) {
            const uint64_t row = grey.row(first + i);
            beyond[i] = 0;
            if (ALIGNED_ROWS) {
                const uint8_t* from = grey.image + row;
                levels[i] = *reinterpret_cast<const uint2*>(from + min(x, grey.width - 8));
                if (before || after) beyond[i] = *reinterpret_cast<const uint32_t*>(from + side);
            } else {
                levels[i] = make_uint2(four_of(grey, row, x), four_of(grey, row, x + 4));
                if (before || after) beyond[i] = four_of(grey, row, side);
            }
        }
        __syncwarp();
    }
};

extern "C" __launch_bounds__(32 * WARPS, BLOCKS) __global__
    void packed_edges(const uint8_t* __restrict__ blurred, uint32_t* __restrict__ weak_bits,
                      uint32_t* __restrict__ strong_bits, int height, int width, int low, int high) {
    const int lane = threadIdx.x % 32, x = (blockIdx.x * 32 + lane) * 8;
    const int first = (blockIdx.y * WARPS + threadIdx.x / 32) * ROWS;
    if (first >= height) return;
    const Grey grey{blurred, height, width};
    Read read;
    read.rows(grey, first - 1 - RADIUS, x, lane);
    const int bytes = (width + 31) / 32 * 4;  // of a row of bits
    const uint32_t valid = x + 8 <= width ? 0xFF : x < width ? (1u << (width - x)) - 1 : 0;
    Row rows[APERTURE];
    Line lines[3];
#pragma unroll
    for (int i = 0; i < READ; ++i) {
        const uint2 levels = read.levels[i];
        uint32_t before = __shfl_up_sync(ALL, levels.y, 1), after = __shfl_down_sync(ALL, levels.x, 1);
        if (lane == 0) before = x > 0 ? read.beyond[i] : permuted(levels.x, 0, 0x0000);
        if (lane == 31) after = read.beyond[i];
        if (x + 8 >= width) after = permuted(levels.y, 0, 0x3333);
        rows[i % APERTURE] = Row(before, levels.x, levels.y, after);
        const int turn = i - 2 * RADIUS, y = first - 1 + turn;
        if (turn < 0) continue;
        Line& line = lines[turn % 3];
        line = Line([&](int k) -> const Row& { return rows[(turn + k) % APERTURE]; });
        if (y < 0 || y >= height) line.clear_outside([](int) { return false; });
        if (x == 0 || x + 8 >= width)
            line.clear_outside([=](int k) { return 0 <= x - 1 + k && x - 1 + k < width; });
        line.finish();
        if (turn < 2) continue;
        const uint32_t found = maxima(lines[(turn - 2) % 3], lines[(turn - 1) % 3], line, low, high);
        if (y - 1 < height && x / 8 < bytes) {
            const uint64_t place = at(y - 1, x / 8, bytes);
            reinterpret_cast<uint8_t*>(weak_bits)[place] = found & valid;
            reinterpret_cast<uint8_t*>(strong_bits)[place] = found >> 8 & valid;
        }
    }
}
