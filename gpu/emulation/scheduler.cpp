// Run the blocks of a kernel one after the other, each thread on a stack of its own.
//
// A warp runs until all of its threads wait or have ended; then the next warp runs. So a barrier that is missing
// between warps shows in the result. Compiled once; the object is linked with every emulated kernel.

#include "runtime.hpp"

#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>  // no `new`: a program that needs the C++ library takes four times as long to link
#include <cstring>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

thread_local char shared_anchor;  // by which Python finds arrays in shared memory

namespace {

struct Barrier {
    const char* name;
    int arrived = 0;
    unsigned turn = 0;
};

// Lanes of a warp that wait for each other. Values are kept in turn: a lane may still read the last ones.
struct Group {
    unsigned mask = 0;
    Barrier barrier{"__syncwarp() or a shuffle"};
    unsigned long long values[2][WARP];
};
constexpr int GROUPS = 100;  // so many more than lanes that values are read before a group is used again
struct Warp {
    unsigned alive;  // lanes that did not end
    int newest = -1;
    Group groups[GROUPS];
};

constexpr size_t STACK_BYTES = 1 << 18, PAGE = 1 << 12;

// A thread's stack and place. Started as a context, then left and resumed by jumps: switching contexts calls the
// operating system each time.
struct Fiber {
    ucontext_t context;
    jmp_buf place;
    char* stack = nullptr;  // kept for the next launch
    bool guarded = false, begun = false, finished, paused;
    int number;
    uint3 index;
    const Barrier* barrier;  // where it waits, if it does, until the turn is over
    unsigned turn;
    const void* waits_at;  // address of the instruction

    bool ready() const { return !finished && !paused && !(barrier && barrier->turn == turn); }
};

Fiber* fibers[1024];
int fiber_count;
Fiber* current;
int threads;  // of a block
int running;  // threads of the block that did not end
int pauses;   // of the block's threads
int sleeps;
jmp_buf scheduler, abandoned;
Launch* launched;
void (*call)(void**);
void** arguments;
Barrier block_barrier{"__syncthreads()"}, some_barrier{"a barrier (bar.sync) of some threads"};
Warp warps[1024 / WARP];
unsigned random_state;

constexpr int MOST_PAUSES = 1 << 24, MOST_SLEEPS = 1000000;

// Continue in the scheduler until the thread is resumed.
__attribute__((noinline)) void leave() {
#ifdef CHECKED
    end_access();
#endif
    if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}

void wait_at(Barrier& barrier, int expected, const void* place) {
    current->barrier = &barrier;
    current->turn = barrier.turn;
    current->waits_at = place;
    if (++barrier.arrived == expected) {
        barrier.arrived = 0;
        ++barrier.turn;
    } else {
        leave();
    }
}

void wait_for_block(const void* place) {
#ifdef CHECKED
    if (block_barrier.arrived + 1 == threads) {
        end_access();
        block_synchronised();
    }
#endif
    wait_at(block_barrier, threads, place);
}

Group& group_of(Warp& warp, unsigned mask) {
    for (Group& group : warp.groups) {
        if (group.mask == mask) return group;
        if (!group.mask) break;
    }
    do {
        warp.newest = (warp.newest + 1) % GROUPS;
    } while (warp.groups[warp.newest].barrier.arrived);
    warp.groups[warp.newest].mask = mask;
    return warp.groups[warp.newest];
}

// Wait for all lanes of a mask; return the values that they brought.
const unsigned long long* wait_for_lanes(unsigned& mask, unsigned long long bits, const void* place) {
    const int number = current->number, lane = number % WARP;
    const int first = number - lane, lanes = threads - first;
    if (lanes < WARP) mask &= (1u << lanes) - 1;  // the others do not exist
    if (!(mask >> lane & 1))
        fail(BARRIER, "a lane takes part in __syncwarp() or a shuffle, but its mask lacks it", place);
    Warp& warp = warps[number / WARP];
    Group& group = group_of(warp, mask);
    unsigned long long* const values = group.values[group.barrier.turn % 2];
    values[lane] = bits;
#ifdef CHECKED
    if (group.barrier.arrived + 1 == __builtin_popcount(mask)) {
        end_access();
        lanes_synchronised(number / WARP, mask);
    }
#endif
    wait_at(group.barrier, __builtin_popcount(mask), place);
    return values;
}

// A vote of all threads of a block. Three results in turn: a thread may still read the last one.
int vote(int predicate, const void* place) {
    static int counts[2];
    int& count = counts[block_barrier.turn % 2];
    if (block_barrier.arrived == 0) count = 0;
    count += predicate != 0;
    wait_for_block(place);
    return count;
}

// The body of a stack: a thread of one block, then of the next.
void run_threads() {
    for (;;) {
        call(arguments);
        current->finished = true;
        warps[current->number / WARP].alive &= ~(1u << current->number % WARP);
        --running;
        leave();
    }
}

void begin(Fiber& fiber) {
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber.context, run_threads, 0);
    fiber.begun = true;
    setcontext(&fiber.context);
}

