#include "common.cuh"

constexpr int X = 32, Y = 8;

extern "C" __global__ void median_filter(const int16_t* __restrict__ refined, int16_t* __restrict__ smoothed,
                                         int height, int width) {
    __shared__ int16_t tile[Y + 2][X + 2];
    const int left = blockIdx.x * X - 1, top = blockIdx.y * Y - 1;
    for (int row = threadIdx.y; row < Y + 2; row += Y)
        for (int column = threadIdx.x; column < X + 2; column += X) {
            const int y = min(max(top + row, 0), height - 1);
            const int x = min(max(left + column, 0), width - 1);
            tile[row][column] = refined[at(y, x, width)];
        }
    __syncthreads();
    const int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
    if (x >= width || y >= height) return;
    int values[9];
    for (int i = 0; i < 9; ++i) {
        const int value = tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
        int place = i;
        for (; place > 0 && values[place - 1] > value; --place)
            values[place] = values[place - 1];
        values[place] = value;
    }
    smoothed[at(y, x, width)] = values[4];
}
