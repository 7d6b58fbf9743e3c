// What is made for products: the tile of the image, twice, and the template's rows as B. Include after
// correlation_block.cuh and unaligned.cuh.

// Sixteen of 32 bytes, from the one on that `first`, 0 to 16, counts to.
__device__ inline uint4 sixteen_of(uint4 low, uint4 high, int first) {
    uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int step = 4; step > 0; step /= 2)
#pragma unroll
        for (int k = 0; k + step < 8; ++k)
            if (first & 4 * step) words[k] = words[k + step];
    const int bits = 8 * (first & 3);
    return make_uint4(__funnelshift_r(words[0], words[1], bits), __funnelshift_r(words[1], words[2], bits),
                      __funnelshift_r(words[2], words[3], bits), __funnelshift_r(words[3], words[4], bits));
}

__device__ inline uint4 sixteen_times(uint32_t byte) {
    const uint32_t word = byte * 0x01010101u;
    return make_uint4(word, word, word, word);
}

// Sixteen pixels of a row at x, given those at the nearest place where the row has as many; beside it, the edge pixel.
__device__ inline uint4 moved_to(int x, uint4 pixels, int width) {
    if (x < 0) return sixteen_of(sixteen_times(pixels.x & 0xFF), pixels, max(16 + x, 0));
    if (x > width - 16) return sixteen_of(pixels, sixteen_times(pixels.w >> 24), min(x + 16 - width, 16));
    return pixels;
}

// A row of the tile, as the image has it; above and below the image, its edge row.
__device__ inline const uint8_t* row_of(const Part& part, int row, const uint8_t* __restrict__ searched,
                                        int height, int width) {
    return searched + at(clamp(part.row + row, 0, height - 1), 0, width);
}

// The tile of an image that is too narrow for 16 pixels, pixel by pixel.
__device__ inline void fill_narrow(const Places& at_block, const Part& part,
                                   const uint8_t* __restrict__ searched, int height, int width) {
    uint8_t* tile = reinterpret_cast<uint8_t*>(at_block.tile);
    for (int i = threadIdx.x; i < (TILE_HEIGHT + part.height - 1) * COLUMNS; i += THREADS) {
        const int column = i % COLUMNS;
        tile[i - column + stored_at(column)] =
            row_of(part, i / COLUMNS, searched, height, width)[clamp(part.column + column, 0, width - 1)];
    }
    __syncwarp();
}

// A thread asks for several pieces before it stores the first.
__device__ inline void fill_tile(const Places& at_block, const Part& part,
                                 const uint8_t* __restrict__ searched, int height, int width) {
    constexpr int PIECES = 3;
    const int groups = (TILE_HEIGHT + part.height - 1) * GROUPS;
    if (width < 16) return fill_narrow(at_block, part, searched, height, width);
    for (int first = threadIdx.x; first < groups; first += PIECES * THREADS) {
        uint4 pixels[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = min(first + k * THREADS, groups - 1), x = part.column + i % GROUPS * 16;
            pixels[k] =
                sixteen_bytes(row_of(part, i / GROUPS, searched, height, width) + clamp(x, 0, width - 16));
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = first + k * THREADS;
            if (i >= groups) continue;
            const uint4 own = moved_to(part.column + i % GROUPS * 16, pixels[k], width);
            at_block.tile[i] = make_uint4(own.x, own.z, own.y, own.w);
        }
    }
    __syncwarp();
}

// Four pixels of a row of the part, zeros beside it: `first` is a multiple of four.
__device__ inline uint32_t four_of(const uint8_t* __restrict__ row, int first, int width) {
    uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
        word |= uint32_t(row[clamp(first + k, 0, width - 1)]) << 8 * k;
    const int rest = width - first;
    if (first < 0 || rest <= 0) return 0;
    return rest < 4 ? word & (1u << 8 * rest) - 1 : word;
}

// The part of the template. Adds its grey levels and their squares to a thread's sums.
__device__ inline void fill_pattern(const Places& at_block, const Part& part,
                                    const uint8_t* __restrict__ left, int width, uint32_t& total,
                                    uint32_t& squares) {
    constexpr int EACH = PADDED / 4, PIECES = 4;
    const uint8_t* corner = left + at(part.y, part.x, width);
    const int count = part.height * EACH;
    for (int first = threadIdx.x; first < count; first += PIECES * THREADS) {
        uint32_t words[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int i = min(first + k * THREADS, count - 1);
            words[k] = four_of(corner + at(i / EACH, 0, width), i % EACH * 4 - BEFORE, part.width);
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            if (first + k * THREADS >= count) continue;
            at_block.padded[first + k * THREADS] = words[k];
            total = __dp4a(words[k], 0x01010101u, total);
            squares = __dp4a(words[k], words[k], squares);
        }
    }
    __syncwarp();
}

// The tile once more, 8 bytes on.
__device__ inline void make_second_tile(const Places& at_block, int part_height) {
    for (int i = threadIdx.x; i < (TILE_HEIGHT + part_height - 1) * GROUPS; i += THREADS) {
        const uint4 own = at_block.tile[i], next = i % GROUPS < GROUPS - 1 ? at_block.tile[i + 1] : own;
        at_block.second[i] = make_uint4(own.y, next.x, own.w, next.z);
    }
}

// B of every row of the part, and of rows of zeros before and behind it: what a lane holds lies together.
__device__ inline void make_quads(const Places& at_block, int part_height) {
    uint32_t* quads = reinterpret_cast<uint32_t*>(at_block.quads);
    for (int i = threadIdx.x; i < (part_height + 2 * ROWS - 1) * 32; i += THREADS) {
        const int row = i / 32 - (ROWS - 1), first = BEFORE + 4 * QUAD * (i & 3) - (i >> 2 & 7);
        const bool present = row >= 0 && row < part_height;
        const uint32_t* words = at_block.padded + (present ? row : 0) * (PADDED / 4) + first / 4;
#pragma unroll
        for (int k = 0; k < QUAD; ++k)
            quads[QUAD * i + k] = present ? __funnelshift_r(words[k], words[k + 1], 8 * (first & 3)) : 0;
    }
}
