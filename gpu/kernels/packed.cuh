// Where the packed kernels keep what they share. Include after common.cuh.

// The place of a pixel's quad among those of `pixels`: quads of every fourth pixel lie side by side. Lanes load
// quads whose pixels are multiples of four apart; kept in the order of pixels, each would be alone in its cache
// line, and the cache, which answers a line at a time, would be what the walk waits for.
__device__ inline int quad_place(int pixel, int pixels) {
    const int group = pixel % 4;
    return group * (pixels / 4) + min(group, pixels % 4) + pixel / 4;
}
