// Lists of the blocks that tiles search, from a flag for each block.
//
// Launch: block (THREADS), a warp a tile.
// Build: as tiles.cuh says; THREADS.

#include "common.cuh"
#include "packed.cuh"
#include "sparse.cuh"

extern "C" __global__ void sparse_tiles(const uint8_t* __restrict__ searched, uint16_t* __restrict__ tables,
                                        int tiles, int blocks) {
    wait_for_previous();
    const int tile = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (tile >= tiles) return;  // the whole warp
    const uint8_t* flags = searched + uint64_t(tile) * blocks;
    uint16_t *list = tables + uint64_t(tile) * (1 + 2 * blocks) + 1, *slots = list + blocks;
    int count = 0;
    for (int begin = 0; begin < blocks; begin += 32) {
        const int block = begin + lane;
        const bool present = block < blocks && flags[block];
        const uint32_t votes = __ballot_sync(ALL, present);
        const int slot = count + __popc(votes & (1u << lane) - 1);
        if (block < blocks) slots[block] = present ? slot : NO_SLOT;
        if (present) list[slot] = block;
        count += __popc(votes);
    }
    if (lane == 0) list[-1] = count;
}
