// Enough of CUDA for a C++ compiler to run a kernel on the CPU, one block after the other. The threads of a
// block are fibers. Each warp runs as far as it can before the next one has its turn, so that a barrier that
// is missing between warps shows in the result. Hundreds of kernels are compiled with this file: it includes
// no large header.

#include <cmath>
#include <csetjmp>
#include <cstring>
#include <type_traits>
#include <ucontext.h>
#include <utility>

#define __device__
#define __forceinline__ inline
#define __noinline__
#define __global__
#define __constant__
#define __launch_bounds__(...)
#define __shared__ thread_local  // blocks run one by one

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 threadIdx, blockIdx, blockDim, gridDim;

using std::abs;

template <class T>
constexpr T max(T a, T b) {
    return a < b ? b : a;
}

template <class T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}

// A texture is a pointer to this: clamped to the edge, unnormalised coordinates, point sampling.
struct Image {
    const unsigned char* pixels;
    int height, width;
};
typedef unsigned long long cudaTextureObject_t;

template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
    const Image& image = *reinterpret_cast<const Image*>(texture);
    const int row = max(0, min(int(std::floor(y)), image.height - 1));
    const int column = max(0, min(int(std::floor(x)), image.width - 1));
    return reinterpret_cast<const T*>(image.pixels)[size_t(row) * image.width + column];
}

struct Barrier {
    int arrived = 0;
    unsigned turn = 0;
};

// Begun as a context, and then left and resumed by jumps: switching contexts asks the system each time.
struct Fiber {
    static constexpr size_t STACK = 1 << 15, UNUSED = 1 << 12;
    static constexpr unsigned char PAINT = 0xA5;
    ucontext_t context;
    jmp_buf place;
    char* const stack = new char[STACK];  // kept for the next launch
    bool begun = false;
    bool finished;
    bool paused;
    const Barrier* barrier;  // where it waits, if it does, until the turn is over
    unsigned turn;

    Fiber() { std::memset(stack, PAINT, UNUSED); }
    bool ready() const { return !finished && !paused && !(barrier && barrier->turn == turn); }
    // Whether the lowest part of the stack, beyond which lies the memory of others, was never used.
    bool stack_suffices() const {
        for (size_t at = 0; at < UNUSED; ++at)
            if ((unsigned char)stack[at] != PAINT) return false;
        return true;
    }
};
static jmp_buf scheduler;
static Fiber* fiber;

// Go on in the scheduler, until the fiber is resumed.
static __attribute__((noinline)) void leave() {
    if (!_setjmp(fiber->place)) _longjmp(scheduler, 1);
}

// Whatever a thread waits for, other warps have to do: go on when each had its turn.
static int pauses;
inline void let_others_run() {
    fiber->paused = true;
    ++pauses;
    leave();
}

inline void wait_at(Barrier& barrier, int expected) {
    fiber->barrier = &barrier;
    fiber->turn = barrier.turn;
    if (++barrier.arrived == expected) {
        barrier.arrived = 0;
        ++barrier.turn;
    } else {
        leave();
    }
}

struct Warp {
    Barrier barrier;
    int values[2][32];
};
static Barrier block_barrier;
static Warp warps[32];

// A barrier of its own for some of a block's threads.
static Barrier some_barrier;
inline void wait_for_threads(int count) { wait_at(some_barrier, count); }

inline void __syncthreads() { wait_at(block_barrier, blockDim.x * blockDim.y); }

inline float __int_as_float(int bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
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

inline double __hiloint2double(int high, int low) {
    const unsigned long long bits = (unsigned long long)(unsigned(high)) << 32 | unsigned(low);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline int __double2loint(double value) { return int(__double_as_longlong(value)); }

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
inline float rsqrtf(float a) { return 1 / std::sqrt(a); }  // rounded twice, as a GPU's may be
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
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
    return std::exchange(*address, max<T>(*address, value));
}

template <class T>
T atomicMin(T* address, std::common_type_t<T> value) {
    return std::exchange(*address, min<T>(*address, value));
}

template <class T>
T atomicAdd(T* address, std::common_type_t<T> value) {
    return std::exchange(*address, *address + value);
}

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __clz(unsigned word) { return word ? __builtin_clz(word) : 32; }
inline int highest(unsigned bits) { return 31 - __clz(bits); }  // what bits.cuh has as PTX
inline unsigned __brev(unsigned word) {
    unsigned mirrored = 0;
    for (int i = 0; i < 32; ++i) mirrored |= (word >> i & 1) << (31 - i);
    return mirrored;
}
inline int __ffs(unsigned word) { return __builtin_ffs(word); }

struct alignas(4) uchar4 {
    unsigned char x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

template <class T>
T __ldg(const T* address) {
    return *address;
}

template <class T>
T __ldcs(const T* address) {
    return *address;
}

template <class T>
void __stcs(T* address, T value) {
    *address = value;
}

// The upper word of high and low, moved up.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) << shift >> 32);
}

// The lower word of high and low, moved down.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}

// Bytes of b (4 to 7) and a (0 to 3), as the low digits of the selector tell.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
    return result;
}

