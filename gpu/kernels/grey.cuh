// Grey levels read four at a time, wherever they begin: rows of images have no padding. Include after common.cuh.

struct Grey {
    const uint8_t* __restrict__ image;
    int height, width;

    // The place of row y's first pixel; of a row outside the image the nearest one's.
    __device__ uint64_t row(int y) const { return at(clamp(y, 0, height - 1), 0, width); }

    // Whether a row has columns x to x + 3, and the image what is read with them; ALIGNED: they are a word of it.
    template <bool ALIGNED>
    __device__ bool has_four(uint64_t row, int x) const {
        return x >= 0 && x + 4 <= width && (ALIGNED || row + x + 8 <= uint64_t(height) * width);
    }

    template <bool ALIGNED>
    __device__ uint32_t four(uint64_t row, int x) const {
        if (ALIGNED) return *reinterpret_cast<const uint32_t*>(image + row + x);
        const uint32_t* words = reinterpret_cast<const uint32_t*>(image) + (row + x) / 4;
        const int first = (row + x) % 4;
        return first == 0 ? words[0] : __funnelshift_r(words[0], words[1], 8 * first);
    }
};
