// Images continued by their mirror image. Include after common.cuh.

// Which of `count` pixels stands in at a position outside: the image continues by its mirror image. No
// texture does this: addressing by mirroring needs normalised coordinates, and repeats the edge pixel.
__device__ inline int reflected(int position, int count) {
    if (count == 1) return 0;
    while (position < 0 || position >= count)
        position = position < 0 ? -position : 2 * (count - 1) - position;
    return position;
}
