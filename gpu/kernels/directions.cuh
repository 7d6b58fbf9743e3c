// The walking directions, which the packed kernels number as the pipeline declares them: rows come first, then columns,
// then diagonals. Of two opposite ones the first leads to the left, or up.
//
// Build: DIRECTIONS are those of the declaration, {dx, dy} each.

constexpr int ROWS = 2, STRAIGHT = 4;  // directions along rows; along rows and columns

__device__ constexpr int dx_of(int path) {
    return path < ROWS ? 2 * path - 1 : path < STRAIGHT ? 0 : path % 2 ? 1 : -1;
}
__device__ constexpr int dy_of(int path) {
    return path < ROWS ? 0 : path < STRAIGHT ? (path % 2 ? 1 : -1) : path < STRAIGHT + 2 ? -1 : 1;
}

struct Direction {
    int dx, dy;
};
constexpr Direction DECLARED[] = {DIRECTIONS};

__device__ constexpr bool as_declared() {
    for (int path = 0; path < int(sizeof(DECLARED) / sizeof(Direction)); ++path)
        if (DECLARED[path].dx != dx_of(path) || DECLARED[path].dy != dy_of(path)) return false;
    return sizeof(DECLARED) == 8 * sizeof(Direction);
}
static_assert(as_declared(), "the pipeline declares its directions in another order than kernels walk them");
