"""Compile the programs of launches: for the GPU, or by g++ on a machine without one."""

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wheatstone.gpu import Unavailable
from wheatstone.gpu.emulation.compiler import (
    CompileError,
    CompileFailed,
    compile_program,
    lock_of,
    parse_errors,
)
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.kernels.programs import Program, compile_all, entries, target_of_gpu
from wheatstone.gpu.nvidia import compiled
from wheatstone.gpu.own_kernels.emulating import emulated

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
"""Compute capabilities, times 10, for which kernels are compiled in tests and grading."""
TOO_LARGE = "too much shared data"  # of an error that a launch reports in plain words
COMPILER = 12  # major version of NVRTC that is preferred; another one that is installed will do


def compiled_programs(launches: Iterable[Launch], *, checked: bool = False) -> dict[Program, Path]:
    """Compile the programs that launches need and that are not cached.

    Args:
        checked: whether an emulated program checks each access.

    Returns:
        The file of compiled code of each program.

    Raises:
        CompileFailed: a program does not compile.
        Unavailable: there is no compiler.
    """
    launched: dict[Program, dict[str, None]] = {}
    for launch in launches:
        launched.setdefault(launch.kernel.program, {})[launch.kernel.name] = None
    if emulated():
        return {
            program: _emulated(program, tuple(names), checked=checked)
            for program, names in launched.items()
        }
    made: dict[Program, Path] = {}
    for program in launched:
        try:
            if not _file_for_gpu(program).exists():  # the cache was cleared meanwhile
                _file_for_gpu.cache_clear()
            made[program] = _file_for_gpu(program)
        except Unavailable:
            raise
        except RuntimeError as error:
            raise compile_failure(program.file, error) from error
    return made


@lru_cache(maxsize=512)
def _file_for_gpu(program: Program) -> Path:
    """Return the file of a program compiled for the GPU, from the cache or newly compiled.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
    """
    with lock_of(program.key):  # another thread may be compiling the same
        return compile_all([program], target_of_gpu())[program]


def compile_failure(file: str, error: RuntimeError) -> CompileFailed:
    """Convert an error of NVRTC to the exception that names the errors in the file."""
    return CompileFailed(file, parse_errors(file, str(error)))


def _emulated(program: Program, launched: tuple[str, ...], *, checked: bool) -> Path:
    """Compile a program by g++: of a user's file only launched kernels, of a built-in file all."""
    text = program.source
    names = launched if program.text else tuple(entries(text))
    return compile_program(program.file, text, program.options, names, checked=checked)


def gpu_errors(launches: Iterable[Launch]) -> tuple[CompileError, ...]:
    """Return the errors of compiling emulated programs for a GPU; empty without NVRTC.

    g++ accepts what no GPU can run, such as a kernel without ``extern "C" __global__``.
    """
    errors: list[CompileError] = []
    for launch in launches:
        program, name = launch.kernel.program, launch.kernel.name
        with suppress(Unavailable):
            code, listed = _code_for_any_gpu(program)
            if code and f".text.{name}\0".encode() not in code:
                text = f'no kernel is named {name}: it begins with extern "C" __global__ void'
                listed = (CompileError(program.file, 1, 0, text),)
            errors += listed
    return tuple(dict.fromkeys(errors))


@lru_cache(maxsize=64)
def _code_for_any_gpu(program: Program) -> tuple[bytes, tuple[CompileError, ...]]:
    """Compile a program for the oldest GPU; return its code, and the errors of NVRTC.

    Raises:
        Unavailable: NVRTC is not installed.
    """
    target, words = ARCHITECTURES[0], program.all_options
    try:
        return compiled(program.file, program.source, words, target, COMPILER)[0], ()
    except Unavailable:  # no compiler: not the fault of the program
        raise
    except RuntimeError as error:
        errors = parse_errors(program.file, str(error))
        return b"", tuple(each for each in errors if TOO_LARGE not in each.message)


def architecture_error(programs: Iterable[Program]) -> str:
    """Compile programs for every architecture; return the first error, or an empty text.

    Raises:
        Unavailable: NVRTC is not installed.
    """
    for program in programs:
        for target in ARCHITECTURES:
            try:
                compiled(program.file, program.source, program.all_options, target, COMPILER)
            except Unavailable:
                raise
            except RuntimeError as error:
                first = parse_errors(program.file, str(error))[0]
                return f"{first.file}:{first.line}: {first.message} (for sm_{target})"
    return ""
