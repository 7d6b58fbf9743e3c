// Where paths begin, and the penalty for a large change of the disparity.

// Find the first pixel of a path. Paths are numbered along the row that they all enter through, then along the column.
__device__ inline bool begin_path(int path, int height, int width, int dx, int dy, int& y, int& x) {
    const int through_row = dy ? width : 0;
    if (path < through_row) {
        y = dy > 0 ? 0 : height - 1;
        x = path;
        return true;
    }
    const int row = path - through_row + (dy != 0);  // the corner belongs to the row
    if (!dx || row >= height) return false;
    y = dy < 0 ? height - 1 - row : row;
    x = dx > 0 ? 0 : width - 1;
    return true;
}

__device__ inline int large_penalty(int p1, int p2, int change) { return max(p1, p2 / max(change, 1)); }
