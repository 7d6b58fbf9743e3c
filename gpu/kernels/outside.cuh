// Whether a rectified view shows a pixel. Include after common.cuh and rectify.cuh.

// Whether all raw pixels that count in a rectified pixel are inside the raw view.
__device__ inline bool shows(const int16_t* map, int y, int x, int height, int width) {
    const uint32_t away = place(map, y, x, width);
    const int across = columns_away(away), down = rows_away(away);
    const int row = y + (down >> 5), column = x + (across >> 5);
    return across != OUTSIDE && row >= 0 && column >= 0 && row + ((down & 31) > 0) < height &&
           column + ((across & 31) > 0) < width;
}

// Whether a pixel, or the partner to which its disparity leads, is not shown.
__device__ inline bool is_outside(int found, const int16_t* left_map, const int16_t* right_map, int y, int x,
                                  int height, int width, int min_disparity) {
    if (!shows(left_map, y, x, height, width)) return true;
    const int partner = x - (found + 8 >> 4);
    const bool valid = found != (min_disparity - 1) * 16 && partner >= 0 && partner < width;
    return valid && !shows(right_map, y, partner, height, width);
}
