// Convert decoded video to red, green and blue.  Computes gpu.reference.colour_conversion.
//
// Launch: block (BLOCK), four pixels a thread, a view a layer of the grid.

#include "common.cuh"
#include "nv12.cuh"

extern "C" __global__ void colour_conversion(const uint8_t* left_luma, const uint8_t* left_chroma,
                                             const uint8_t* right_luma, const uint8_t* right_chroma,
                                             const int32_t* coefficients, uint8_t* decoded_left,
                                             uint8_t* decoded_right, int height, int width) {
    uint32_t* out = reinterpret_cast<uint32_t*>(blockIdx.z ? decoded_right : decoded_left);
    const auto write = [=](uint64_t first, const Colours* found, int count) {
        if (count == TOGETHER && width % TOGETHER == 0) {
            const uint4 four = {found[0].word(), found[1].word(), found[2].word(), found[3].word()};
            *reinterpret_cast<uint4*>(out + first) = four;
        } else
            for (int i = 0; i < count; ++i)
                out[first + i] = found[i].word();
    };
    convert_together(blockIdx.z ? right_luma : left_luma, blockIdx.z ? right_chroma : left_chroma,
                     coefficients, height, width, write);
}
