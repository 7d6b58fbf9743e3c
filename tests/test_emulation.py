"""Emulated kernels: the supported CUDA C++, the reported faults, and the counters."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.test_parity import inputs_for
from wheatstone.gpu import Unavailable
from wheatstone.gpu.emulation import device
from wheatstone.gpu.emulation.compiler import (
    CompileError,
    CompileFailed,
    compile_program,
    parse_errors,
)
from wheatstone.gpu.emulation.device import EmulatedTexture, GuardedArray, Placement
from wheatstone.gpu.emulation.program import EmulatedProgram
from wheatstone.gpu.emulation.report import AccessCount, LaunchFault, LaunchReport
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.kernels.kernel import Kernel
from wheatstone.gpu.kernels.programs import OPTIONS, Program, entries, source, with_headers
from wheatstone.gpu.nvidia import compiled
from wheatstone.gpu.pipelines import PIPELINES

pytestmark = pytest.mark.usefixtures("compiler")
HEIGHT, WIDTH = 6, 8
HEAD = 'extern "C" __global__ void own(const float* a, float* b) {\n'


def program(text: str, *, checked: bool = True) -> EmulatedProgram:
    return EmulatedProgram(compile_program("own.cu", text, (), ("own",), checked=checked))


def run(
    text: str,
    *arguments: Any,
    grid: Sequence[int] = (1,),
    block: Sequence[int] = (32,),
    checked: bool = True,
    **options: Any,
) -> LaunchReport:
    names = ("a", "b", "c")[: len(arguments)]
    return program(text, checked=checked).launch(
        "own", grid, block, arguments, names=names, **options
    )


def run_on_floats(body: str, length: int = 64, **options: Any) -> tuple[LaunchReport, Any]:
    """Run a body that reads ``a``, which holds 1, 2, 3 and so on, and writes ``b``."""
    a, b = floats(length) + 1, floats(length)
    return run(f"{HEAD}{body}\n}}", a, b, **options), b


def fault_of(report: LaunchReport) -> LaunchFault:
    """The only fault of a launch."""
    assert len(report.faults) == 1, report.faults
    return report.faults[0]


def floats(*shape: int, placement: Placement = "end") -> Any:
    array = GuardedArray(shape, np.float32, placement).array
    array[...] = np.arange(array.size).reshape(shape)
    return array


@pytest.mark.parametrize(
    ("dy", "dx", "index"),
    [(-1, 0, (-1, 0)), (1, 0, (HEIGHT, 0)), (0, -1, (-1, WIDTH - 1)), (0, 1, (HEIGHT, 0))],
)
@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("writes", [True, False])
def test_an_access_beyond_a_border_is_reported(
    dy: int, dx: int, index: tuple[int, int], checked: bool, writes: bool
) -> None:
    away, here = f"(y + {dy}) * 8 + x + {dx}", "y * 8 + x"
    written, read = (away, here) if writes else (here, away)
    text = f"{HEAD}const int x = threadIdx.x, y = threadIdx.y;\nb[{written}] = a[{read}];\n}}"
    placement: Placement = "start" if min(dy, dx) < 0 else "end"
    a, b = (floats(HEIGHT, WIDTH, placement=placement) for _ in range(2))
    fault = fault_of(run(text, a, b, block=(WIDTH, HEIGHT), checked=checked))
    assert (fault.kind, fault.array) == ("out of bounds", "b" if writes else "a")
    assert (fault.index, fault.file, fault.line) == (index, "own.cu", 3)
    assert fault.thread == (max(dx, 0) * (WIDTH - 1), max(dx or dy, 0) * (HEIGHT - 1), 0)
    verb = "writes" if writes else "reads"
    assert f"{verb} {fault.array} at x {index[1]}, y {index[0]}, outside of it: " in fault.message


def test_a_byte_that_no_page_guards_is_reported_by_a_checked_program() -> None:
    a, b = GuardedArray((3, 3), np.uint8).array, GuardedArray((3, 3), np.uint8).array
    text = """extern "C" __global__ void own(const uint8_t* a, uint8_t* b) {
        b[threadIdx.x] = a[threadIdx.x + 1]; }"""
    assert run(text, a, b, block=(9,), checked=False).faults == ()
    fault = fault_of(run(text, a, b, block=(9,)))
    assert (fault.array, fault.index, fault.thread) == ("a", (3, 0), (8, 0, 0))


def test_a_word_that_begins_in_an_array_can_be_read_but_not_written() -> None:
    a, b = GuardedArray((6,), np.uint8).array, GuardedArray((6,), np.uint8).array
    text = """extern "C" __global__ void own(const uint8_t* a, uint8_t* b) {
        unsigned words[] = {*(const unsigned*)&a[0], *(const unsigned*)&a[4]};
        b[0] = words[1]; WRITE }"""
    assert run(text.replace("WRITE", ""), a, b, block=(1,)).faults == ()
    for write in ("*(unsigned*)&b[4] = words[0];", "b[0] = *(const unsigned*)&a[5];"):
        fault = fault_of(run(text.replace("WRITE", write), a, b, block=(1,)))
        assert fault.kind == "out of bounds" and fault.line == 3


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("tile[threadIdx.x][33] = 1;", "index 33 of an array of the type 'float [33]'"),
        ("tile[threadIdx.x - 1][0] = 1;", "index -1 of an array of the type 'float [4][33]'"),
        ("float sums[3]; sums[threadIdx.x] = 1; b[threadIdx.x] = sums[0];", "index 3 of an array"),
        (
            "dynamic[threadIdx.x + 1] = 1;",
            "writes element 4 of dynamic, outside of it: dynamic has 16 bytes",
        ),
    ],
)
def test_an_index_beyond_an_array_of_a_block_or_thread_is_reported(
    statement: str, message: str
) -> None:
    body = f"__shared__ float tile[4][33]; extern __shared__ float dynamic[];\n{statement}"
    report, _ = run_on_floats(body, block=(4,), shared=16)
    fault = fault_of(report)
    assert fault.kind == "out of bounds" and message in fault.message and fault.line == 3


@pytest.mark.parametrize("checked", [True, False])
def test_an_access_without_any_array_and_a_division_by_zero_end_a_launch(checked: bool) -> None:
    report, _ = run_on_floats("*(float*)(threadIdx.x * 4l) = 1;", checked=checked)
    fault = fault_of(report)
    assert (fault.kind, fault.array) == (
        "address",
        "",
    ) and "where there is no array" in fault.message
    report, _ = run_on_floats("b[0] = 7 / int(threadIdx.x);", checked=checked)
    assert fault_of(report).message.endswith("integer division by zero")
    report, _ = run_on_floats("assert(threadIdx.x < 5);", checked=checked)
    fault = fault_of(report)
    assert fault.thread == (5, 0, 0) and "assertion failed: threadIdx.x < 5" in fault.message


ZEROED = "__shared__ float t[64]; const int x = threadIdx.x; t[x] = 0; __syncthreads();\n"


@pytest.mark.parametrize(
    ("between", "threads", "kinds"),
    [
        ("__syncthreads();", 64, set()),
        ("__syncwarp();", 64, {"race"}),
        ("", 64, {"race"}),
        ("__syncwarp();", 32, set()),
        ("__shfl_sync(0xFFFFFFFF, x, 0);", 32, set()),
        ("__syncwarp(x < 16 ? 0xFFFF : 0xFFFF0000);", 32, {"race"}),
        ("", 32, {"race"}),
    ],
)
@pytest.mark.parametrize("order", range(3))
def test_a_missing_barrier_is_a_race(
    between: str, threads: int, kinds: set[str], order: int
) -> None:
    body = f"{ZEROED}t[x] = a[x];\n{between}\nb[x] = t[{threads - 1} - x];"
    report, b = run_on_floats(body, block=(threads,), order=order)
    assert {fault.kind for fault in report.faults} == kinds
    assert {(fault.array, fault.line) for fault in report.faults} <= {("t", 3), ("t", 5)}
    if not kinds:
        assert np.array_equal(b[:threads], np.arange(threads, 0, -1))


def test_a_race_names_both_threads_and_lines() -> None:
    report, _ = run_on_floats(f"{ZEROED}t[x] = a[x];\nb[x] = t[63 - x];", block=(64,))
    assert [fault.line for fault in report.faults] == [3, 4]
    who = "thread (0, 0, 0) of block (0, 0, 0): "
    first, second = (fault.message.removeprefix(who) for fault in report.faults)
    after = "no __syncthreads() between them makes one wait for the other"
    assert first == f"writes element 0 of t, which thread (63, 0, 0) read in line 4; {after}"
    assert second == f"reads element 63 of t, which thread (63, 0, 0) wrote in line 3; {after}"


def test_the_order_of_warps_changes_the_result_of_a_race_only() -> None:
    for between, results in (("", 2), ("__syncthreads();", 1)):
        body = f"{ZEROED}t[x] = a[x];\n{between}\nb[x] = t[63 - x];"
        outcomes = set()
        for order in range(6):
            report, b = run_on_floats(body, block=(64,), checked=False, order=order)
            assert report == LaunchReport()
            outcomes.add(b.tobytes())
        assert (len(outcomes) > 1) == (results > 1)


@pytest.mark.parametrize("checked", [True, False])
def test_uninitialised_shared_memory_is_poisoned_and_reported(checked: bool) -> None:
    body = "__shared__ unsigned t[32];\nif (threadIdx.x < 31) t[threadIdx.x] = 5;\n"
    body += "b[threadIdx.x] = __uint_as_float(t[threadIdx.x]);"
    report, b = run_on_floats(body, checked=checked)
    assert b.view(np.uint32)[30:32].tolist() == [5, 0xCBCBCBCB]
    if checked:
        fault = fault_of(report)
        assert (fault.kind, fault.array, fault.index) == ("uninitialised", "t", (31,))
        assert (fault.line, fault.thread) == (4, (31, 0, 0))


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("b[0] = a[threadIdx.x];", {"race"}),  # which thread is the last one is not certain
        ("b[0] = 7;", set()),  # whoever is the last one
        ("atomicAdd(&b[0], 1.0f);", set()),
        ("atomicAdd(&b[0], 1.0f); b[0] = 3;", {"race"}),
        ("b[threadIdx.x] = a[threadIdx.x];", set()),
        ("b[threadIdx.x] = b[(threadIdx.x + 1) % 32] + 1;", {"race"}),
    ],
)
def test_writes_of_several_threads_to_one_element_are_a_race(body: str, kinds: set[str]) -> None:
    report, _ = run_on_floats(body)
    assert {fault.kind for fault in report.faults} == kinds


def test_blocks_race_with_each_other() -> None:
    report, _ = run_on_floats("if (threadIdx.x == 0) b[0] = blockIdx.x + 1;", grid=(3,))
    fault = fault_of(report)
    assert "which thread (0, 0, 0) of block (0, 0, 0) wrote in line 2" in fault.message
    assert "blocks run in any order" in fault.message


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "if (threadIdx.x < 32) __syncthreads();",
            "32 of 64 threads of the block wait at __syncthreads() for threads that do not reach "
            "it: 32 ended, 0 wait elsewhere",
        ),
        ("if (threadIdx.x % 32 > 3) __syncwarp();", "28 of 64 threads of the block wait at __sync"),
        (
            "if (threadIdx.x == 1) __syncthreads(); if (threadIdx.x == 2) __syncwarp();",
            "1 of 64 threads of the block waits at __syncthreads() for threads that do not reach "
            "it: 62 ended, 1 waits elsewhere",
        ),
        ("__shfl_sync(1, 5, 0);", "its mask lacks it"),
    ],
)
def test_a_barrier_that_not_all_threads_reach_is_reported(
    body: str, message: str, checked: bool
) -> None:
    report, _ = run_on_floats(body, block=(64,), checked=checked)
    fault = fault_of(report)
    assert (fault.kind, fault.line) == ("barrier", 2) and message in fault.message


def test_a_launch_that_no_gpu_accepts_is_a_fault() -> None:
    static = "__shared__ float t[12289]; t[threadIdx.x] = 1; b[0] = t[0];"
    for why, body, options in (
        ("at most 1024 threads", "", {"block": (1025,)}),
        ("at most 1024 threads", "", {"block": (32, 32, 2)}),
        ("at most 64 threads along z", "", {"block": (1, 1, 65)}),
        ("at least 1", "", {"grid": (0, 1)}),
        ("a grid has at most", "", {"grid": (1, 65536)}),
        ("232449", "", {"shared": 232449}),
        ("the shared arrays of own have 49156 bytes", static, {}),
    ):
        report, _ = run_on_floats(body, **options)
        fault = fault_of(report)
        assert fault.kind == "launch" and why in fault.message


def test_arguments_of_other_types_are_a_fault() -> None:
    a = floats(32)
    for arguments, why in (
        ((a,), "parameters of own: 2; values passed to it: 1"),
        ((a, a.astype(np.uint8)), "parameter 2 (b) of own is float32*; uint8* is passed to it"),
        ((np.float32(3), a), "parameter 1 (a) of own is float32*; float32 is passed to it"),
    ):
        assert fault_of(run(HEAD + "}", *arguments)).message == why


@pytest.mark.parametrize("checked", [True, False])
def test_a_recursion_that_is_too_deep_is_reported_and_the_next_launch_runs(checked: bool) -> None:
    text = """
        __device__ int deep(int n) {
            volatile char local[1000];
            local[n % 1000] = n;
            return n ? deep(n - 1) + local[0] : 0;
        }
        extern "C" __global__ void own(const int* a, int* b) { *b = deep(*a) * 0 + 3; }"""
    deep, a, b = program(text, checked=checked), np.array([300], np.int32), np.zeros(1, np.int32)
    fault = fault_of(deep.launch("own", (1,), (1,), (a, b)))
    assert fault.kind == "stack" and "recursion" in fault.message
    a[0] = 20
    assert deep.launch("own", (1,), (1,), (a, b)).faults == () and b[0] == 3


def test_textures_are_clamped_to_their_edge() -> None:
    texture, b = EmulatedTexture((3, 5), np.uint8), np.zeros((7, 9), np.uint8)
    texture.pixels[...] = np.arange(15).reshape(3, 5)
    text = """extern "C" __global__ void own(cudaTextureObject_t a, uint8_t* b) {
        const int x = threadIdx.x, y = threadIdx.y;
        b[y * 9 + x] = tex2D<uint8_t>(a, x - 2 + 0.5f, y - 2 + 0.5f); }"""
    assert run(text, texture.object, b, block=(9, 7)).faults == ()
    assert np.array_equal(b, np.pad(texture.pixels, 2, "edge"))


def counts(accesses: Sequence[AccessCount]) -> dict[tuple[str, bool], tuple[int, int, int]]:
    """Requests, transactions and the least possible number, by array and whether it is written."""
    return {(c.array, c.write): (c.requests, c.transactions, c.least) for c in accesses}


# 64 x 64 numbers are 128 requests of 32 lanes. A row's 32 numbers are 128 bytes, 4 sectors.
@pytest.mark.parametrize(
    ("written", "read", "expected"),
    [
        ("y * 64 + x", "y * 64 + x", ((128, 512, 512), (128, 512, 512))),
        ("x * 64 + y", "y * 64 + x", ((128, 4096, 512), (128, 512, 512))),  # a sector a lane
        ("y * 64 + x", "y * 64 + x / 2 * 2", ((128, 512, 512), (128, 512, 512))),
        ("y * 64 + x", "0", ((128, 512, 512), (128, 128, 128))),  # one sector for all lanes
        ("y * 64 + x", "y * 64 + (x * 2) % 64", ((128, 512, 512), (128, 1024, 512))),
        # From 4 bytes on 128 bytes touch 5 sectors; the last of a row's two warps wraps around.
        ("y * 64 + x", "y * 64 + (x + 1) % 64", ((128, 512, 512), (128, 640, 512))),
    ],
)
def test_sectors_of_global_memory_are_counted(
    written: str, read: str, expected: tuple[tuple[int, int, int], tuple[int, int, int]]
) -> None:
    text = f"""{HEAD}const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
        b[{written}] = a[{read}]; }}"""
    report = run(text, floats(64, 64), floats(64, 64), grid=(2, 8), block=(32, 8))
    assert counts(report.transactions) == {("b", True): expected[0], ("a", False): expected[1]}
    assert report.faults == () and report.conflicts == () and not report.incomplete


# A block of 32 x 32 threads is 32 requests; each lane reads another word of the 32 banks, or not.
@pytest.mark.parametrize(
    ("declared", "read", "passes", "least"),
    [
        ("float tile[32][32]", "tile[y][x]", 32, 32),
        ("float tile[32][32]", "tile[x][y]", 1024, 32),  # all lanes in one bank
        ("float tile[32][33]", "tile[x][y]", 32, 32),  # padded
        ("float tile[32][64]", "tile[y][2 * x]", 64, 32),  # every other bank
        ("float tile[32][32]", "tile[y][0]", 32, 32),  # one word for all lanes
        ("uint8_t tile[32][32]", "tile[x][y]", 256, 32),  # words 8 x: 8 of them in each of 4 banks
        ("uint8_t tile[32][32]", "tile[y][x]", 32, 32),
        ("double tile[32][32]", "tile[y][x]", 64, 64),  # 256 bytes take two passes
    ],
)
def test_bank_conflicts_of_shared_memory_are_counted(
    declared: str, read: str, passes: int, least: int
) -> None:
    text = f"""{HEAD}__shared__ {declared}; const int x = threadIdx.x, y = threadIdx.y;
        const int size = sizeof(tile) / sizeof(tile[0][0]);
        for (int i = y * 32 + x; i < size; i += 1024) (&tile[0][0])[i] = 1;
        __syncthreads();
        b[y * 32 + x] = {read}; }}"""
    report = run(text, floats(32), floats(32, 32), block=(32, 32))
    assert report.faults == ()
    assert counts(report.conflicts)["tile", False] == (32, passes, least)


def test_accesses_are_counted_for_their_lines() -> None:
    body = "const int x = threadIdx.x;\nfloat sum = 0;\nfor (int i = 0; i < 3; ++i)\n"
    body += "    sum += __ldg(&a[x + 8 * i]);\nif (x < 16)\n    b[x] = sum;"
    report, _ = run_on_floats(body)
    assert set(report.transactions) == {
        AccessCount("a", "own.cu", 5, False, 3, 12, 12),
        AccessCount("b", "own.cu", 7, True, 1, 2, 2),
    }


BUILT_IN = """
#include "common.cuh"
__constant__ float WEIGHTS[3] = {1, 2, 4};
__device__ int seen;

