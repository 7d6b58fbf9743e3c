// The part of CUDA C++ that kernels use, for a C++ compiler: a kernel runs on the CPU.
//
// Kernels are compiled in a namespace of their own after this header. It includes no large header, since every kernel
// is compiled with it. Where __SANITIZE_THREAD__ is defined (a checked build), the compiler calls a function before
// each memory access of a kernel; see access_checks.cpp.

#include "runtime.hpp"

#include <cstdint>
#include <cstring>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS  // functions that CUDA lacks, and most of the text that math.h includes
#include <math.h>  // not cmath: its functions of float and double are overloaded outside of std, too
#include <type_traits>
#include <utility>

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ __attribute__((visibility("default")))  // Python copies into it
#define __shared__ thread_local                              // blocks run one by one
#define printf(...) emulation::print(__VA_ARGS__)
#define assert(condition)                                                                                    \
    ((condition) ? void() : emulation::fail(emulation::STOPPED, "assertion failed: " #condition))
#define INLINED __attribute__((always_inline)) inline  // accesses count for the line of the caller

#define UNCHECKED __attribute__((no_sanitize("thread")))

constexpr int warpSize = 32;
struct dim3 : uint3 {
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : uint3{x, y, z} {}
};

template <class T>
constexpr T max(T a, T b) {
    return a < b ? b : a;
}

template <class T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}

// Of mixed types, such as int and unsigned.
template <class A, class B, class T = std::enable_if_t<!std::is_same_v<A, B>, std::common_type_t<A, B>>>
constexpr T max(A a, B b) {
    return max(T(a), T(b));
}

template <class A, class B, class T = std::enable_if_t<!std::is_same_v<A, B>, std::common_type_t<A, B>>>
constexpr T min(A a, B b) {
    return min(T(a), T(b));
}

// A texture object is a pointer to this: clamped to the edge, unnormalised coordinates, point sampling.
namespace emulation {
struct Image {
    const unsigned char* pixels;
    int height, width;
};
}  // namespace emulation
typedef unsigned long long cudaTextureObject_t;

template <class T>
UNCHECKED T tex2D(cudaTextureObject_t texture, float x, float y) {
    const auto& image = *reinterpret_cast<const emulation::Image*>(texture);
    const int row = max(0, min(int(std::floor(y)), image.height - 1));
    const int column = max(0, min(int(std::floor(x)), image.width - 1));
    return reinterpret_cast<const T*>(image.pixels)[size_t(row) * image.width + column];
}

namespace emulation {
template <class To, class From>
To same_bits(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}
}  // namespace emulation

inline float __int_as_float(int bits) { return emulation::same_bits<float>(bits); }
inline float __uint_as_float(unsigned bits) { return emulation::same_bits<float>(bits); }
inline int __float_as_int(float value) { return emulation::same_bits<int>(value); }
inline unsigned __float_as_uint(float value) { return emulation::same_bits<unsigned>(value); }
inline long long __double_as_longlong(double value) { return emulation::same_bits<long long>(value); }
inline double __longlong_as_double(long long bits) { return emulation::same_bits<double>(bits); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((unsigned long long)(unsigned(high)) << 32 | unsigned(low));
}
inline int __double2loint(double value) { return int(__double_as_longlong(value)); }
inline int __double2hiint(double value) { return int(__double_as_longlong(value) >> 32); }

// On this CPU every operation rounds to nearest, and multiplication and addition are not fused.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __frsqrt_rn(float a) { return 1 / std::sqrt(double(a)); }
inline float rsqrtf(float a) { return 1 / std::sqrt(a); }  // rounded twice, as a GPU's may be
inline double rsqrt(double a) { return 1 / std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline float __ll2float_rn(long long a) { return a; }
inline float __int2float_rn(int a) { return a; }
inline float __uint2float_rn(unsigned a) { return a; }
inline float __double2float_rn(double a) { return a; }
inline double __ll2double_rn(long long a) { return a; }
inline int __float2int_rn(float a) { return int(std::nearbyint(a)); }
inline int __float2int_rd(float a) { return int(std::floor(a)); }
inline int __float2int_ru(float a) { return int(std::ceil(a)); }
inline int __float2int_rz(float a) { return int(a); }
inline unsigned __float2uint_rn(float a) { return unsigned(std::nearbyint(a)); }
inline unsigned __float2uint_rz(float a) { return unsigned(a); }
inline float __saturatef(float a) { return a > 0 ? a < 1 ? a : 1 : 0; }

// Faster, less exact functions of a GPU; here they are exact.
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return std::exp(a); }
inline float __exp10f(float a) { return std::pow(10.0f, a); }
inline float __logf(float a) { return std::log(a); }
inline float __log2f(float a) { return std::log2(a); }
inline float __log10f(float a) { return std::log10(a); }
inline float __powf(float a, float b) { return std::pow(a, b); }
inline float __sinf(float a) { return std::sin(a); }
inline float __cosf(float a) { return std::cos(a); }

namespace emulation {
// Replace a value as atomic functions do; return the old one.
template <class T, class Operation>
INLINED T replace(T* address, Operation operation) {
#ifdef __SANITIZE_THREAD__
    T old;
    atomic_read(&old, address, sizeof old);
    const T next = operation(old);
    atomic_write(address, &next, sizeof next);
    return old;
#else
    return std::exchange(*address, operation(*address));
#endif
}
}  // namespace emulation

#define ATOMIC(name, expression)                                                                             \
    template <class T>                                                                                       \
    INLINED T name(T* address, std::common_type_t<T> value) {                                                \
        return emulation::replace(address, [value](T old) -> T { return expression; });                      \
    }
ATOMIC(atomicAdd, old + value)
ATOMIC(atomicSub, old - value)
ATOMIC(atomicMin, min<T>(old, value))
ATOMIC(atomicMax, max<T>(old, value))
ATOMIC(atomicAnd, old& value)
ATOMIC(atomicOr, old | value)
ATOMIC(atomicXor, old ^ value)
ATOMIC(atomicExch, value)
ATOMIC(atomicInc, old >= value ? 0 : old + 1)
ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef ATOMIC

template <class T>
INLINED T atomicCAS(T* address, std::common_type_t<T> compare, std::common_type_t<T> value) {
    return emulation::replace(address, [=](T old) -> T { return old == compare ? value : old; });
}

inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
inline int __clz(unsigned word) { return word ? __builtin_clz(word) : 32; }
inline int __clzll(unsigned long long word) { return word ? __builtin_clzll(word) : 64; }
inline int __ffs(unsigned word) { return __builtin_ffs(word); }
inline int __ffsll(unsigned long long word) { return __builtin_ffsll(word); }
inline int highest(unsigned bits) { return 31 - __clz(bits); }  // on a GPU: PTX in bits.cuh
inline unsigned __brev(unsigned word) {
    unsigned mirrored = 0;
    for (int i = 0; i < 32; ++i)
        mirrored |= (word >> i & 1) << (31 - i);
    return mirrored;
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline unsigned __sad(int a, int b, unsigned c) { return c + unsigned(std::abs((long long)a - b)); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }

#define VECTORS(type, name, bytes)                                                                           \
    struct alignas(2 * bytes) name##2 { type x, y; };                                                        \
    struct name##3 { type x, y, z; };                                                                        \
    struct alignas(4 * bytes) name##4 { type x, y, z, w; };                                                  \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                         \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                              \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTORS(signed char, char, 1)
VECTORS(unsigned char, uchar, 1)
VECTORS(short, short, 2)
VECTORS(unsigned short, ushort, 2)
VECTORS(int, int, 4)
VECTORS(float, float, 4)
#undef VECTORS
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

template <class T>
INLINED T __ldg(const T* address) {
    return *address;
}

template <class T>
INLINED T __ldcs(const T* address) {
    return *address;
}

template <class T>
INLINED void __stcs(T* address, T value) {
    *address = value;
}

// Shift high:low to the left; return the upper word.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) << shift >> 32);
}

// Shift high:low to the right; return the lower word.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}

// Select bytes of b (4 to 7) and a (0 to 3) by the digits of the selector.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
    return result;
}

