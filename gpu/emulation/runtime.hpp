// Interface between the emulated kernels, the scheduler of their threads, and the checks of their memory accesses.

#pragma once

#include <stddef.h>

#pragma GCC visibility push(hidden)  // within a program: reached without a table

struct uint3 {
    unsigned x, y, z;
};
extern uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

// The values are indices of FAULTS in program.py.
enum FaultKind { OUT_OF_BOUNDS, UNINITIALISED, RACE, BARRIER, STACK, ADDRESS, STOPPED };

// A fault as it is reported to Python, which reads this structure and the next ones here: structures.py.
struct Fault {
    int kind;
    int write;                                 // 1: the access is a write
    unsigned thread[3], block[3];              // x, y, z
    unsigned other_thread[3], other_block[3];  // of the earlier access of a race
    int other_write;                           // 1: that access is a write
    unsigned long long address;                // that was accessed; 0 if there is none
    unsigned long long bytes;                  // of the access
    unsigned long long place;                  // address of the instruction
    unsigned long long other;  // address of the other instruction of a race; 0 if there is none
    char text[256];
};

// An array that the kernel may access.
struct Range {
    unsigned char* begin;
    unsigned long long bytes;
    unsigned element;  // bytes of an element
    unsigned shared;   // 1: shared memory of a block
};

// Accesses of one instruction to one array. `transactions` are sectors of 32 bytes in global memory, and passes over
// the banks in shared memory; `least` is the number that a perfect access pattern would need.
struct Count {
    int array;  // index of its range
    int write;
    unsigned long long place;  // address of the instruction
    unsigned long long requests, transactions, least;
};

// A launch, as Python passes it.
struct Launch {
    unsigned grid[3], block[3];  // x, y, z
    unsigned order;              // 0: warps and lanes run in ascending order; else the seed of another order
    int guarded;                 // 1: an access beyond a thread's stack is a fault
    const Range* ranges;         // global arrays, then shared ones
    int range_count;
    int poisons;  // 1: fill shared memory with POISON before each block
    Fault* faults;
    int fault_capacity, fault_count;
    char* output;  // of printf
    int output_capacity, output_bytes, output_lines;
    Count* counts;
    int count_capacity, count_count;
    int incomplete;  // 1: some accesses were not counted, since there were too many
};

constexpr unsigned char POISON = 0xCB;
constexpr int MOST_LINES = 100;  // that printf may write
constexpr int WARP = 32;

// Run a kernel. `call` runs one thread of it, with `arguments`.
void run(Launch& launch, void (*call)(void** arguments), void** arguments);

// Report a fault of the running thread and end the launch. `place`: where it is called, if it is null.
[[noreturn]] void fail(FaultKind kind, const char* text, const void* place = nullptr);
[[noreturn]] void end_launch();

// Add a fault of the running thread to the report; the launch goes on. `place`: the address behind an instruction.
Fault& add_fault(FaultKind kind, const void* place);

// Exchange values among the lanes of a mask: wait for all of them and return the values of all 32 lanes. Lanes that do
// not exist leave the mask.
const unsigned long long* exchange(unsigned& mask, unsigned long long bits);

int print(const char* format, ...) __attribute__((format(printf, 1, 2)));

int thread_number();                 // of the running thread in its block: x varies fastest
bool is_local(const void* address);  // whether it lies on the running thread's stack
unsigned lanes_alive();              // mask of the lanes of the running thread's warp that did not end

// Accesses of atomic functions: they are counted, and do not race with each other.
void atomic_read(void* target, const void* address, size_t bytes);
void atomic_write(void* address, const void* source, size_t bytes);

// What the scheduler tells the checks (only in a checked build).
void begin_checks(Launch& launch);
void begin_block();
void end_access();  // the running thread's last write is complete
void end_block();
void end_checks(Launch& launch);
void block_synchronised();  // all threads of the block passed a barrier
void lanes_synchronised(int warp, unsigned mask);

}  // namespace emulation

void __syncthreads();
int __syncthreads_or(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_count(int predicate);
void __syncwarp(unsigned mask = 0xFFFFFFFF);

// What the program's own kernels do on a GPU by PTX.
void wait_for_threads(int count);  // at a barrier for some of a block's threads
void let_others_run();             // go on after the other warps had their turn
void __nanosleep(unsigned);
long long clock64();
void stop();  // where a kernel meets a state that must not occur

#pragma GCC visibility pop