__attribute__((noinline)) void resume(Fiber& fiber) {
    current = &fiber;
    threadIdx = fiber.index;
    if (_setjmp(scheduler)) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    begin(fiber);
}

// Make stacks for a block. The last page of a guarded stack cannot be accessed. Others are only examined: each
// guarded stack takes two of the mappings that a process may have, of which hundreds of kernels need too many.
bool make_fibers(bool guarded) {
    while (fiber_count < threads) {
        void* stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) return false;
        Fiber* fiber = fibers[fiber_count] = new (malloc(sizeof(Fiber))) Fiber;
        fiber->number = fiber_count++;
        fiber->stack = static_cast<char*>(stack);
    }
    for (int i = 0; i < threads; ++i) {
        Fiber& fiber = *fibers[i];
        fiber.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        if (guarded && !fiber.guarded) {
            mprotect(fiber.stack, PAGE, PROT_NONE);
            fiber.guarded = true;
        }
    }
    return true;
}

// Run the ready threads from `first` to `last`, again and again until none is ready; return whether any was.
bool run_warp(int first, int last) {
    const bool descending = launched->order & 1;
    bool ran = false;
    for (bool ready = true; ready;) {
        ready = false;
        for (int i = first; i < last; ++i) {
            Fiber& fiber = *fibers[descending ? first + last - 1 - i : i];
            if (!fiber.ready()) continue;
            ran = ready = true;
            resume(fiber);
        }
    }
    return ran;
}

unsigned random_number() {
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 16;
}

Fault& new_fault(FaultKind kind, const uint3& thread, const void* place) {
    static Fault unreported;
    const bool fits = launched->fault_count < launched->fault_capacity;
    Fault& fault = fits ? launched->faults[launched->fault_count++] : unreported;
    fault = {};
    fault.kind = kind;
    fault.place = (unsigned long long)place;
    fault.thread[0] = thread.x, fault.thread[1] = thread.y, fault.thread[2] = thread.z;
    fault.block[0] = blockIdx.x, fault.block[1] = blockIdx.y, fault.block[2] = blockIdx.z;
    return fault;
}

void report_deadlock() {
    Fiber* waiting = nullptr;
    int at_same = 0;
    for (int i = 0; i < threads; ++i)
        if (!fibers[i]->finished && fibers[i]->barrier && !waiting) waiting = fibers[i];
    if (!waiting) return;
    for (int i = 0; i < threads; ++i)
        at_same += !fibers[i]->finished && fibers[i]->barrier == waiting->barrier;
    Fault& fault = new_fault(BARRIER, waiting->index, waiting->waits_at);
    const int elsewhere = running - at_same;
    snprintf(
        fault.text, sizeof fault.text,
        "%d of %d thread%s of the block wait%s at %s for threads that do not reach it: %d ended, %d wait%s "
        "elsewhere",
        at_same, threads, threads == 1 ? "" : "s", at_same == 1 ? "s" : "", waiting->barrier->name,
        threads - running, elsewhere, elsewhere == 1 ? "s" : "");
}

