// Flags by which the warps of a block tell each other how far they are, so that none waits for more than its
// neighbours. Include after common.cuh.
//
// A flag is raised by one lane of a warp, behind a __syncwarp(): what the warp wrote before is there for
// whoever waited, and what it read may be overwritten. It is waited for until it was raised so many times;
// whoever waits must be sure that it was not raised once more often than that, since from sm_80 on it is an
// mbarrier, whose phase is one bit.
//
// Build: with DELAYS a warp takes its time every now and then, other ones in every frame; a test does so.

struct Flag {
    uint64_t state;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

__device__ inline unsigned address_of(const Flag& flag) { return unsigned(__cvta_generic_to_shared(&flag)); }

__device__ inline void lower(Flag& flag) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address_of(flag)) : "memory");
}

__device__ inline void set(Flag& flag) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address_of(flag))
                 : "memory");
}

__device__ inline bool was_raised(const Flag& flag, int times) {
    unsigned raised;
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .pred raised; mbarrier.try_wait.parity.shared.b64 raised, [%1], %2; selp.u32 %0, 1, "
                 "0, raised; }"
                 : "=r"(raised)
                 : "r"(address_of(flag)), "r"((times + 1) & 1)
                 : "memory");
#else
    asm volatile("{ .reg .pred raised; mbarrier.test_wait.parity.shared.b64 raised, [%1], %2; selp.u32 %0, "
                 "1, 0, raised; }"
                 : "=r"(raised)
                 : "r"(address_of(flag)), "r"((times + 1) & 1)
                 : "memory");
#endif
    return raised;
}

#else  // a counter

__device__ inline void lower(Flag& flag) { flag.state = 0; }

__device__ inline void set(Flag& flag) {
    __threadfence_block();
    const_cast<volatile uint64_t&>(flag.state) = flag.state + 1;
}

__device__ inline bool was_raised(const Flag& flag, int times) {
    const int more = int(const_cast<const volatile uint64_t&>(flag.state)) - times;
    __threadfence_block();
#if !defined(__CUDA_ARCH__)
    if (more < -1 || more > 0) stop();  // what an mbarrier would take for the other
#endif
    return more >= 0;
}

#endif

// Let others go ahead, if it is a build for that.
__device__ inline void dally(uint32_t reason) {
#if defined(DELAYS)
    reason = (reason ^ reason >> 7) * 2654435761u;
#if defined(__CUDA_ARCH__)
    reason ^= uint32_t(clock64());
    if (reason >> 28 == 0) __nanosleep(reason >> 12 & 0x3FFF);
#else
    if (reason >> 30 == 0) let_others_run();
#endif
#endif
}

__device__ inline void raise(Flag& flag) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) set(flag);
}

__device__ inline void wait(const Flag& flag, int times) {
    while (!was_raised(flag, times)) {
#if !defined(__CUDA_ARCH__)
        let_others_run();
#endif
    }
    __syncwarp();
}

// Wait until so many threads of the block have come here, all of its first warps.
__device__ inline void meet(int threads) {
#if defined(__CUDA_ARCH__)
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
#else
    wait_for_threads(threads);
#endif
}
