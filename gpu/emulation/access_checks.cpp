// Check each memory access of a kernel, and count memory transactions and bank conflicts.
//
// The compiler's option -fsanitize=thread calls __tsan_read4 and similar functions before each access; its library is
// not used: these functions are defined here. They are compiled without the option, once.
//
// Races. An access is ordered after another one of the same thread, of a thread of the same block if the block passed
// a barrier in between, and of a lane of the same warp if __syncwarp() or a shuffle lies in between. Two accesses that
// are not ordered are a race if one of them is a write that changes the value, unless both are atomic or volatile.

#include "runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <tuple>
#include <unordered_map>
#include <vector>

#define HIDDEN extern "C" __attribute__((visibility("hidden")))
HIDDEN const char __ehdr_start, _end;  // of the program: its constants and variables lie in between

namespace emulation {
namespace {

// The write of an atomic function is counted by its read.
enum Kind { READ, WRITE, ATOMIC_READ, ATOMIC_WRITE, VOLATILE_WRITE };
bool writes(Kind kind) { return kind == WRITE || kind >= ATOMIC_WRITE; }
bool is_atomic(Kind kind) { return kind >= ATOMIC_READ; }

// The last access of a kind to an element. `thread` counts from 1 through all blocks; 0: there was none.
struct Access {
    uint32_t thread = 0;
    uint32_t barriers;    // that the block had passed
    uint32_t lane_clock;  // of the thread, counting what orders it in its warp
    uint32_t place : 31;  // offset of the instruction in the program
    uint32_t atomic : 1;
};

// What happened to an element of a global array, or to a byte of a shared one.
struct Cell {
    Access write, reads[2];
    bool changed;  // whether the last write changed the value
};

constexpr size_t MOST_CELLS = 1 << 23;            // of an array; larger ones are not examined for races
constexpr size_t MOST_ACCESSES = 1 << 24;         // of a block that are counted
constexpr int SECTOR = 32, BANKS = 32, WORD = 4;  // of a GPU: bytes, number, bytes

struct Array {
    Range range;
    Cell* cells = nullptr;
    size_t cell_count = 0;