// The same, where 8 more in a digit asks for a byte's sign, eight times: what halves.cuh has as PTX.
inline unsigned permuted(unsigned a, unsigned b, unsigned selector) {
    unsigned result = __byte_perm(a, b, selector);
    for (int at = 0; at < 32; at += 8)
        if (selector >> at / 2 & 8) result = result & ~(0xFFu << at) | (result >> at & 0x80 ? 0xFFu << at : 0);
    return result;
}

// Two half-precision numbers at once, as halves.cuh has them as PTX. Sums and products are exact in double.
inline double half_value(unsigned half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31) __builtin_trap();  // no kernel here has infinities
    const double value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return half >> 15 & 1 ? -value : value;
}
inline unsigned half_bits(double value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    value = std::abs(value);
    int exponent = max(std::ilogb(value), -14);
    if (value == 0) return sign;
    const int fraction = std::nearbyint(std::ldexp(value, 10 - exponent));  // ties to even; 2048: the next exponent
    if (exponent > 14) __builtin_trap();
    return sign | (fraction + (exponent + 14 << 10));
}
template <class Operation>
unsigned by_halves(unsigned a, unsigned b, unsigned c, Operation operation) {
    const auto half = [&](int shift) {
        return half_bits(operation(half_value(a >> shift & 0xFFFF), half_value(b >> shift & 0xFFFF),
                                   half_value(c >> shift & 0xFFFF)));
    };
    return half(0) | half(16) << 16;
}
inline unsigned add_halves(unsigned a, unsigned b) {
    return by_halves(a, b, 0, [](double x, double y, double) { return x + y; });
}
inline unsigned subtract_halves(unsigned a, unsigned b) {
    return by_halves(a, b, 0, [](double x, double y, double) { return x - y; });
}
inline unsigned fused_halves(unsigned a, unsigned b, unsigned c) {
    return by_halves(a, b, c, [](double x, double y, double z) { return x * y + z; });
}
inline unsigned absolute_halves(unsigned a) { return a & 0x7FFF7FFF; }
inline unsigned above_halves(unsigned a, unsigned b) {
    const auto half = [&](int shift) {
        return half_value(a >> shift & 0xFFFF) > half_value(b >> shift & 0xFFFF) ? 0xFFFFu << shift : 0;
    };
    return half(0) | half(16);
}

// Both halves of a, times the lower or the upper two bytes of b, and c.
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return (a & 0xFFFF) * (b & 0xFF) + (a >> 16) * (b >> 8 & 0xFF) + c;
}
inline int __dp2a_lo(int a, int b, int c) {
    return int16_t(a) * int8_t(b) + (a >> 16) * int8_t(b >> 8) + c;
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }

// Four unsigned bytes at once.
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int at = 0; at < 32; at += 8)
        result |= unsigned(std::abs(int(a >> at & 0xFF) - int(b >> at & 0xFF))) << at;
    return result;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int at = 0; at < 32; at += 8) c += (a >> at & 0xFF) * (b >> at & 0xFF);
    return c;
}

// Two unsigned 16-bit halves at once; sums wrap within their half.
inline unsigned __vminu2(unsigned a, unsigned b) {
    return min(a & 0xFFFF, b & 0xFFFF) | min(a >> 16, b >> 16) << 16;
}
inline unsigned __vmaxu2(unsigned a, unsigned b) { return ~__vminu2(~a, ~b); }
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
    return __vminu2((a + b & 0xFFFF) | (a & 0xFFFF0000) + (b & 0xFFFF0000), c);
}
// Signed halves; what is below 0 becomes 0.
inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
    const auto half = [](unsigned x, unsigned y, unsigned z) {
        return unsigned(max(min<int>(short(x + y), short(z)), 0));
    };
    return half(a, b, c) | half(a >> 16, b >> 16, c >> 16) << 16;
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }

// A thread's number in its block, of which a warp has 32 one after the other: rows of a block lie behind each other.
inline int thread_of_block() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

// CUDA leaves undefined what a lane outside the mask gives; here the program stops.
inline int shuffle(unsigned mask, int value, int source) {
    Warp& warp = warps[thread_of_block() / 32];
    const int lane = thread_of_block() % 32;
    if (!(mask >> lane & 1) || !(mask >> source & 1)) __builtin_trap();
    int* values = warp.values[warp.barrier.turn % 2];  // others may still read the last shuffle's
    values[lane] = value;
    wait_at(warp.barrier, __builtin_popcount(mask));
    return values[source];
}

// Blocks run one by one: what one waits for has to be there soon.
static int waited;
inline void __nanosleep(unsigned) {
    if (++waited == 1000000) __builtin_trap();
}

inline void __threadfence_block() {}

// What must not be: the program stops.
inline void stop() { __builtin_trap(); }

// All lanes of a warp have come so far.
inline void __syncwarp() { wait_at(warps[thread_of_block() / 32].barrier, 32); }

inline int __shfl_xor_sync(unsigned mask, int value, int offset) {
    return shuffle(mask, value, thread_of_block() % 32 ^ offset);
}