template <class T, int N>
__device__ __forceinline__ T power(T value) {
    T result = 1;
#pragma unroll
    for (int i = 0; i < N; ++i) result *= value;
    return result;
}

extern "C" __global__ void __launch_bounds__(64) own(int* counts, unsigned* bits, float* sums,
                                                     const float* __restrict__ values, bool on) {
    extern __shared__ __align__(16) unsigned char memory[];
    float* staged = reinterpret_cast<float*>(memory);
    __shared__ int hits;
    __shared__ unsigned most;
    const int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int lane = i % warpSize;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (i == 0) hits = 0, most = 0;
    __syncthreads();
    atomicAdd(&hits, 1);
    atomicMax(&most, unsigned(i));
    staged[i] = sqrtf(__ldg(values + i)) + fminf(fmaxf(values[i], 2.5f), 3.5f);
    __syncthreads();
    float sum = staged[63 - i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, offset);
    if (lane == 0) atomicAdd(&sums[block], sum);
    if (lane == 0) atomicOr(&bits[block], __ballot_sync(1, i < 32) << i / 32);
    if (i == 0) {
        atomicAdd(&counts[block], hits + int(most) + __popc(0xF0u) + (on ? 1000 : 0));
        atomicSub(&counts[block], power<int, 3>(2) + abs(-3) + max(-1, 2) + min(5u, 7));
        atomicCAS(&counts[7], 0, 5);
        atomicExch(&seen, int(rintf(2.5f) + floorf(-0.5f) + WEIGHTS[2]));
    }
    const int all = __syncthreads_count(i % 2 == 0);
    if (i == 1) bits[block + 8] = unsigned(all) + __reduce_add_sync(2, 3u);
}
"""


@pytest.mark.parametrize("checked", [True, False])
def test_what_kernels_use_of_cuda_is_there(checked: bool) -> None:
    text = with_headers("own.cu", BUILT_IN)
    counts, sums = np.zeros(8, np.int32), np.zeros(8, np.float32)
    bits, values = np.zeros(16, np.uint32), np.arange(64, dtype=np.float32) ** 2
    arguments = counts, bits, sums, values, np.bool_(True)
    report = run(text, *arguments, grid=(1, 2, 3), block=(8, 2, 4), shared=256, checked=checked)
    assert report.faults == (), report.faults
    assert counts[:6].tolist() == [64 + 63 + 4 + 1000 - 8 - 3 - 2 - 5] * 6 and counts[7] == 5
    assert sums[:6].tolist() == [sum(range(64)) + 2.5 * 2 + 3.5 * 62] * 6
    assert bits[:6].tolist() == [1] * 6 and bits[8:14].tolist() == [35] * 6


def test_the_compiler_of_gpus_takes_the_same_and_its_errors_have_lines() -> None:
    text = with_headers("own.cu", BUILT_IN)
    try:
        assert compiled("own.cu", text, OPTIONS, 90, 12)[1] == "cubin"
    except Unavailable as why:
        pytest.skip(str(why))
    with pytest.raises(RuntimeError) as raised:
        compiled("own.cu", text.replace("hits = 0", "hits = q, 3 +"), OPTIONS, 90, 12)
    assert parse_errors("own.cu", str(raised.value)) == (
        CompileError("own.cu", 23, 0, 'identifier "q" is undefined'),
        CompileError("own.cu", 23, 0, "expected an expression"),
    )


@pytest.mark.parametrize("order", range(3))
def test_lanes_of_many_masks_shuffle_at_once(order: int) -> None:
    body = "const int lane = threadIdx.x;\nfor (int k = 1; k < 32; ++k)\n"
    body += (
        "    b[lane] += __shfl_sync(1u << lane | 1u << (lane ^ k), lane, lane ^ k) == (lane ^ k);"
    )
    report, b = run_on_floats(body, order=order)
    assert report.faults == () and np.array_equal(b[:32], np.arange(32) + 31)


def test_at_most_a_hundred_lines_are_printed() -> None:
    report, _ = run_on_floats('printf("%d: %.1f\\n", threadIdx.x, a[threadIdx.x]);', grid=(5,))
    assert report.output[:2] == ("0: 1.0", "1: 2.0") and len(report.output) == 100


def test_errors_of_both_compilers_name_line_and_column() -> None:
    with pytest.raises(CompileFailed, match=r"own.cu does not compile: line 3: 'q' was not") as why:
        program(f"{HEAD}b[0] = 1;\nb[1] = q;\nb[2] = 2\n}}")
    first, second = why.value.errors
    assert (first.file, first.line, first.column) == ("own.cu", 3, 8)
    assert (second.line, second.message) == (4, "expected ';' before '}' token")
    log = 'own.cu(5): error: expected a ";"\n      int x = 3\n\nown.cu(7): warning #177-D: unused\n'
    log += "common.cuh(9): catastrophic error: out of luck\n\n1 error detected\n"
    assert parse_errors("own.cu", log) == (
        CompileError("own.cu", 5, 0, 'expected a ";"'),
        CompileError("common.cuh", 9, 0, "out of luck"),
    )
    with pytest.raises(CompileFailed, match="the file has no kernel named own"):
        program('extern "C" __global__ void other() {}')
    with pytest.raises(CompileFailed, match=r"other\(int\) is declared but not defined"):
        program(f"__device__ int other(int);\n{HEAD}b[0] = other(3); }}")
    with pytest.raises(CompileFailed, match="line 2: static assertion failed: a shuffle takes"):
        program(f"{HEAD}__shfl_sync(1, make_float4(1, 2, 3, 4), 0); }}")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"{HEAD}if (a[0] > 0) {{ // a }} in a comment\nb[0] = 1;\n}}\n", 4, "a '}' is missing"),
        (f"{HEAD}b[0] = '}}';\n}}\n}}\n// end", 4, "this '}' closes nothing"),
    ],
)
def test_a_missing_brace_is_reported_in_the_file(text: str, line: int, message: str) -> None:
    with pytest.raises(CompileFailed) as why:
        program(text)
    (error,) = why.value.errors
    assert (error.file, error.line) == ("own.cu", line) and error.message.startswith(message)


def test_a_brace_in_a_comment_of_several_lines_is_no_missing_one() -> None:
    with pytest.raises(CompileFailed) as why:
        program(f"/* a loop begins with\n{{ */\n{HEAD}b[0] = q;\n}}\n")
    (error,) = why.value.errors
    assert error.line == 4 and "'q' was not declared" in error.message


@pytest.mark.parametrize("header", ["stdio.h", "vector"])
def test_a_system_header_is_reported_in_its_line(header: str) -> None:
    with pytest.raises(CompileFailed, match="line 2: kernels include no system headers"):
        program(f"// a kernel\n#include <{header}>\n{HEAD}b[0] = 1; }}")


def test_variables_without_a_value_are_not_zero() -> None:
    _, b = run_on_floats("int value; if (a[0] < 0) value = 1; b[0] = value;")
    assert b[0] != 0


READ_IN_VAIN = {"packed_matching.cu", "packed_correlation.cu"}
"""Files whose kernels read a word of shared memory, to which nothing was written, and ignore it."""


@pytest.mark.parametrize("name", ["sgm", "canny", "ncc", "mean"])
def test_the_programs_own_kernels_do_nothing_wrong(
    emulation: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pipeline, faults = PIPELINES[name], list[tuple[str, str]]()

    @cache
    def loaded(program: Program) -> EmulatedProgram:
        text = source(program.file)
        names = tuple(entries(text))
        path = compile_program(program.file, text, program.options, names, checked=True)
        return EmulatedProgram(path)

    def checked(kernel: Kernel, shared: int) -> Any:
        def launch(grid: Any, block: Any, arguments: Any, shared_mem: int) -> None:
            report = loaded(kernel.program).launch(
                kernel.name, grid, block, arguments, shared=shared_mem
            )
            for fault in report.faults:
                if kernel.file not in READ_IN_VAIN or fault.kind != "uninitialised":
                    faults.append((kernel.name, fault.message))

        return launch

    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.function", checked)
    monkeypatch.setattr(
        device.EmulatedDevice, "zeros", lambda _, shape, dtype: GuardedArray(shape, dtype).array
    )
    params = pipeline.params()
    params = params.changed(disparities=16) if name == "sgm" else params
    for variant in pipeline.variants:
        if variant.on_gpu and "constant" not in variant.name:
            execution = prepare(pipeline, variant.name, params, 33, 41)
            execution.upload(**inputs_for(pipeline, 33, 41, "shifted"))
            execution.run()
    assert faults == []