bool run_block() {
    const int warp_count = (threads + WARP - 1) / WARP;
    for (int i = 0; i < threads; ++i) {
        fibers[i]->finished = fibers[i]->paused = false;
        fibers[i]->barrier = nullptr;
    }
    for (int i = 0; i < warp_count; ++i) {
        const int lanes = threads - i * WARP;
        warps[i].alive = lanes < WARP ? (1u << lanes) - 1 : ~0u;
    }
    sleeps = pauses = 0;
    for (running = threads; running > 0;) {
        bool ran = false;
        // Threads that pause may meet the other warps in any order.
        const int first = pauses || launched->order ? random_number() % warp_count : 0;
        const bool descending = launched->order && random_number() & 1;
        for (int i = 0; i < warp_count; ++i) {
            const int warp = (first + (descending ? warp_count - i : i)) % warp_count * WARP;
            ran |= run_warp(warp, warp + WARP < threads ? warp + WARP : threads);
        }
        if (!ran || pauses > MOST_PAUSES) {
            report_deadlock();
            return false;
        }
        for (int i = 0; i < threads; ++i)
            fibers[i]->paused = false;
    }
    return true;
}

// Whether the last page of a stack was never used. One thread of each block is examined.
bool stack_sufficed(const Fiber& fiber) {
    if (fiber.guarded) return true;
    for (size_t i = 0; i < PAGE; ++i)
        if ((unsigned char)fiber.stack[i] != 0) return false;
    return true;
}

void run_grid() {
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
                for (int i = 0; launched->poisons && i < launched->range_count; ++i)
                    if (launched->ranges[i].shared)
                        memset(launched->ranges[i].begin, POISON, launched->ranges[i].bytes);
#ifdef CHECKED
                begin_block();
#endif
                if (!run_block()) return;
#ifdef CHECKED
                end_block();
#endif
                const Fiber& fiber = *fibers[blockIdx.x % threads];
                if (stack_sufficed(fiber)) continue;
                new_fault(STACK, fiber.index, nullptr);
                return;
            }
}

constexpr int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[4];
pthread_t launching;
alignas(16) char signal_stack[1 << 16];

// Report an access to an address without memory, and end the launch.
void take_signal(int number, siginfo_t* info, void* context) {
    if (!pthread_equal(pthread_self(), launching)) {  // it is of another thread of the process
        for (int i = 0; i < 4; ++i)
            if (SIGNALS[i] == number) sigaction(number, &before[i], nullptr);
        return;
    }
    const char* address = static_cast<const char*>(info->si_addr);
    const bool of_memory = number == SIGSEGV || number == SIGBUS;
    FaultKind kind = of_memory ? ADDRESS : STOPPED;
    if (of_memory && current && address >= current->stack && address < current->stack + PAGE) kind = STACK;
    const void* place = nullptr;
    int write = 0;
#if defined(__x86_64__)
    const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    place = reinterpret_cast<const char*>(registers[REG_RIP]) + 1;
    write = registers[REG_ERR] >> 1 & 1;
#elif defined(__aarch64__)
    place = reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc) + 1;
#endif
    Fault& fault = new_fault(kind, threadIdx, place);
    fault.write = write;
    if (kind == ADDRESS) fault.address = (unsigned long long)address;
    if (kind == STOPPED)
        strcpy(fault.text,
               number == SIGFPE ? "integer division by zero" : "an instruction that is not allowed");
    _longjmp(abandoned, 1);
}

struct Signals {
    stack_t stack_before;

    Signals() {
        launching = pthread_self();
        stack_t stack{};
        stack.ss_sp = signal_stack;
        stack.ss_size = sizeof signal_stack;
        sigaltstack(&stack, &stack_before);
        struct sigaction action{};
        action.sa_sigaction = take_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (int i = 0; i < 4; ++i)
            sigaction(SIGNALS[i], &action, &before[i]);
    }
    ~Signals() {
        for (int i = 0; i < 4; ++i)
            sigaction(SIGNALS[i], &before[i], nullptr);
        sigaltstack(&stack_before, nullptr);
    }
};

// The state of a launch that was ended in the middle is of no use to the next one.
void forget() {
    for (int i = 0; i < fiber_count; ++i)
        fibers[i]->begun = false;
    block_barrier.arrived = some_barrier.arrived = 0;
    for (Warp& warp : warps)
        for (Group& group : warp.groups)
            group.barrier.arrived = 0;
}

}  // namespace

