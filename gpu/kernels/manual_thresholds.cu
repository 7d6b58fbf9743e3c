// Thresholds given by the user.  Computes gpu.reference.manual_thresholds.
//
// Launch: one thread.

#include "common.cuh"

extern "C" __global__ void manual_thresholds(int32_t* __restrict__ levels, int weak, int strong) {
    levels[0] = weak;
    levels[1] = strong;
}
