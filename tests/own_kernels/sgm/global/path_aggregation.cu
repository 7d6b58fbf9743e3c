#include "common.cuh"
#include "paths.cuh"
#define LEFT const uint8_t* __restrict__
#define GREY(y, x) int(left[at(y, x, width)])
#include "walk.cuh"