void run(Launch& launch, void (*kernel)(void**), void** values) {
    gridDim = {launch.grid[0], launch.grid[1], launch.grid[2]};
    blockDim = {launch.block[0], launch.block[1], launch.block[2]};
    threads = blockDim.x * blockDim.y * blockDim.z;
    launched = &launch;
    call = kernel;
    arguments = values;
    random_state = launch.order + 1;
    if (!make_fibers(launch.guarded)) {
        strcpy(new_fault(STOPPED, {}, nullptr).text, "there is no memory for the stacks of all threads");
        return;
    }
    const Signals signals;
#ifdef CHECKED
    begin_checks(launch);
#endif
    if (!_setjmp(abandoned)) run_grid();
    if (launch.fault_count) forget();
#ifdef CHECKED
    end_checks(launch);
#endif
    current = nullptr;
}

void fail(FaultKind kind, const char* text, const void* place) {
    Fault& fault = new_fault(kind, threadIdx, place ? place : __builtin_return_address(0));
    snprintf(fault.text, sizeof fault.text, "%s", text);
    end_launch();
}

void end_launch() { _longjmp(abandoned, 1); }

Fault& add_fault(FaultKind kind, const void* place) { return new_fault(kind, threadIdx, place); }

const unsigned long long* exchange(unsigned& mask, unsigned long long bits) {
    return wait_for_lanes(mask, bits, __builtin_return_address(0));
}

int print(const char* format, ...) {
    if (launched->output_lines >= MOST_LINES || !launched->output_capacity) return 0;
    char* begin = launched->output + launched->output_bytes;
    const int capacity = launched->output_capacity - launched->output_bytes;
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(begin, capacity, format, values);
    va_end(values);
    const int taken = length < capacity ? length : capacity - 1;
    for (int i = 0; i < taken; ++i)
        launched->output_lines += begin[i] == '\n';
    launched->output_bytes += taken;
    return length;
}

int thread_number() { return current->number; }

bool is_local(const void* address) {
    const char* byte = static_cast<const char*>(address);
    return byte >= current->stack && byte < current->stack + STACK_BYTES;
}

unsigned lanes_alive() { return warps[current->number / WARP].alive; }

}  // namespace emulation

using namespace emulation;

extern "C" __attribute__((visibility("default"))) void* shared_memory_anchor() { return &shared_anchor; }

// Give the stacks back; the next launch makes others. A process may have only so many mappings.
extern "C" __attribute__((visibility("default"))) void release_stacks() {
    while (fiber_count > 0) {
        Fiber* fiber = fibers[--fiber_count];
        munmap(fiber->stack, STACK_BYTES);
        free(fiber);
    }
}

void __syncthreads() { wait_for_block(__builtin_return_address(0)); }
int __syncthreads_count(int predicate) { return vote(predicate, __builtin_return_address(0)); }
int __syncthreads_or(int predicate) { return vote(predicate, __builtin_return_address(0)) > 0; }
int __syncthreads_and(int predicate) { return vote(predicate, __builtin_return_address(0)) == threads; }

void __syncwarp(unsigned mask) { wait_for_lanes(mask, 0, __builtin_return_address(0)); }

void wait_for_threads(int count) {
#ifdef CHECKED
    if (some_barrier.arrived + 1 == count) block_synchronised();
#endif
    wait_at(some_barrier, count, __builtin_return_address(0));
}

void let_others_run() {
    current->paused = true;
    ++pauses;
    leave();
}

// Blocks run one by one: what a block waits for is there already.
void __nanosleep(unsigned) {
    if (++sleeps == MOST_SLEEPS) {
        fail(BARRIER, "a thread waits in a loop for a block that does not run yet",
             __builtin_return_address(0));
    }
}

// Nothing here takes the time of a GPU: the clock only advances.
long long clock64() {
    static long long readings;
    return ++readings;
}

void stop() { fail(STOPPED, "the kernel stopped itself", __builtin_return_address(0)); }