// The same, but a digit plus 8 selects the byte's sign bit, repeated eight times. On a GPU: PTX in halves.cuh.
inline unsigned permuted(unsigned a, unsigned b, unsigned selector) {
    unsigned result = __byte_perm(a, b, selector);
    for (int at = 0; at < 32; at += 8)
        if (selector >> at / 2 & 8)
            result = result & ~(0xFFu << at) | (result >> at & 0x80 ? 0xFFu << at : 0);
    return result;
}

// Arithmetic on pairs of half-precision numbers; on a GPU: PTX in halves.cuh. Sums and products are exact in double.
inline double half_value(unsigned half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31) stop();  // infinities are not supported
    const double value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return half >> 15 & 1 ? -value : value;
}
inline unsigned half_bits(double value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    value = std::abs(value);
    int exponent = max(std::ilogb(value), -14);
    if (value == 0) return sign;
    const int fraction =
        std::nearbyint(std::ldexp(value, 10 - exponent));  // ties to even; 2048: the next exponent
    if (exponent > 14) stop();
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

// c plus the products of both halves of a with the lower or the upper two bytes of b.
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return (a & 0xFFFF) * (b & 0xFF) + (a >> 16) * (b >> 8 & 0xFF) + c;
}
inline int __dp2a_lo(int a, int b, int c) { return int16_t(a) * int8_t(b) + (a >> 16) * int8_t(b >> 8) + c; }
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }

