// Enough of CUDA for a C++ compiler to run a kernel on the CPU, one block after the other. The threads of a
// block are fibers: each runs until a barrier or a shuffle makes it wait for others, then the next one runs.

#include <algorithm>
#include <cmath>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __shared__ static  // blocks run one by one

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

static ucontext_t scheduler;
static ucontext_t* fiber;

struct Barrier {
    int arrived = 0;
    unsigned turn = 0;

    void wait(int expected) {
        const unsigned mine = turn;
        if (++arrived == expected) {
            arrived = 0;
            ++turn;
        }
        while (turn == mine)
            swapcontext(fiber, &scheduler);
    }
};

struct Warp {
    Barrier barrier;
    int values[2][32];
};
static Barrier block_barrier;
static Warp warps[32];

inline void __syncthreads() { block_barrier.wait(blockDim.x * blockDim.y); }

inline int __popc(unsigned word) { return __builtin_popcount(word); }

// CUDA leaves undefined what a lane outside the mask gives; here the program stops.
inline int __shfl_xor_sync(unsigned mask, int value, int offset) {
    Warp& warp = warps[threadIdx.x / 32];
    const int lane = threadIdx.x % 32;
    if (!(mask >> lane & 1) || !(mask >> (lane ^ offset) & 1)) __builtin_trap();
    int* values = warp.values[warp.barrier.turn % 2];  // others may still read the last shuffle's
    values[lane] = value;
    warp.barrier.wait(__builtin_popcount(mask));
    return values[lane ^ offset];
}

static std::function<void()> body;
static std::vector<bool> finished;
static int current;

static void run_thread() {
    body();
    finished[current] = true;
    swapcontext(fiber, &scheduler);
}

static void run_block() {
    constexpr size_t STACK = 1 << 15;
    static std::vector<std::vector<char>> stacks(1024, std::vector<char>(STACK));
    static std::vector<ucontext_t> fibers(1024);
    const int threads = blockDim.x * blockDim.y;
    finished.assign(threads, false);
    for (int i = 0; i < threads; ++i) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stacks[i].data();
        fibers[i].uc_stack.ss_size = STACK;
        makecontext(&fibers[i], run_thread, 0);
    }
    for (int left = threads; left > 0;)
        for (current = 0; current < threads; ++current) {
            if (finished[current]) continue;
            threadIdx = {current % blockDim.x, current / blockDim.x, 0};
            fiber = &fibers[current];
            swapcontext(&scheduler, fiber);
            left -= finished[current];
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
