// Whether a local maximum is a seed of an edge. Include after common.cuh.

struct Seed {
    bool weak, strong;

    // Of pixel (y, x); `margin`: the outermost rows and columns have none, and strong ones are sought a row too high.
    __device__ Seed(int magnitude, const int32_t* __restrict__ levels, int y, int x, int height, int width,
                    int margin) {
        const bool inside = margin <= x && x < width - margin;
        strong = inside && y < height - 2 * margin && magnitude >= levels[1];
        weak = inside && margin <= y && y < height - margin && magnitude >= levels[0];
    }
};