    size_t cell_of(const unsigned char* address) const { return (address - range.begin) / range.element; }
    bool contains(const unsigned char* address) const {
        return address >= range.begin && address < range.begin + range.bytes;
    }
};

// The write of the running thread that is about to happen: whether it changes the value is known afterwards.
struct PendingWrite {
    const unsigned char* address = nullptr;
    size_t bytes;
    unsigned char before[64];
    Cell *first, *last;
    Access conflict;  // an access that is not ordered before it; none if its thread is 0
    bool conflict_writes;
    const void* place;
};

// The accesses of one instruction by the lanes of a warp, in the order of execution: offset << 8 | bytes.
struct Site {
    const void* place;
    int array;
    bool write;
    std::vector<uint64_t> lanes[WARP];
};

struct SiteKey {
    const void* place;
    int array;
    bool write;
    bool operator==(const SiteKey& other) const {
        return place == other.place && array == other.array && write == other.write;
    }
};
struct SiteHash {
    size_t operator()(const SiteKey& key) const { return size_t(key.place) * 31 + key.array * 2 + key.write; }
};

struct Warp {
    uint32_t clocks[WARP][WARP];  // what each lane knows of the clock of each lane
    std::unordered_map<SiteKey, Site, SiteHash> sites;
};

Launch* launch;
std::vector<Array> arrays;
size_t last_array;
PendingWrite pending;
Warp warps[1024 / WARP];
uint32_t barriers, first_thread;  // of the block
size_t accesses;                  // of the block that were counted
std::set<std::tuple<int, const void*, const void*>> reported;
std::unordered_map<SiteKey, Count, SiteHash> counts;

bool in_this_block(const Access& access) { return access.thread > first_thread; }

// Whether an access is ordered before what the running thread does now.
bool is_ordered(const Access& access) {
    if (!access.thread) return true;
    const uint32_t number = thread_number(), other = access.thread - first_thread - 1;
    if (!in_this_block(access)) return false;
    if (other == number || access.barriers < barriers) return true;
    return other / WARP == number / WARP &&
           warps[number / WARP].clocks[number % WARP][other % WARP] >= access.lane_clock;
}

// A plain read of global memory may be meant to take what another thread's atomic function left so far.
bool conflicts(const Array& array, const Access& access, bool written, Kind kind) {
    if (access.atomic && is_atomic(kind)) return false;
    if (!array.range.shared && ((access.atomic && !writes(kind)) || (is_atomic(kind) && !written)))
        return false;
    return !is_ordered(access);
}

// Report a fault, but not again with the same instructions.
void report(FaultKind kind, const unsigned char* address, size_t bytes, bool write, const void* place,
            const Access& other, bool other_write) {
    const void* instruction = other.thread ? &__ehdr_start + other.place : nullptr;
    if (!reported.emplace(kind, place, instruction).second) return;
    Fault& fault = add_fault(kind, place);
    fault.write = write, fault.address = (unsigned long long)address, fault.bytes = bytes;
    fault.other = (unsigned long long)instruction, fault.other_write = other_write;
    if (!other.thread) return;
    const auto set = [](unsigned* to, unsigned number, const uint3& size) {
        to[0] = number % size.x, to[1] = number / size.x % size.y, to[2] = number / size.x / size.y;
    };
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    set(fault.other_thread, (other.thread - 1) % threads, blockDim);
    set(fault.other_block, (other.thread - 1) / threads, gridDim);
}

Access this_access(Kind kind, const void* place) {
    const uint32_t number = thread_number(), lane = number % WARP;
    Access access;
    access.thread = first_thread + number + 1;
    access.barriers = barriers;
    access.lane_clock = warps[number / WARP].clocks[lane][lane];
    access.place = static_cast<const char*>(place) - &__ehdr_start;
    access.atomic = is_atomic(kind);
    return access;
}

// Remember a read in the place of one that is ordered before it.
void note_read(Cell& cell, const Access& access) {
    for (Access& read : cell.reads)
        if (read.thread == access.thread || is_ordered(read)) {
            read = access;
            return;
        }
}

void check_read(const Array& array, Cell& cell, Kind kind, const unsigned char* address, size_t bytes,
                const void* place) {
    if (array.range.shared && !cell.write.thread)
        report(UNINITIALISED, address, bytes, false, place, {}, false);
    else if (cell.changed && conflicts(array, cell.write, true, kind))
        report(RACE, address, bytes, false, place, cell.write, true);
}

void check_write(const Array& array, Cell& cell, Kind kind) {
    if (pending.conflict.thread) return;
    for (const Access& read : cell.reads)
        if (conflicts(array, read, false, kind)) pending.conflict = read, pending.conflict_writes = false;
    if (conflicts(array, cell.write, true, kind))
        pending.conflict = cell.write, pending.conflict_writes = true;
}

void check_race(Array& array, Kind kind, const unsigned char* address, size_t bytes, const void* place) {
    if (array.range.shared)  // what other blocks left is of no concern
        for (size_t i = array.cell_of(address); i <= array.cell_of(address + bytes - 1); ++i)
            for (Access* access : {&array.cells[i].write, &array.cells[i].reads[0], &array.cells[i].reads[1]})
                if (!in_this_block(*access)) access->thread = 0;
    Cell *first = &array.cells[array.cell_of(address)],
         *last = &array.cells[array.cell_of(address + bytes - 1)];
    const Access access = this_access(kind, place);
    if (writes(kind)) {
        pending.address = address, pending.bytes = bytes, pending.place = place;
        pending.first = first, pending.last = last, pending.conflict.thread = 0;
        memcpy(pending.before, address, std::min(bytes, sizeof pending.before));
    }
    for (Cell* cell = first; cell <= last; ++cell) {
        if (writes(kind)) {
            check_write(array, *cell, kind);
            cell->write = access;
        } else {
            check_read(array, *cell, kind, address, bytes, place);
            note_read(*cell, access);
        }
    }
}

void count_access(const Array& array, int index, bool write, const unsigned char* address, size_t bytes,
                  const void* place) {
    if (++accesses > MOST_ACCESSES) {
        launch->incomplete = 1;
        return;
    }
    const int number = thread_number();
    Site& site = warps[number / WARP].sites[{place, index, write}];
    site.place = place, site.array = index, site.write = write;
    site.lanes[number % WARP].push_back(uint64_t(address - array.range.begin) << 8 | bytes);
}

// Make cells of zeros; null if there is no memory.
Cell* new_cells(size_t count) {
    void* cells = mmap(nullptr, count * sizeof(Cell), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return cells == MAP_FAILED ? nullptr : static_cast<Cell*>(cells);
}

// Report an access outside the arrays, and end the launch.
void reject(bool write, const unsigned char* address, size_t bytes, const void* place) {
    report(OUT_OF_BOUNDS, address, bytes, write, place, {}, false);
    end_launch();
}

int find_array(const unsigned char* address) {
    if (last_array < arrays.size() && arrays[last_array].contains(address)) return last_array;
    for (size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].contains(address)) return last_array = i;
    return -1;
}

void check(Kind kind, const void* pointer, size_t bytes, const void* place) {
    if (!launch) return;
    const auto* address = static_cast<const unsigned char*>(pointer);
    if (is_local(address)) return;
    const auto* byte = static_cast<const char*>(pointer);
    if (byte >= &__ehdr_start && byte < &_end) return;
    end_access();
    const int index = find_array(address);
    if (index < 0) reject(writes(kind), address, bytes, place);
    // Arrays of a GPU end at multiples of 16 bytes: an aligned word that begins in one can be read as a whole.
    const size_t rest = arrays[index].range.begin + arrays[index].range.bytes - address;
    if (rest < bytes && (writes(kind) || size_t(address) % bytes))
        reject(writes(kind), address, bytes, place);
    bytes = std::min(bytes, rest);
    Array& array = arrays[index];
    if (array.cells) check_race(array, kind, address, bytes, place);
    if (kind != ATOMIC_WRITE) count_access(array, index, writes(kind), address, bytes, place);
}

// The sectors that lanes access at once.
int sectors(const std::vector<uint64_t>& requests) {
    std::vector<uint64_t> found;
    for (const uint64_t request : requests) {
        const uint64_t offset = request >> 8, bytes = request & 0xFF;
        for (uint64_t sector = offset / SECTOR; sector <= (offset + bytes - 1) / SECTOR; ++sector)
            found.push_back(sector);
    }
    std::sort(found.begin(), found.end());
    return std::unique(found.begin(), found.end()) - found.begin();
}

// The passes over the banks for some lanes: the most words that lie in one bank.
int bank_passes(const uint64_t* requests, size_t count) {
    std::array<std::set<uint64_t>, BANKS> words;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t offset = requests[i] >> 8, bytes = requests[i] & 0xFF;
        for (uint64_t word = offset / WORD; word <= (offset + bytes - 1) / WORD; ++word)
            words[word % BANKS].insert(word);
    }
    size_t most = 0;
    for (const auto& bank : words)
        most = std::max(most, bank.size());
    return most;
}

// Lanes of a warp share a pass as long as they access at most 128 bytes.
void add_shared(Count& count, const std::vector<uint64_t>& requests, size_t bytes) {
    const size_t lanes = WARP / std::max<size_t>(bytes / WORD, 1);
    for (size_t i = 0; i < requests.size(); i += lanes) {
        count.transactions += bank_passes(&requests[i], std::min(lanes, requests.size() - i));
        ++count.least;
    }
}

void add_global(Count& count, const std::vector<uint64_t>& requests, size_t bytes) {
    const int needed = sectors(requests);
    count.transactions += needed;
    count.least += std::min<size_t>(needed, (requests.size() * bytes + SECTOR - 1) / SECTOR);
}

// Count the accesses of an instruction. The n-th access of each lane belongs to the n-th request of the warp.
void add_up(const Site& site) {
    Count& count = counts[{site.place, site.array, site.write}];
    count.array = site.array, count.write = site.write, count.place = (unsigned long long)site.place;
    size_t most = 0;
    for (const auto& lane : site.lanes)
        most = std::max(most, lane.size());
    std::vector<uint64_t> requests;
    for (size_t i = 0; i < most; ++i) {
        requests.clear();
        for (const auto& lane : site.lanes)
            if (i < lane.size()) requests.push_back(lane[i]);
        ++count.requests;
        const size_t bytes = requests[0] & 0xFF;
        arrays[site.array].range.shared ? add_shared(count, requests, bytes)
                                        : add_global(count, requests, bytes);
    }
}

}  // namespace

