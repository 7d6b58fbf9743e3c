// Difference count.  Computes gpu.analysis.comparison.compare, but for its words.
//
// counts, which must be 0 before: how many elements differ; the number of elements less the index of the first
// that differs; the largest absolute difference of those that have a value in both, an integer or, of floats and
// of 64 bits, the bits of a double.  Sums and maxima of integers are the same in every order, so the result is,
// too; the bits of doubles from 0 to infinity are ordered as they.
//
// Launch: block (BLOCK), any number of blocks; each thread strides through the elements.
// Build: ELEMENT is the type of both arrays.

#include "common.cuh"

template <class T>
__device__ inline bool same(T a, T b) {
    return a == b || (a != a && b != b);
}

template <class T>
__device__ inline bool is_lacking(T value, int invalid) {
    return value == T(invalid);
}

__device__ inline bool is_lacking(float32_t value, int) { return value != value; }  // NaN: no value

template <class T>
__device__ inline uint64_t distance_of(T a, T b) {
    const int64_t apart = int64_t(a) - int64_t(b);
    return apart < 0 ? -apart : apart;
}

__device__ inline uint64_t bits_of_distance(double a, double b) {
    const double apart = a - b;
    const uint64_t bits = __double_as_longlong(apart < 0 ? -apart : apart);
    const uint64_t infinity = 0x7FF0000000000000;
    return (bits & ~(1ull << 63)) > infinity ? infinity : bits;  // a NaN is infinitely far from the rest
}

__device__ inline uint64_t distance_of(float32_t a, float32_t b) { return bits_of_distance(a, b); }

// Two of them may be farther apart than one of them can say.
__device__ inline uint64_t distance_of(int64_t a, int64_t b) { return bits_of_distance(a, b); }

extern "C" __global__ void difference_count(const ELEMENT* __restrict__ first,
                                            const ELEMENT* __restrict__ second, int64_t* __restrict__ counts,
                                            int rows, int columns, int may_lack, int first_invalid,
                                            int second_invalid) {
    __shared__ uint64_t block_counts[3];
    if (threadIdx.x < 3) block_counts[threadIdx.x] = 0;
    __syncthreads();
    const uint64_t total = uint64_t(rows) * columns, stride = uint64_t(gridDim.x) * blockDim.x;
    uint64_t count = 0, from_end = 0, largest = 0;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += stride) {
        const ELEMENT a = first[i], b = second[i];
        const bool a_lacks = may_lack && is_lacking(a, first_invalid);
        const bool b_lacks = may_lack && is_lacking(b, second_invalid), lacks = a_lacks || b_lacks;
        if (lacks ? a_lacks == b_lacks : same(a, b)) continue;
        ++count;
        from_end = max(from_end, total - i);
        if (!lacks) largest = max(largest, distance_of(a, b));
    }
    if (count) {  // identical arrays, the usual case, cost no atomics
        atomicAdd(&block_counts[0], count);
        atomicMax(&block_counts[1], from_end);
        atomicMax(&block_counts[2], largest);
    }
    __syncthreads();
    if (threadIdx.x != 0 || !block_counts[0]) return;
    uint64_t* found = reinterpret_cast<uint64_t*>(counts);  // there is no sum of signed 64-bit atomics
    atomicAdd(&found[0], block_counts[0]);
    atomicMax(&found[1], block_counts[1]);
    atomicMax(&found[2], block_counts[2]);
}
