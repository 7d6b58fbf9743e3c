// Enough of CUDA for a C++ compiler to run a kernel on the CPU, one block after the other. The threads of a
// block are fibers. Each warp runs as far as it can before the next one has its turn, so that a barrier that
// is missing between warps shows in the result.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __constant__
#define __shared__ thread_local  // blocks run one by one

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::abs;
using std::max;
using std::min;

// A texture is a pointer to this: clamped to the edge, unnormalised coordinates, point sampling.
struct Image {
    const unsigned char* pixels;
    int height, width;
};
typedef unsigned long long cudaTextureObject_t;

template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
    const Image& image = *reinterpret_cast<const Image*>(texture);
    const int row = std::clamp(int(std::floor(y)), 0, image.height - 1);
    const int column = std::clamp(int(std::floor(x)), 0, image.width - 1);
    return image.pixels[size_t(row) * image.width + column];
}

struct Barrier {
    int arrived = 0;
    unsigned turn = 0;
};

struct Fiber {
    ucontext_t context;
    std::vector<char> stack = std::vector<char>(1 << 15);
    bool finished;
    const Barrier* barrier;  // where it waits, if it does, until the turn is over
    unsigned turn;

    bool ready() const { return !finished && !(barrier && barrier->turn == turn); }
};
static ucontext_t scheduler;
static Fiber* fiber;

inline void wait_at(Barrier& barrier, int expected) {
    fiber->barrier = &barrier;
    fiber->turn = barrier.turn;
    if (++barrier.arrived == expected) {
        barrier.arrived = 0;
        ++barrier.turn;
    } else {
        swapcontext(&fiber->context, &scheduler);
    }
}

struct Warp {
    Barrier barrier;
    int values[2][32];
};
static Barrier block_barrier;
static Warp warps[32];

inline void __syncthreads() { wait_at(block_barrier, blockDim.x * blockDim.y); }

inline int __float_as_int(float value) {
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline long long __double_as_longlong(double value) {
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Whether any thread's predicate holds. Two results in turn: a thread may still read the last one.
inline int __syncthreads_or(int predicate) {
    static int any[2];
    int& result = any[block_barrier.turn % 2];
    if (block_barrier.arrived == 0) result = 0;
    result |= predicate != 0;
    __syncthreads();
    return result;
}

// On this CPU every operation rounds to nearest, and none is contracted.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __frsqrt_rn(float a) { return 1 / std::sqrt(double(a)); }
inline float __ll2float_rn(long long a) { return a; }
inline float __double2float_rn(double a) { return a; }
inline double __ll2double_rn(long long a) { return a; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }

template <class T>
T atomicMax(T* address, std::common_type_t<T> value) {
    return std::exchange(*address, std::max(*address, value));
}

template <class T>
T atomicMin(T* address, std::common_type_t<T> value) {
    return std::exchange(*address, std::min(*address, value));
}

template <class T>
T atomicAdd(T* address, std::common_type_t<T> value) {
    return std::exchange(*address, *address + value);
}

inline int __popc(unsigned word) { return __builtin_popcount(word); }

// CUDA leaves undefined what a lane outside the mask gives; here the program stops.
inline int __shfl_xor_sync(unsigned mask, int value, int offset) {
    Warp& warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    if (!(mask >> lane & 1) || !(mask >> (lane ^ offset) & 1)) __builtin_trap();
    int* values = warp.values[warp.barrier.turn % 2];  // others may still read the last shuffle's
    values[lane] = value;
    wait_at(warp.barrier, __builtin_popcount(mask));
    return values[lane ^ offset];
}

static std::function<void()> body;
static int running;

static void run_thread() {
    body();
    fiber->finished = true;
    --running;
    swapcontext(&fiber->context, &scheduler);
}

// Run the ready threads from `first` to `last`, again and again until none is ready; tell whether any was.
static bool run_warp(std::vector<Fiber>& fibers, int first, int last) {
    bool ran = false;
    for (bool ready = true; ready;) {
        ready = false;
        for (int i = first; i < last; ++i) {
            if (!fibers[i].ready()) continue;
            ran = ready = true;
            threadIdx = {i % blockDim.x, i / blockDim.x, 0};
            fiber = &fibers[i];
            swapcontext(&scheduler, &fiber->context);
        }
    }
    return ran;
}

static void run_block() {
    static std::vector<Fiber> fibers(1024);
    const int threads = blockDim.x * blockDim.y;
    for (int i = 0; i < threads; ++i) {
        Fiber& next = fibers[i];
        next.finished = false;
        next.barrier = nullptr;
        getcontext(&next.context);
        next.context.uc_stack.ss_sp = next.stack.data();
        next.context.uc_stack.ss_size = next.stack.size();
        makecontext(&next.context, run_thread, 0);
    }
    for (running = threads; running > 0;) {
        bool ran = false;
        for (int first = 0; first < threads; first += 32)
            ran |= run_warp(fibers, first, std::min(first + 32, threads));
        if (!ran) __builtin_trap();  // each waits for another
    }
}

template <class... P, size_t... I>
void launch(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
    body = [=] { kernel(*static_cast<P*>(arguments[I])...); };
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
            run_block();
}

// Launch with `geometry`, the x and y of grid and block, and the address of each argument.
template <class... P>
void launch(void (*kernel)(P...), const unsigned* geometry, void** arguments) {
    gridDim = {geometry[0], geometry[1], 1};
    blockDim = {geometry[2], geometry[3], 1};
    launch(kernel, arguments, std::index_sequence_for<P...>());
}
