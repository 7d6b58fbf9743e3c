// Products of matrices of bytes. Include after correlation_tile.cuh and tensor.cuh.
//
// Of a row of the image and a row of the template, A has at (m, k) the pixel 8 m + k of the image, and B
// at (k, n) the pixel k - n of the template, 0 outside it: then A B has at (m, n) the sum of products of the window
// that begins at pixel 8 m + n, 128 windows in a row. A warp adds these up for eight rows of windows: row r of
// the image meets row r - y of the template for row y. B's columns are the same bytes shifted, made once a block.
//
// Which k is which slot of the instruction is free, as long as A and B agree. Here a lane's slots hold pixels that
// lie together, 16 t to 16 t + 15 of 64 (8 t to 8 t + 7 of 32 for narrow templates), and lanes g of A rows 16 g and
// 16 g + 8 pixels on: its part of A is 16 bytes of the tile, whose words are stored in the order 0, 2, 1, 3, or of
// a second tile that begins 8 bytes later.

// Adds the products of a warp's windows. Of the first rows of the image, row q serves rows 0 to q of windows; of
// the last ones, those that its row of the template exists for.
__device__ inline void add_products(uint32_t (&products)[ROWS][4], const Places& at_block, int part_height) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    const uint4* rows = (STEPS == 1 && t % 2 ? at_block.second : at_block.tile) + warp * ROWS * GROUPS + g +
                        (STEPS == 1 ? t / 2 : t);
    const int between = at_block.second - at_block.tile;
    const uint32_t* quads = reinterpret_cast<const uint32_t*>(at_block.quads) + QUAD * lane;
    uint32_t b[ROWS][QUAD];  // a ring: what row y of windows meets in row r of the image is in r - y - 1
    const auto load = [&](int slot, int row) {
        if (STEPS == 1) {
            const uint2 quad = *reinterpret_cast<const uint2*>(quads + row * 32 * QUAD);
            b[slot][0] = quad.x, b[slot][1] = quad.y;
        } else {
            const uint4 quad = *reinterpret_cast<const uint4*>(quads + row * 32 * QUAD);
            b[slot][0] = quad.x, b[slot][1] = quad.y, b[slot][QUAD - 2] = quad.z, b[slot][QUAD - 1] = quad.w;
        }
    };
    const auto meet = [&](int r, int q, bool first, bool last) {
        const uint4 a = rows[r * GROUPS];
        const uint4 later = STEPS == 1 ? a : rows[r * GROUPS + between];
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
#pragma unroll
            for (int y = 0; y < ROWS; ++y)
                if ((!first || y <= q) && (!last || r - y < part_height)) {
                    const uint32_t (&quad)[QUAD] = b[(q - y + 2 * ROWS - 1) % ROWS];
                    multiply(products[y], step ? later : a, quad[2 * step], quad[2 * step + 1]);
                }
        load(q, r + ROWS);
    };
#pragma unroll
    for (int k = 0; k < ROWS; ++k)
        load(k, k);
    int r = 0;
    if (part_height >= ROWS) {
#pragma unroll
        for (int q = 0; q < ROWS; ++q)
            meet(q, q, true, false);
        for (r = ROWS; r + ROWS <= part_height; r += ROWS)
#pragma unroll
            for (int q = 0; q < ROWS; ++q)
                meet(r + q, q, false, false);
    }
    for (; r < part_height + ROWS - 1; r += ROWS)
#pragma unroll
        for (int q = 0; q < ROWS; ++q)
            if (r + q < part_height + ROWS - 1) meet(r + q, q, false, true);
    __syncwarp();
}
