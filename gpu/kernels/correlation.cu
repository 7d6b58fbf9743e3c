// Correlation.  Computes gpu.reference.correlation.
//
//   correlation_texture    image and template through textures: two fetches a pixel of the window, any template
//   correlation_constant   the template in constant memory, which gives all threads of a warp the pixel they
//                          ask for together
//   correlation_shared     as constant, the windows of the block's outputs staged once in shared memory
//   correlation_global     as texture, without any
//
// Launch: one thread a pixel; blocks (16, 8), (32, 16) and (32, 8), as published for the first three. The windows of
// correlation_shared lie in `tile`, dynamic shared memory of (blockDim.y + template_height) rows, `pitch` bytes
// apart: a multiple of 64, at least blockDim.x + template_width. CONSTANT_TEMPLATE holds the template's rows,
// one after the other, before correlation_constant and correlation_shared run.
// Build: CONVENTION is exact or book, CONSTANT_PIXELS the most pixels of a template in constant memory.

#include "common.cuh"
#include "coefficient.cuh"

__constant__ uint8_t CONSTANT_TEMPLATE[CONSTANT_PIXELS];

// The sums, once; `image(j, i)` and `pattern(j, i)` are where a variant decides which memory to read. Sum holds
// the largest of them: 32 bits are enough for 66051 pixels.
template <class Sum, class Image, class Pattern>
__device__ Sums window_sums(Image image, Pattern pattern, int height, int width) {
    Sum total = 0, squares = 0, products = 0;
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
            const uint32_t grey = image(j, i);
            total += grey;
            squares += grey * grey;
            products += grey * uint32_t(pattern(j, i));
        }
    return {int64_t(total), int64_t(squares), int64_t(products)};
}

extern "C" __global__ void correlation_texture(cudaTextureObject_t left, cudaTextureObject_t searched,
                                               const int64_t* __restrict__ template_sums,
                                               float32_t* __restrict__ scores, int height, int width,
                                               int template_x, int template_y, int template_width,
                                               int template_height, int top, int start) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Sums sums =
        window_sums<uint64_t>([=](int j, int i) { return texel(searched, y + top + j, x + start + i); },
                              [=](int j, int i) { return texel(left, template_y + j, template_x + i); },
                              template_height, template_width);
    scores[at(y, x, width)] =
        CONVENTION(template_width * template_height, sums, template_sums[0], template_sums[1]);
}

extern "C" __global__ void correlation_constant(cudaTextureObject_t searched,
                                                const int64_t* __restrict__ template_sums,
                                                float32_t* __restrict__ scores, int height, int width,
                                                int template_width, int template_height, int top, int start) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const Sums sums =
        window_sums<uint32_t>([=](int j, int i) { return texel(searched, y + top + j, x + start + i); },
                              [=](int j, int i) { return CONSTANT_TEMPLATE[j * template_width + i]; },
                              template_height, template_width);
    scores[at(y, x, width)] =
        CONVENTION(template_width * template_height, sums, template_sums[0], template_sums[1]);
}

extern "C" __global__ void correlation_shared(cudaTextureObject_t searched,
                                              const int64_t* __restrict__ template_sums,
                                              float32_t* __restrict__ scores, int height, int width,
                                              int template_width, int template_height, int top, int start,
                                              int pitch) {
    extern __shared__ uint8_t tile[];
    const int left_of_tile = blockIdx.x * blockDim.x + start, top_of_tile = blockIdx.y * blockDim.y + top;
    for (int row = threadIdx.y; row < blockDim.y + template_height; row += blockDim.y)
        for (int column = threadIdx.x; column < blockDim.x + template_width; column += blockDim.x)
            tile[row * pitch + column] = texel(searched, top_of_tile + row, left_of_tile + column);
    __syncthreads();  // before any thread leaves: the whole block fills the tile
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uint8_t* window = tile + threadIdx.y * pitch + threadIdx.x;
    const Sums sums =
        window_sums<uint32_t>([=](int j, int i) { return window[j * pitch + i]; },
                              [=](int j, int i) { return CONSTANT_TEMPLATE[j * template_width + i]; },
                              template_height, template_width);
    scores[at(y, x, width)] =
        CONVENTION(template_width * template_height, sums, template_sums[0], template_sums[1]);
}

extern "C" __global__ void correlation_global(const uint8_t* __restrict__ left,
                                              const uint8_t* __restrict__ searched,
                                              const int64_t* __restrict__ template_sums,
                                              float32_t* __restrict__ scores, int height, int width,
                                              int template_x, int template_y, int template_width,
                                              int template_height, int top, int start) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto image = [=](int j, int i) {
        const int row = clamp(y + top + j, 0, height - 1), column = clamp(x + start + i, 0, width - 1);
        return searched[at(row, column, width)];
    };
    const auto pattern = [=](int j, int i) { return left[at(template_y + j, template_x + i, width)]; };
    const Sums sums = window_sums<uint64_t>(image, pattern, template_height, template_width);
    scores[at(y, x, width)] =
        CONVENTION(template_width * template_height, sums, template_sums[0], template_sums[1]);
}
