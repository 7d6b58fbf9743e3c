// Convert decoded video to grey levels.  Computes gpu.reference.grey_conversion.
//
// Launch: block (BLOCK), four pixels a thread, a view a layer of the grid.

#include "common.cuh"
#include "nv12.cuh"

extern "C" __global__ void grey_conversion(const uint8_t* left_luma, const uint8_t* left_chroma,
                                           const uint8_t* right_luma, const uint8_t* right_chroma,
                                           const int32_t* coefficients, uint8_t* left, uint8_t* right,
                                           int height, int width) {
    uint8_t* out = blockIdx.z ? right : left;
    const auto write = [=](uint64_t first, const Colours* found, int count) {
        if (count == TOGETHER && width % TOGETHER == 0) {
            const uchar4 four = {found[0].grey(), found[1].grey(), found[2].grey(), found[3].grey()};
            *reinterpret_cast<uchar4*>(out + first) = four;
        } else
            for (int i = 0; i < count; ++i)
                out[first + i] = found[i].grey();
    };
    convert_together(blockIdx.z ? right_luma : left_luma, blockIdx.z ? right_chroma : left_chroma,
                     coefficients, height, width, write);
}
