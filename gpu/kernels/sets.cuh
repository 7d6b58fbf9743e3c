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

// Labels in global memory, which all blocks lower at once. A plain write may undo another thread's: a label that is
// overwritten here led to the same set.
struct GlobalLabels {
    volatile int32_t* labels;

    __device__ int read(int pixel) const { return labels[pixel]; }
    __device__ void lower(int pixel, int label) const { labels[pixel] = label; }
    __device__ int unite(int pixel, int label) const {
        return atomicMin(const_cast<int32_t*>(&labels[pixel]), label);
    }
};

// Labels in shared memory, where atomic operations cost little: no two accesses race.
struct SharedLabels {
    int32_t* labels;

    __device__ int read(int pixel) const { return atomicAdd(&labels[pixel], 0); }
    __device__ void lower(int pixel, int label) const { atomicMin(&labels[pixel], label); }
    __device__ int unite(int pixel, int label) const { return atomicMin(&labels[pixel], label); }
};

// The root of a pixel's set. On the way each pixel's label is set to its label's label, so that chains halve with
// every walk. Others may lower labels meanwhile.
template <class Labels>
__device__ int root(Labels labels, int pixel) {
    for (int label = labels.read(pixel); label != pixel; label = labels.read(pixel)) {
        const int next = labels.read(label);
        if (next != label) labels.lower(pixel, next);
        pixel = label;
    }
    return pixel;
}

// Unite the sets of two pixels: the later root gets the earlier one as its label, unless another thread has just
// given it one; then that one's set is to be united instead.
template <class Labels>
__device__ void unite(Labels labels, int a, int b) {
    while (true) {
        a = root(labels, a);
        b = root(labels, b);
        if (a == b) return;
        const int later = max(a, b), earlier = min(a, b);
        const int before = labels.unite(later, earlier);
        if (before == later) return;
        a = before;
        b = earlier;
    }
}
