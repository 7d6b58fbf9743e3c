#include "common.cuh"

// One block floods the image until nothing changes; each thread looks after every so-manieth pixel.
extern "C" __global__ void hysteresis(const uint8_t* __restrict__ seeds, uint8_t* edges,
                                      uint8_t* __restrict__ strength, int height, int width) {
    const int count = height * width, step = blockDim.x;
    for (int i = threadIdx.x; i < count; i += step) {
        edges[i] = seeds[i] == 255 ? 255 : 0;
        strength[i] = seeds[i] == 255 ? 3 : seeds[i] ? 1 : 0;
    }
    bool changes = true;
    while (__syncthreads_or(changes)) {
        changes = false;
        for (int begin = 0; begin < count; begin += step) {
            const int i = begin + threadIdx.x;
            bool joins = false;
            if (i < count && seeds[i] == 128 && !edges[i])
                for (int y = max(i / width - 1, 0); y <= min(i / width + 1, height - 1); ++y)
                    for (int x = max(i % width - 1, 0); x <= min(i % width + 1, width - 1); ++x)
                        joins = joins || edges[at(y, x, width)];
            __syncthreads();  // all have read before one writes
            if (joins) {
                edges[i] = 255;
                strength[i] = 2;
                changes = true;
            }
            __syncthreads();
        }
    }
}
