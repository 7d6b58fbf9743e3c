// What every kernel file needs: fixed-width types, which NVRTC lacks without its headers, and image access.

typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef float float32_t;

__device__ inline int clamp(int value, int low, int high) { return min(max(value, low), high); }

// The element (y, x) of a (height, width) image, or the place of (y, x, 0) in a volume; 64 bits, since a
// volume of 8192 x 8192 x 512 has more elements than an int can count.
__device__ inline uint64_t at(int y, int x, int width, int disparities = 1) {
    return (uint64_t(y) * width + x) * disparities;
}

// Wait until all that was launched before is complete, and what it wrote visible. A kernel whose first statement this is
// begins while the one before it ends, where GPU and driver can do that; see overlapping.py.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Let the next kernel's blocks come to the multiprocessors once all blocks have called this, and wait there. Pays only
// where they are few: they take the place of blocks that work.
__device__ inline void let_next_come() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The element (y, x) of a texture; outside the image the nearest edge pixel, by the texture's addressing.
__device__ inline int texel(cudaTextureObject_t image, int y, int x) {
    return tex2D<uint8_t>(image, x + 0.5f,
                          y + 0.5f);  // a pixel's centre: point sampling cannot round it away
}
