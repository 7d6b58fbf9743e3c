// Where a curve through three sums is lowest. Include after common.cuh.

constexpr int OFF = 0, PARABOLA = 1;  // places of fits, as declared

// Steps from the middle sum to the lowest place; the quotient rounds towards zero, as OpenCV's does.
__device__ inline int vertex(int below, int middle, int above, int fit) {
    const int falls = below - middle, rises = above - middle;
    const int c = max(fit == PARABOLA ? falls + rises : max(falls, rises), 1);
    return ((below - above) * SUBPIXEL_STEPS + c) / (2 * c);
}
