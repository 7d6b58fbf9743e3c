// Thresholds found from the image.  Computes gpu.reference.automatic_thresholds.
//
//   automatic_thresholds_begin     an empty histogram
//   automatic_thresholds_count     a block's histogram in shared memory, then added to that of all
//   automatic_thresholds_texture   the same, values through the texture
//   automatic_thresholds_choose    the levels, from sums over all lower bins
//
// Launch: begin and choose: one block of BINS / 2 threads; count, texture: block (BLOCK), at most BLOCKS blocks
// share the pixels.
// Build: VALUE is an element of the image counted, RULE is median, otsu or quantile.

#include "common.cuh"

#define THREADS (BINS / 2)

enum Rule { median, otsu, quantile };

// The arithmetic of counting, once; `value(i)` is where a kernel decides which memory to read. Values below
// `lowest` do not count.
template <class Value>
__device__ void count_values(Value value, int32_t* histogram, int count, int width, int lowest) {
    __shared__ int bins[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        bins[bin] = 0;
    __syncthreads();  // before any thread counts
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        if (value(i) >= lowest) atomicAdd(&bins[value(i) / width], 1);
    __syncthreads();  // all have counted
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        if (bins[bin] > 0) atomicAdd(&histogram[bin], bins[bin]);
}

extern "C" __global__ void automatic_thresholds_begin(int32_t* __restrict__ histogram) {
    histogram[threadIdx.x] = histogram[threadIdx.x + THREADS] = 0;
}

extern "C" __global__ void automatic_thresholds_count(const VALUE* __restrict__ image,
                                                      int32_t* __restrict__ histogram, int height, int width,
                                                      int bin_width, int lowest) {
    count_values([=](uint32_t i) -> int { return image[i]; }, histogram, height* width, bin_width, lowest);
}

extern "C" __global__ void automatic_thresholds_texture(cudaTextureObject_t image,
                                                        int32_t* __restrict__ histogram, int height,
                                                        int width, int bin_width, int lowest) {
    count_values([=](uint32_t i) { return texel(image, i / width, i % width); }, histogram, height * width,
                 bin_width, lowest);
}

// Pixels in some bins, and the sum of their bins.
struct Pixels {
    int64_t count, sum;

    __device__ Pixels operator+(Pixels other) const { return {count + other.count, sum + other.sum}; }
};

// The sum of the block's values up to and including a thread's own.
__device__ inline Pixels sum_up_to(Pixels own, Pixels* sums) {
    const int i = threadIdx.x;
    sums[i] = own;
    for (int distance = 1; distance < THREADS; distance *= 2) {
        __syncthreads();  // the sums of the last step are complete
        const Pixels lower = i >= distance ? sums[i - distance] : Pixels{0, 0};
        __syncthreads();  // and read
        sums[i] = sums[i] + lower;
    }
    __syncthreads();
    return sums[i];
}

// Variance between two classes, as bits that order like it; each step rounded, none contracted.
__device__ inline int64_t variance(Pixels lower, Pixels all) {
    const Pixels upper = {all.count - lower.count, all.sum - lower.sum};
    const double low = __ddiv_rn(double(lower.sum), double(lower.count));
    const double high = __ddiv_rn(double(upper.sum), double(upper.count));
    const double difference = __dsub_rn(high, low);
    const double product = __dmul_rn(double(lower.count * upper.count), __dmul_rn(difference, difference));
    return __double_as_longlong(product);
}

// The first bin of the upper class.
__device__ inline int otsu_bin(const Pixels* below, Pixels all) {
    __shared__ int64_t largest;
    __shared__ int chosen;
    if (threadIdx.x == 0) largest = -1, chosen = BINS;
    __syncthreads();
    int64_t own[2];
    for (int i = 0; i < 2; ++i) {
        const Pixels lower = below[i + 1];
        own[i] = 0 < lower.count && lower.count < all.count ? variance(lower, all) : -1;
        atomicMax(&largest, own[i]);
    }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        const int bin = 2 * threadIdx.x + i;
        if (largest >= 0 && own[i] == largest) atomicMin(&chosen, bin + 1);
        if (largest < 0 && below[i].count == 0 && below[i + 1].count > 0) atomicMin(&chosen, bin);
    }
    __syncthreads();
    return chosen;
}

// The lowest bin such that more than this fraction of all lie in it or below.
__device__ inline int quantile_bin(const Pixels* below, Pixels all, int numerator, int denominator) {
    __shared__ int chosen;
    for (int i = 0; i < 2; ++i)
        if (denominator * below[i].count <= numerator * all.count &&
            denominator * below[i + 1].count > numerator * all.count)
            chosen = 2 * threadIdx.x + i;
    __syncthreads();
    return chosen;
}

extern "C" __global__ void automatic_thresholds_choose(const int32_t* __restrict__ histogram,
                                                       int32_t* __restrict__ levels, int gain, int beyond) {
    __shared__ Pixels sums[THREADS];
    const int bin = 2 * threadIdx.x;
    const Pixels even = {histogram[bin], int64_t(histogram[bin]) * bin};
    const Pixels odd = {histogram[bin + 1], int64_t(histogram[bin + 1]) * (bin + 1)};
    sum_up_to(even + odd, sums);
    const Pixels before = threadIdx.x > 0 ? sums[threadIdx.x - 1] : Pixels{0, 0};
    const Pixels below[3] = {before, before + even, before + even + odd};  // each bin, and after both
    const Pixels all = sums[THREADS - 1];
    int weak, strong;
    if (RULE == median) {
        const int grey = quantile_bin(below, all, 1, 2);
        weak = 67 * grey / 100 * gain + beyond;
        strong = 133 * grey / 100 * gain + beyond;
    } else if (RULE == otsu) {
        strong = otsu_bin(below, all) * gain;
        weak = strong / 2;
        if (all.count == 0) weak = strong = 0x7fffffff;
    } else {
        strong = (quantile_bin(below, all, 7, 10) + 1) * gain;
        weak = 2 * strong / 5;
    }
    if (threadIdx.x == 0) {
        levels[0] = max(weak, 1);
        levels[1] = max(strong, 1);
    }
}
