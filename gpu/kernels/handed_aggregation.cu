// Path aggregation of one direction in a band of rows.  Computes gpu.reference.path_aggregation, where the path costs
// `before` are those of the row before the band, in the direction of the path.
//
//   handed_aggregation         a block walks a scanline, with the path costs of the pixel before in shared memory
//   handed_aggregation_sweep   a block computes a pixel of row y, whose two pixels before lie in the row `prior`
//
// Launch: block (up to 1024), threads take the disparities in turns. handed_aggregation: one block for each scanline.
//         handed_aggregation_sweep: one block for each pixel of the row, a launch for each row in order.
//         `first` is the row of the image that the band begins with; `handed` is 0 where nothing lies before.
// Build: as message.cuh says; LEFT is the left view, a pointer or a texture; MAX_DISPARITIES is the most.

#include "common.cuh"
#include "message.cuh"
#include "scanline.cuh"

constexpr int NONE = 0x7FFFFFFF;

__device__ inline int grey_at(const uint8_t* left, int y, int x, int width) { return left[at(y, x, width)]; }
__device__ inline int grey_at(cudaTextureObject_t left, int y, int x, int width) { return texel(left, y, x); }

extern "C" __global__ void handed_aggregation(const LEFT left, const COST* __restrict__ cost,
                                              PATH_COST* __restrict__ path_costs,
                                              const PATH_COST* __restrict__ before, int height, int width,
                                              int disparities, int first, int handed, int p1, int p2, int dx,
                                              int dy) {
    // Two rows in turn, as in path_aggregation_shared.
    __shared__ PATH_COST rows[2][MAX_DISPARITIES];
    __shared__ int minima[2][32];
    Walker pixel(blockIdx.x, height, width, dx, dy);
    const int from = pixel.x - dx, line = blockIdx.x;
    bool continues = handed && dy != 0 && line < width && 0 <= from && from < width;
    int turn = 0, low = NONE, level_before = 0;
    if (continues) {
        level_before = grey_at(left, first + pixel.y - dy, from, width);
        for (int d = threadIdx.x; d < disparities; d += blockDim.x) {
            rows[0][d] = before[at(0, from, width, disparities) + d];
            low = min(low, int(rows[0][d]));
        }
    }
    for (; pixel.inside(); pixel.advance()) {
        const uint64_t place = at(pixel.y, pixel.x, width, disparities);
        const int level = grey_at(left, first + pixel.y, pixel.x, width);
        const int smallest = block_minimum(low, minima[turn]);
        const int penalty = ADAPTATION(p1, p2, abs(level - level_before));
        const PATH_COST* row = rows[turn];
        const auto of_row = [=](int k) -> int { return row[k]; };
        low = NONE;
        for (int d = threadIdx.x; d < disparities; d += blockDim.x) {
            const int sent = continues ? message(of_row, d, disparities, smallest, p1, penalty) : 0;
            const int value = cost[place + d] + sent;
            path_costs[place + d] = value;
            rows[turn ^ 1][d] = value;
            low = min(low, value);
        }
        turn ^= 1;
        level_before = level;
        continues = true;
    }
}

extern "C" __global__ void handed_aggregation_sweep(const LEFT left, const COST* __restrict__ cost,
                                                    PATH_COST* path_costs, const PATH_COST* prior, int width,
                                                    int disparities, int y, int first, int handed, int p1,
                                                    int p2, int dy) {
    __shared__ PATH_COST rows[2][MAX_DISPARITIES];
    __shared__ int minima[2][32];
    const int x = blockIdx.x;
    const uint64_t place = at(y, x, width, disparities);
    if (!handed || width == 1) {  // for the whole block
        for (int d = threadIdx.x; d < disparities; d += blockDim.x)
            path_costs[place + d] = cost[place + d];
        return;
    }
    // Where one of the two lies outside the image the other replaces it.
    const int columns[2] = {x > 0 ? x - 1 : x + 1, x < width - 1 ? x + 1 : x - 1};
    int lows[2] = {NONE, NONE}, penalties[2];
    for (int side = 0; side < 2; ++side) {
        const uint64_t from = at(0, columns[side], width, disparities);
        for (int d = threadIdx.x; d < disparities; d += blockDim.x) {
            rows[side][d] = prior[from + d];
            lows[side] = min(lows[side], int(rows[side][d]));
        }
        const int level = grey_at(left, first + y, x, width);
        penalties[side] =
            ADAPTATION(p1, p2, abs(level - grey_at(left, first + y - dy, columns[side], width)));
    }
    const int low = block_minimum(lows[0], minima[0]), other_low = block_minimum(lows[1], minima[1]);
    const auto one = [&](int k) -> int { return rows[0][k]; };
    const auto other = [&](int k) -> int { return rows[1][k]; };
    for (int d = threadIdx.x; d < disparities; d += blockDim.x) {
        const int sent = message(one, d, disparities, low, p1, penalties[0]) +
                         message(other, d, disparities, other_low, p1, penalties[1]);
        path_costs[place + d] = cost[place + d] + (sent + 1) / 2;
    }
}
