// What decoded video means: the colours of a pixel, as gpu.reference.colour_conversion has them.

#pragma once

// Pixels of a thread: two pairs, each with one blue and one red difference.
constexpr int TOGETHER = 4;

struct Meaning {
    int black, brightness, red_v, green_u, green_v, blue_u;
};

__device__ inline Meaning meaning(const int32_t* __restrict__ coefficients) {
    return {coefficients[0], coefficients[1], coefficients[2],
            coefficients[3], coefficients[4], coefficients[5]};
}

struct Colours {
    int red, green, blue;

    __device__ uint8_t grey() const { return (9798 * red + 19235 * green + 3735 * blue + 16384) >> 15; }

    __device__ uint32_t word() const { return red | green << 8 | blue << 16 | 0xFF000000u; }
};

__device__ inline int channel(int value) { return min(max(value >> 14, 0), 255); }

__device__ inline Colours colours(const Meaning& known, int luma, int u, int v) {
    const int level = known.brightness * (luma - known.black) + 8192;
    u -= 128, v -= 128;
    return {channel(level + known.red_v * v), channel(level + known.green_u * u + known.green_v * v),
            channel(level + known.blue_u * u)};
}

// Hand the colours of up to TOGETHER neighbours to `write`, with the place of the first and their
// number.  Rows of a multiple of TOGETHER pixels are read as words.
template <class Write>
__device__ void convert_together(const uint8_t* __restrict__ luma, const uint8_t* __restrict__ chroma,
                                 const int32_t* __restrict__ coefficients, int height, int width,
                                 const Write& write) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * TOGETHER;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint64_t first = at(y, x, width), pairs = at(y / 2, x / 2, (width + 1) / 2) * 2;
    const Meaning known = meaning(coefficients);
    Colours found[TOGETHER];
    if (width % TOGETHER == 0) {
        const uchar4 levels = *reinterpret_cast<const uchar4*>(luma + first);
        const uchar4 uv = *reinterpret_cast<const uchar4*>(chroma + pairs);
        found[0] = colours(known, levels.x, uv.x, uv.y);
        found[1] = colours(known, levels.y, uv.x, uv.y);
        found[2] = colours(known, levels.z, uv.z, uv.w);
        found[3] = colours(known, levels.w, uv.z, uv.w);
        write(first, found, TOGETHER);
        return;
    }
    const int count = min(TOGETHER, width - x);
    for (int i = 0; i < count; ++i) {
        const uint8_t* uv = chroma + pairs + i / 2 * 2;
        found[i] = colours(known, luma[first + i], uv[0], uv[1]);
    }
    write(first, found, count);
}