void begin_checks(Launch& begun) {
    launch = &begun;
    reported.clear();
    counts.clear();
    pending.address = nullptr;
    first_thread = 0;
    last_array = 0;
    for (int i = 0; i < begun.range_count; ++i) {
        Array array;
        array.range = begun.ranges[i];
        array.cell_count = array.range.bytes / array.range.element;
        array.cells = array.cell_count <= MOST_CELLS ? new_cells(array.cell_count) : nullptr;
        arrays.push_back(array);
    }
}

void begin_block() {
    barriers = 1;
    accesses = 0;
    for (Warp& warp : warps) {
        memset(warp.clocks, 0, sizeof warp.clocks);
        for (int lane = 0; lane < WARP; ++lane)
            warp.clocks[lane][lane] = 1;
    }
}

void end_block() {
    for (Warp& warp : warps) {
        for (const auto& each : warp.sites)
            add_up(each.second);
        warp.sites.clear();
    }
    first_thread += blockDim.x * blockDim.y * blockDim.z;
}

void end_checks(Launch& ended) {
    end_block();  // of a launch that a fault ended
    for (const auto& each : counts)
        if (ended.count_count < ended.count_capacity) ended.counts[ended.count_count++] = each.second;
    for (const Array& array : arrays)
        if (array.cells) munmap(array.cells, array.cell_count * sizeof(Cell));
    arrays.clear();
    launch = nullptr;
}

