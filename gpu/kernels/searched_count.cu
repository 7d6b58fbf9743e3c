// How many disparities each pixel searches.  Computes gpu.reference.searched_count.
//
// Launch: block (BLOCK), one thread a pixel.
// Build: as tiles.cuh says.

#include "common.cuh"
#include "tiles.cuh"

extern "C" __global__ void searched_count(const uint8_t* __restrict__ searched, uint16_t* __restrict__ count,
                                          int height, int width, int disparities, int is_full) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int blocks = disparities / BLOCK_DISPARITIES;
    if (!is_full) {
        const uint8_t* tile = tile_of(searched, y, x, width, disparities);
        int searches = 0;
        for (int i = 0; i < blocks; ++i)
            searches += tile[i];
        blocks = searches;
    }
    count[at(y, x, width)] = blocks * BLOCK_DISPARITIES;
}
