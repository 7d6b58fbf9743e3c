#include "common.cuh"
#include "paths.cuh"
#define LEFT cudaTextureObject_t
#define GREY(y, x) texel(left, y, x)
#include "walk.cuh"