void end_access() {
    if (!pending.address) return;
    const bool changed =
        memcmp(pending.before, pending.address, std::min(pending.bytes, sizeof pending.before)) != 0;
    for (Cell* cell = pending.first; cell <= pending.last; ++cell)
        cell->changed = changed;
    const unsigned char* address = pending.address;
    pending.address = nullptr;
    if (changed && pending.conflict.thread)
        report(RACE, address, pending.bytes, true, pending.place, pending.conflict, pending.conflict_writes);
}

void block_synchronised() { ++barriers; }

void lanes_synchronised(int number, unsigned mask) {
    Warp& warp = warps[number];
    uint32_t known[WARP] = {};
    for (int lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1)
            for (int i = 0; i < WARP; ++i)
                known[i] = std::max(known[i], warp.clocks[lane][i]);
    for (int lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1) {
            memcpy(warp.clocks[lane], known, sizeof known);
            ++warp.clocks[lane][lane];
        }
}

void atomic_read(void* target, const void* address, size_t bytes) {
    check(ATOMIC_READ, address, bytes, __builtin_return_address(0));
    memcpy(target, address, bytes);
}

void atomic_write(void* address, const void* source, size_t bytes) {
    check(ATOMIC_WRITE, address, bytes, __builtin_return_address(0));
    memcpy(address, source, bytes);
}

}  // namespace emulation

using namespace emulation;

#define HOOKS(middle, bytes, READS, WRITES)                                                                  \
    HIDDEN void __tsan_##middle##read##bytes(void* address) {                                                \
        check(READS, address, bytes, __builtin_return_address(0));                                           \
    }                                                                                                        \
    HIDDEN void __tsan_##middle##write##bytes(void* address) {                                               \
        check(WRITES, address, bytes, __builtin_return_address(0));                                          \
    }
HOOKS(, 1, READ, WRITE)
HOOKS(, 2, READ, WRITE)
HOOKS(, 4, READ, WRITE)
HOOKS(, 8, READ, WRITE)
HOOKS(, 16, READ, WRITE)
HOOKS(unaligned_, 2, READ, WRITE)
HOOKS(unaligned_, 4, READ, WRITE)
HOOKS(unaligned_, 8, READ, WRITE)
HOOKS(unaligned_, 16, READ, WRITE)
HOOKS(volatile_, 1, ATOMIC_READ, VOLATILE_WRITE)
HOOKS(volatile_, 2, ATOMIC_READ, VOLATILE_WRITE)
HOOKS(volatile_, 4, ATOMIC_READ, VOLATILE_WRITE)
HOOKS(volatile_, 8, ATOMIC_READ, VOLATILE_WRITE)
HOOKS(volatile_, 16, ATOMIC_READ, VOLATILE_WRITE)

// Structures of other sizes.
HIDDEN void __tsan_read_range(void* address, unsigned long bytes) {
    check(READ, address, bytes, __builtin_return_address(0));
}
HIDDEN void __tsan_write_range(void* address, unsigned long bytes) {
    check(WRITE, address, bytes, __builtin_return_address(0));
}
HIDDEN void __tsan_func_entry(void*) {}
HIDDEN void __tsan_func_exit() {}
HIDDEN void __tsan_init() {}

// What the option -fsanitize=bounds calls where an index of an array of known size is too large or negative.
struct IndexCheck {
    const char* file;
    unsigned line, column;
    const struct {
        unsigned short kind, info;
        char name[1];
    }* type;
};
HIDDEN void __ubsan_handle_out_of_bounds(const IndexCheck* data, unsigned long index) {
    Fault& fault = add_fault(OUT_OF_BOUNDS, __builtin_return_address(0));
    snprintf(fault.text, sizeof fault.text, "index %d of an array of the type %s", int(index),
             data->type->name);
    end_launch();
}
