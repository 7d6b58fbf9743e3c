// Bytes of images from and to any address, in words. Include after common.cuh.
//
// An aligned word of which one byte belongs to an image may be read whole: memory is allocated in multiples of
// more bytes than that. Bytes that are not the image's do not reach a result, and are never written.

// Eight bytes from an address that is no multiple of anything.
__device__ inline uint2 eight_bytes(const uint8_t* __restrict__ from) {
    const uint64_t address = reinterpret_cast<uint64_t>(from);
    const uint32_t* words = reinterpret_cast<const uint32_t*>(address & ~uint64_t(3));
    const uint32_t last = *reinterpret_cast<const uint32_t*>((address + 7) & ~uint64_t(3));
    const uint32_t bits = 8 * (address & 3), first = words[0], middle = words[1];
    return make_uint2(__funnelshift_r(first, middle, bits), __funnelshift_r(middle, last, bits));
}

// The eight bytes that end `later` bytes before the end of `own`, those of `before` standing ahead of it.
__device__ inline uint2 moved_back(uint2 before, uint2 own, int later) {
    const uint32_t bits = 8 * (-later & 3);
    const uint32_t low = later > 4 ? before.x : later ? before.y : own.x;
    const uint32_t middle = later > 4 ? before.y : later ? own.x : own.y;
    const uint32_t high = later > 4 ? own.x : own.y;
    return make_uint2(__funnelshift_r(low, middle, bits), __funnelshift_r(middle, high, bits));
}

// Sixteen bytes from an address that is no multiple of anything.
__device__ inline uint4 sixteen_bytes(const uint8_t* __restrict__ from) {
    const int later = reinterpret_cast<uint64_t>(from) & 3;  // than the word that it begins in
    const uint32_t* words = reinterpret_cast<const uint32_t*>(from - later);
    const uint32_t last = words[(later + 15) / 4];
    const uint32_t bits = 8 * later, first = words[0], second = words[1], third = words[2], fourth = words[3];
    return make_uint4(__funnelshift_r(first, second, bits), __funnelshift_r(second, third, bits),
                      __funnelshift_r(third, fourth, bits), __funnelshift_r(fourth, last, bits));
}
