// Whether a rectified view shows a pixel. Include after common.cuh.

const int SHOWN = 255;  // the fourth channel of a pixel, all of which was inside the raw view

__device__ inline bool shows(const uint8_t* view, int y, int x, int width) {
    return view[at(y, x, width) * 4 + 3] == SHOWN;
}

// Whether a pixel, or the partner to which its disparity leads, is not shown.
__device__ inline bool is_outside(int found, const uint8_t* left, const uint8_t* right, int y, int x, int width,
                                  int min_disparity) {
    if (!shows(left, y, x, width)) return true;
    const int partner = x - (found + 8 >> 4);
    const bool valid = found != (min_disparity - 1) * 16 && partner >= 0 && partner < width;
    return valid && !shows(right, y, partner, width);
}
