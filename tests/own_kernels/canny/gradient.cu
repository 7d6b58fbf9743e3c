#include "common.cuh"

// Sobel's gradient with the course's frame: pixels on the edge of the image have none.
extern "C" __global__ void gradient(const blurred_t* __restrict__ blurred, int16_t* __restrict__ gradient_x,
                                    int16_t* __restrict__ gradient_y, int32_t* __restrict__ magnitude,
                                    uint8_t* __restrict__ direction, int height, int width, int convention,
                                    int norm, int aperture) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int gx = 0, gy = 0;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        for (int i = -1; i <= 1; ++i) {
            const int weight = 2 - abs(i);
            gx += weight * (int(blurred[at(y + i, x + 1, width)]) - int(blurred[at(y + i, x - 1, width)]));
            gy += weight * (int(blurred[at(y + 1, x + i, width)]) - int(blurred[at(y - 1, x + i, width)]));
        }
    int root = sqrtf(float(gx * gx + gy * gy));
    while (root * root > gx * gx + gy * gy) --root;
    while ((root + 1) * (root + 1) <= gx * gx + gy * gy) ++root;
    const int across = abs(gx), down = abs(gy);
    int towards = (gx < 0) == (gy < 0) ? 1 : 3;
    if (across + down == 0) towards = 4;
    else if (int64_t(down) << 15 < int64_t(across) * 13573) towards = 0;
    else if (int64_t(down) << 15 > int64_t(across) * (13573 + 65536)) towards = 2;
    const uint64_t place = at(y, x, width);
    gradient_x[place] = gx;
    gradient_y[place] = -gy;  // the course's sign
    magnitude[place] = norm ? root : across + down;
    direction[place] = towards;
}