// Operations on four unsigned bytes.
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned result = 0;
    for (int at = 0; at < 32; at += 8)
        result |= unsigned(std::abs(int(a >> at & 0xFF) - int(b >> at & 0xFF))) << at;
    return result;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int at = 0; at < 32; at += 8)
        c += (a >> at & 0xFF) * (b >> at & 0xFF);
    return c;
}

// Operations on two unsigned 16-bit halves; sums wrap within their half.
inline unsigned __vminu2(unsigned a, unsigned b) {
    return min(a & 0xFFFF, b & 0xFFFF) | min(a >> 16, b >> 16) << 16;
}
inline unsigned __vmaxu2(unsigned a, unsigned b) { return ~__vminu2(~a, ~b); }
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
    return __vminu2((a + b & 0xFFFF) | (a & 0xFFFF0000) + (b & 0xFFFF0000), c);
}
// The same with signed halves; negative results become 0.
inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
    const auto half = [](unsigned x, unsigned y, unsigned z) {
        return unsigned(max(min<int>(short(x + y), short(z)), 0));
    };
    return half(a, b, c) | half(a >> 16, b >> 16, c >> 16) << 16;
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }

// Shuffles. On a GPU it is undefined what a lane outside the mask gives; here the launch ends with a fault.
namespace emulation {
template <class T>
INLINED T shuffle(unsigned mask, T value, int source) {
    static_assert(sizeof(T) <= 8, "a shuffle takes at most 8 bytes");
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const unsigned long long* values = exchange(mask, bits);
    if (!(mask >> source & 1))
        fail(BARRIER, "a lane takes the value of a lane that is not in the mask of the shuffle");
    std::memcpy(&value, &values[source], sizeof value);
    return value;
}

inline int lane() { return thread_number() % WARP; }

// Combine the values of a mask's lanes.
template <class T, class Operation>
INLINED T reduce(unsigned mask, T value, Operation operation) {
    const unsigned long long* values = exchange(mask, (unsigned long long)value);
    T result = value;
    for (int i = 0; i < WARP; ++i)
        if (mask >> i & 1 && i != lane()) result = operation(result, T(values[i]));
    return result;
}
}  // namespace emulation

