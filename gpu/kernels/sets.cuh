// Sets of connected pixels by union-find, for blocks of BLOCK_X by BLOCK_Y threads, one a pixel. Include after
// common.cuh. A label is the place of another pixel of the same set, further up or to the left, or of the pixel
// itself: then it is the set's root.

struct Place {
    int y, x;
    bool inside;

    __device__ Place(int height, int width)
        : y(blockIdx.y * BLOCK_Y + threadIdx.y), x(blockIdx.x * BLOCK_X + threadIdx.x),
          inside(y < height && x < width) {}
};

// The root of a pixel's set. On the way each pixel's label is set to its label's label, so that chains halve with
// every walk. Others may lower labels meanwhile: a label that is overwritten here led to the same set.
__device__ inline int root(volatile int32_t* labels, int pixel) {
    for (int label = labels[pixel]; label != pixel; label = labels[pixel]) {
        const int next = labels[label];
        if (next != label) labels[pixel] = next;
        pixel = label;
    }
    return pixel;
}

// Unite the sets of two pixels: the later root gets the earlier one as its label, unless another thread has just
// given it one; then that one's set is to be united instead.
__device__ inline void unite(int32_t* labels, int a, int b) {
    while (true) {
        a = root(labels, a);
        b = root(labels, b);
        if (a == b) return;
        const int later = max(a, b), earlier = min(a, b);
        const int before = atomicMin(&labels[later], earlier);
        if (before == later) return;
        a = before;
        b = earlier;
    }
}
