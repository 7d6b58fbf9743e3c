// The horizontal gradient of a pixel, cut off. Include after common.cuh.

// From 0 on; `pixel(dy, dx)` is where a kernel decides which memory to read.
template <class Pixel>
__device__ int slope(Pixel pixel) {
    const auto weighted = [&](int dx) { return pixel(-1, dx) + 2 * pixel(0, dx) + pixel(1, dx); };
    return clamp(weighted(1) - weighted(-1), -REACH, REACH) + REACH;
}