template <class T>
INLINED T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    return emulation::shuffle(mask, value, emulation::lane() / width * width + (source & width - 1));
}

// A lane takes its own value where there is no lane at that distance.
template <class T>
INLINED T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
    const int lane = emulation::lane(), source = lane - int(distance);
    return emulation::shuffle(mask, value, source < lane / width * width ? lane : source);
}
template <class T>
INLINED T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
    const int lane = emulation::lane(), source = lane + int(distance);
    return emulation::shuffle(mask, value, source >= (lane / width + 1) * width ? lane : source);
}
template <class T>
INLINED T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    const int lane = emulation::lane(), source = lane ^ bits;
    return emulation::shuffle(mask, value, source >= (lane / width + 1) * width ? lane : source);
}

// The predicates of a mask's lanes, a bit each.
INLINED unsigned __ballot_sync(unsigned mask, int predicate) {
    const unsigned long long* values = emulation::exchange(mask, predicate != 0);
    unsigned votes = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) votes |= unsigned(values[lane]) << lane;
    return votes;
}
INLINED int __all_sync(unsigned mask, int predicate) { return !__ballot_sync(mask, !predicate); }
INLINED int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
INLINED unsigned __activemask() { return emulation::lanes_alive(); }

#define REDUCE(name, type, expression)                                                                       \
    INLINED type name(unsigned mask, type value) {                                                           \
        return emulation::reduce(mask, value, [](type a, type b) -> type { return expression; });            \
    }
REDUCE(__reduce_add_sync, unsigned, a + b)
REDUCE(__reduce_add_sync, int, a + b)
REDUCE(__reduce_min_sync, unsigned, min(a, b))
REDUCE(__reduce_min_sync, int, min(a, b))
REDUCE(__reduce_max_sync, unsigned, max(a, b))
REDUCE(__reduce_max_sync, int, max(a, b))
REDUCE(__reduce_and_sync, unsigned, a& b)
REDUCE(__reduce_or_sync, unsigned, a | b)
REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef REDUCE

// What Python calls: a launcher for each kernel, and a description of its parameters such as "uint8*,int32".
namespace emulation {
template <class T>
void append_type(char*& text) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    const char* kind = std::is_same_v<Element, bool>       ? "bool"
                       : std::is_floating_point_v<Element> ? "float"
                       : !std::is_integral_v<Element>      ? "struct"
                       : std::is_signed_v<Element>         ? "int"
                                                           : "uint";
    while (*kind)
        *text++ = *kind++;
    if constexpr (std::is_arithmetic_v<Element> && !std::is_same_v<Element, bool>) {
        int bits = sizeof(Element) * 8;
        if (bits > 9) *text++ = '0' + bits / 10;
        *text++ = '0' + bits % 10;
    }
    if (std::is_pointer_v<T>) *text++ = '*';
    *text++ = ',';
}

template <class... P>
void describe(void (*)(P...), char* text) {
    (append_type<std::remove_cv_t<P>>(text), ...);
    *text = 0;
}

template <auto KERNEL, class... P, size_t... I>
void launch(void (*)(P...), Launch& launch, void** arguments, std::index_sequence<I...>) {
    run(
        launch, [](void** values) UNCHECKED { KERNEL(*static_cast<std::remove_cv_t<P>*>(values[I])...); },
        arguments);
}

template <auto KERNEL, class... P>
void launch(void (*kernel)(P...), Launch& call, void** arguments) {
    launch<KERNEL>(kernel, call, arguments, std::index_sequence_for<P...>());
}
}  // namespace emulation

#define LAUNCHER(name)                                                                                       \
    extern "C" __attribute__((visibility("default"))) void launch_##name(emulation::Launch* call,            \
                                                                         void** arguments) {                 \
        emulation::launch<&device::name>(&device::name, *call, arguments);                                   \
    }                                                                                                        \
    extern "C" __attribute__((visibility("default"))) void describe_##name(char* text) {                     \
        emulation::describe(&device::name, text);                                                            \
    }