// Lane `source` of the `width` lanes that this one belongs to.
inline int __shfl_sync(unsigned mask, int value, int source, int width = 32) {
    const int lane = thread_of_block() % 32;
    return shuffle(mask, value, lane / width * width + (source & width - 1));
}

// The lane so many below or above; its own value where there is none. Only whole warps ask.
inline int __shfl_up_sync(unsigned mask, int value, unsigned by) {
    const int lane = thread_of_block() % 32;
    return shuffle(mask, value, lane < int(by) ? lane : lane - by);
}
inline int __shfl_down_sync(unsigned mask, int value, unsigned by) {
    const int lane = thread_of_block() % 32;
    return shuffle(mask, value, lane + by > 31 ? lane : lane + by);
}

// The predicates of a whole warp, a bit a lane.
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    const int* values = warps[thread_of_block() / 32].values[warps[thread_of_block() / 32].barrier.turn % 2];
    shuffle(mask, predicate, thread_of_block() % 32);
    unsigned votes = 0;
    for (int lane = 0; lane < 32; ++lane) votes |= unsigned(values[lane] != 0) << lane;
    return votes;
}

// Whether the predicate holds in all lanes of a whole warp, or in any.
inline int __all_sync(unsigned mask, int predicate) {
    const int* values = warps[thread_of_block() / 32].values[warps[thread_of_block() / 32].barrier.turn % 2];
    shuffle(mask, predicate, thread_of_block() % 32);
    for (int lane = 0; lane < 32; ++lane)
        if (!values[lane]) return false;
    return true;
}
inline int __any_sync(unsigned mask, int predicate) { return !__all_sync(mask, !predicate); }

// The kernel launched: what a thread does with it, and its arguments.
static void (*body)(const void* call);
static const void* launched;
static int running;

// What a fiber does: a thread of one block, and then of the next.
static void run_threads() {
    for (;;) {
        body(launched);
        fiber->finished = true;
        --running;
        leave();
    }
}

static void begin(Fiber& next) {
    getcontext(&next.context);
    next.context.uc_stack.ss_sp = next.stack;
    next.context.uc_stack.ss_size = Fiber::STACK;
    makecontext(&next.context, run_threads, 0);
    next.begun = true;
    setcontext(&next.context);
}

// Let a fiber run until it leaves.
static __attribute__((noinline)) void resume(Fiber& next) {
    fiber = &next;
    if (_setjmp(scheduler)) return;
    if (next.begun) _longjmp(next.place, 1);
    begin(next);
}

static Fiber* fibers[1024];  // of a block's threads
static int made;

// Run the ready threads from `first` to `last`, again and again until none is ready; tell whether any was.
static bool run_warp(int first, int last) {
    bool ran = false;
    for (bool ready = true; ready;) {
        ready = false;
        for (int i = first; i < last; ++i) {
            if (!fibers[i]->ready()) continue;
            ran = ready = true;
            threadIdx = {i % blockDim.x, i / blockDim.x, 0};
            resume(*fibers[i]);
        }
    }
    return ran;
}

// The first thread of a warp; of another one every time.
static int some_warp(int threads) {
    static unsigned state = 1;
    state = state * 1664525 + 1013904223;
    return int((state >> 16) % unsigned((threads + 31) / 32)) * 32;
}

constexpr int MOST_PAUSES = 1 << 24;  // of a block's threads

static void run_block() {
    const int threads = blockDim.x * blockDim.y;
    while (made < threads) fibers[made++] = new Fiber;
    for (int i = 0; i < threads; ++i) {
        fibers[i]->finished = fibers[i]->paused = false;
        fibers[i]->barrier = nullptr;
    }
    waited = pauses = 0;
    for (running = threads; running > 0;) {
        bool ran = false;
        const int first = pauses ? some_warp(threads) : 0;  // who pauses may meet warps in any order
        for (int warp = 0; warp < threads; warp += 32) {
            const int begin = (first + warp) % ((threads + 31) / 32 * 32);
            ran |= run_warp(begin, min(begin + 32, threads));
        }
        if (!ran || pauses > MOST_PAUSES) __builtin_trap();  // each waits for another
        for (int i = 0; i < threads; ++i) fibers[i]->paused = false;
    }
    if (!fibers[blockIdx.x % threads]->stack_suffices()) __builtin_trap();
}

template <class Call>
void run_grid(const Call& call) {
    body = [](const void* call) { (*static_cast<const Call*>(call))(); };
    launched = &call;
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
                run_block();
}

template <class... P, size_t... I>
void launch(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
    run_grid([=] { kernel(*static_cast<P*>(arguments[I])...); });
}

// Launch with `geometry`, x, y and z of the grid, x and y of the block, and the address of each argument.
template <class... P>
void launch(void (*kernel)(P...), const unsigned* geometry, void** arguments) {
    gridDim = {geometry[0], geometry[1], geometry[2]};
    blockDim = {geometry[3], geometry[4], 1};
    launch(kernel, arguments, std::index_sequence_for<P...>());
}
