// Sums of grey levels and of their squares of all windows. Include after correlation_block.cuh.
//
// By column they are those of the row before, less the row that leaves, plus the one that enters; along a row, the
// same with columns, added up over a warp, whose lanes then have the sums of four windows side by side. What limits
// this part is shared memory, which takes a warp's words 32 at a time: nothing is written there twice.

// Sums of the windows of a row of column sums, four a lane, by a warp: of the first one all its columns, of the
// others what the one before has, less the column that leaves, plus the one that enters.
__device__ inline void sum_row(uint2 (&windows)[TOGETHER], const uint2* columns,
                               const int (&leaving)[TOGETHER], const int (&entering)[TOGETHER],
                               int part_width) {
    const int lane = threadIdx.x & 31;
    uint2 first = make_uint2(0, 0), all = make_uint2(0, 0), steps[TOGETHER];
#pragma unroll
    for (int column = 0; column < 64; column += 32)
        if (lane + column < part_width) {
            const uint2 sums = columns[padded(lane + column)];
            first.x += sums.x, first.y += sums.y;
        }
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        const uint2 out = columns[leaving[k]], in = columns[entering[k]];
        steps[k] = make_uint2(in.x - out.x, in.y - out.y);
        all.x += steps[k].x, all.y += steps[k].y;
    }
    uint2 up_to = all;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const uint32_t total = __shfl_up_sync(ALL, up_to.x, offset);
        const uint32_t squares = __shfl_up_sync(ALL, up_to.y, offset);
        if (lane >= offset) up_to.x += total, up_to.y += squares;
    }
    windows[0] = make_uint2(sum_of_warp(first.x) + up_to.x - all.x, sum_of_warp(first.y) + up_to.y - all.y);
#pragma unroll
    for (int k = 1; k < TOGETHER; ++k)
        windows[k] = make_uint2(windows[k - 1].x + steps[k - 1].x, windows[k - 1].y + steps[k - 1].y);
}

// Sums the part's windows, and lets a warp take those of a row: four a lane, side by side.
template <class Take>
__device__ inline void sum_windows(const Places& at_block, const Part& part, int rows, Take take) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, column = threadIdx.x;
    const uint8_t* pixels = reinterpret_cast<const uint8_t*>(at_block.tile) + stored_at(column);
    int leaving[TOGETHER], entering[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; ++k) {
        leaving[k] = padded(TOGETHER * lane + k);
        entering[k] = padded(TOGETHER * lane + k + part.width);
    }
    uint32_t total = 0, squares = 0;
    if (column < COLUMNS)
#pragma unroll 8
        for (int row = 0; row < part.height - 1; ++row) {
            const uint32_t grey = pixels[row * COLUMNS];
            total += grey, squares += grey * grey;
        }
    for (int first = 0; first < rows; first += WARPS) {
        uint2* held = at_block.columns + first / WARPS % 2 * WARPS * APART;
        if (column < COLUMNS) {
            uint32_t in[WARPS], out[WARPS];  // read before anything is written, which could be the same bytes
#pragma unroll
            for (int k = 0; k < WARPS; ++k) {
                in[k] = pixels[(first + k + part.height - 1) * COLUMNS];
                out[k] = pixels[(first + k) * COLUMNS];
            }
#pragma unroll
            for (int k = 0; k < WARPS; ++k) {
                total += in[k], squares += in[k] * in[k];
                held[k * APART + padded(column)] = make_uint2(total, squares);
                total -= out[k], squares -= out[k] * out[k];
            }
        }
        __syncthreads();
        if (first + warp < rows) {
            uint2 windows[TOGETHER];
            sum_row(windows, held + warp * APART, leaving, entering, part.width);
            take(first + warp, windows);
        }
        __syncwarp();
    }
}

// Adds to the sums of four windows those of the parts before, if there are any, and keeps them for the next.
__device__ inline void add_known(uint2 (&windows)[TOGETHER], uint2* sums, bool known, bool keep) {
    uint4* pairs = reinterpret_cast<uint4*>(sums);
#pragma unroll
    for (int k = 0; k < TOGETHER; k += 2) {
        const uint4 pair = known ? pairs[k / 2] : make_uint4(0, 0, 0, 0);
        windows[k].x += pair.x, windows[k].y += pair.y;
        windows[k + 1].x += pair.z, windows[k + 1].y += pair.w;
        if (keep) pairs[k / 2] = make_uint4(windows[k].x, windows[k].y, windows[k + 1].x, windows[k + 1].y);
    }
}
