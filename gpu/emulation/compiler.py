"""Compile CUDA source by g++ into a shared library, and parse the errors of g++ and of NVRTC."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from shutil import which
from threading import Lock

from wheatstone.gpu import Unavailable
from wheatstone.gpu.compilations import kept_folder, remove_unused, temporary_folder
from wheatstone.gpu.installation import as_root

HERE = Path(__file__).resolve().parent
SHIM = HERE / "cuda_shim.hpp"
SOURCES = tuple(sorted((*HERE.glob("*.hpp"), *HERE.glob("*.cpp"))))
OWN_FILES = {path.name for path in SOURCES}
COMMON = (
    *("-std=c++17", "-w", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fwrapv"),
    "-fno-gnu-unique",  # shared memory is not shared between libraries
    "-U_FORTIFY_SOURCE",  # it takes jumps between stacks for errors
)
MOST_ERRORS = 20  # of a file, that are listed
MOST_SHARED = 227 * 1024  # bytes of shared memory that a block may have
HOW_TO_INSTALL = (
    f"install it with: {as_root('apt-get install g++')} (Debian, Ubuntu), "
    f"{as_root('dnf install gcc-c++')} (Fedora)"
)
_GENERATED = "launchers"  # the file name of the generated lines, in messages of g++
_OF_GXX = re.compile(r"([^:\n]+):(\d+):(\d+): (?:fatal )?error: (.*)")
_FROM = re.compile(r"([^:\n]+):(\d+):(\d+): +required from .*")
_OF_NVRTC = re.compile(r"([^(\n]+)\((\d+)\): (?:catastrophic )?error[^:\n]*: (.*)")
_OF_ASSEMBLER = re.compile(r"ptxas (?:error|fatal)\s*: (.*)")
_UNDEFINED = "undefined reference to `"


@dataclass(frozen=True)
class CompileError:
    """An error that a compiler reports; ``column`` is 0 if the compiler names no column."""

    file: str
    line: int
    column: int
    message: str


class CompileFailed(RuntimeError):
    """The exception raised if a kernel's file does not compile, with the compiler's errors."""

    def __init__(self, file: str, errors: Sequence[CompileError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(f"{file} does not compile: line {first.line}: {first.message}")


def parse_errors(file: str, log: str) -> tuple[CompileError, ...]:
    """Parse the errors in the output of g++ or NVRTC.

    Args:
        file: that was compiled; errors without a place count for its first line.
        log: the output, or the message of an exception of ``gpu.nvidia.compiled``.

    Returns:
        At least one error: an output without any is one as a whole.
    """
    errors, place = [], None
    log = log.removeprefix(f"{file} does not compile: ")
    for line in log.splitlines():
        if match := _FROM.fullmatch(line):
            place = match  # in the kernel's file, of the use of a template of the shim
        elif match := _OF_GXX.fullmatch(line):
            own = Path(match[1]).name in OWN_FILES  # wherever they were when they were compiled
            at = place if place and own else match
            errors.append(CompileError(at[1], int(at[2]), int(at[3]), match[4]))
        elif match := _OF_NVRTC.fullmatch(line):
            errors.append(CompileError(match[1], int(match[2]), 0, match[3]))
        elif match := _OF_ASSEMBLER.fullmatch(line):
            errors.append(CompileError(file, 1, 0, match[1]))
        elif _UNDEFINED in line:
            name = line.partition(_UNDEFINED)[2].partition("'")[0]
            errors.append(CompileError(file, 1, 0, f"{name} is declared but not defined"))
    plain = (_in_terms_of_the_source(file, each) for each in errors)
    return tuple(dict.fromkeys(plain))[:MOST_ERRORS] or (
        CompileError(file, 1, 0, log.strip() or "no message"),
    )


_OPAQUE = re.compile(
    r"""#line.*|//.*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?"""
)
"""Lines that name a file, and comments and texts, in which braces do not count."""
_LINE = re.compile(r'#line (\d+) "([^"]*)"')
_OF_BRACES = "expected '}' at end of input", "expected declaration before '}' token"


def _unbalanced(written: str, log: str) -> tuple[CompileError, ...]:
    """Return the error of an unbalanced brace, which g++ reports at a wrong place; else empty.

    Args:
        written: the text of a translation unit.
    """
    if not any(each in log for each in _OF_BRACES):
        return ()
    file, number, last, depth = "", 0, 0, 0
    for line in _OPAQUE.sub(_only_its_lines, written).splitlines():
        number += 1
        if match := _LINE.fullmatch(line):
            if match[2] == _GENERATED:
                break
            file, number, depth = match[2], int(match[1]) - 1, depth if file else 0
            continue
        last = number if line.strip() else last
        for brace in re.findall("[{}]", line):
            depth += 1 if brace == "{" else -1
            if depth < 0:
                return (CompileError(file, number, 0, "this '}' closes nothing"),)
    return (CompileError(file, last, 0, "a '}' is missing before the end"),) if depth else ()


def _only_its_lines(opaque: re.Match[str]) -> str:
    """Replace a matched comment or string by its line breaks; keep a preprocessor directive."""
    return opaque[0] if opaque[0].startswith("#") else "\n" * opaque[0].count("\n")


def _system_headers(written: str, log: str) -> tuple[CompileError, ...]:
    """Return the error of including a system header, which breaks the emulation; else empty."""
    own, place = f"{SHIM.name}:" in log or "/include/" in log, ("", 0)
    for line in written.splitlines() if own else ():
        place = place[0], place[1] + 1
        if match := _LINE.fullmatch(line):
            place = match[2], int(match[1]) - 1
        elif place[0] and line.replace(" ", "").startswith("#include<"):
            text = "kernels include no system headers; printf and assert need none"
            return (CompileError(*place, 0, text),)
    return ()


def _in_terms_of_the_source(file: str, error: CompileError) -> CompileError:
    """Rewrite an error of g++ without the namespace and the file that the program generates."""
    message = error.message.replace("device::", "").replace(" in namespace 'device'", "")
    if error.file != _GENERATED:
        return CompileError(error.file, error.line, error.column, message)
    name = re.search(r"'(\w+)'", message)
    missing = f"the file has no kernel named {name[1]}" if name else message
    return CompileError(file, 1, 0, missing)


@cache
def gxx_version() -> str:
    """Return the version of g++, which emulation needs.

    Raises:
        Unavailable: it is not installed.
    """
    if not which("g++"):
        raise Unavailable(f"g++ is not installed; {HOW_TO_INSTALL}")
    command = ["g++", "-dumpfullversion"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def folder() -> Path:
    """Create the folder of compiled programs; a temporary folder if no cache can be written."""
    kept = kept_folder("emulated", (*SOURCES, Path(__file__).resolve()), f"g++{gxx_version()}")
    if kept:
        remove_unused(kept)
    return kept or Path(temporary_folder().name)


def compile_program(
    file: str,
    text: str,
    options: Sequence[str],
    entries: Sequence[str],
    *,
    checked: bool = False,
    lines: bool = True,
) -> Path:
    """Compile CUDA source for the CPU by g++, if it is not cached.

    Args:
        file: its name, for messages.
        text: with the text of local headers in place of their includes.
        options: those of NVRTC; only macros (-D) matter.
        entries: the kernels that can be launched.
        checked: call a check before each memory access of the kernels.
        lines: include line numbers, for faults; they take a fifth of the time.

    Returns:
        The shared library.

    Raises:
        CompileFailed: it does not compile.
        Unavailable: g++ is not installed.
    """
    written = _translation_unit(file, text, options, entries)
    digest = sha256(repr((written, checked, lines)).encode()).hexdigest()[:32]
    compiled = folder() / f"{digest}.so"
    with lock_of(digest):  # another thread may be compiling the same
        if not compiled.exists():
            _compile(file, written, compiled, checked=checked, lines=lines)
    os.utime(compiled)  # in use
    return compiled


def _compile(file: str, written: str, compiled: Path, *, checked: bool, lines: bool) -> None:
    """Compile C++ text into a shared library.

    Raises:
        CompileFailed: it does not compile.
    """
    with tempfile.TemporaryDirectory(dir=folder()) as name:
        source, made = Path(name, "program.cpp"), Path(name, compiled.name)
        source.write_text(written)
        build = _Build(folder(), checked=checked, lines=lines)
        if log := build.compile(source, source.with_suffix(".o")) or build.link(source, made):
            errors = _unbalanced(written, log) or _system_headers(written, log)
            raise CompileFailed(file, errors or parse_errors(file, log))
        made.replace(compiled)  # complete at once: other processes also look for it


_locks: dict[str, Lock] = {}


def lock_of(key: str) -> Lock:
    """Return the lock that allows only one thread at a time to compile a program."""
    return _locks.setdefault(key, Lock())


def _translation_unit(file: str, text: str, options: Sequence[str], entries: Sequence[str]) -> str:
    """Return the C++ text of a program: emulation header, kernels in a namespace, and launchers."""
    # Macros follow the shim: g++ reads a precompiled header only if nothing is defined before it.
    macros = [option[2:].partition("=") for option in options if option.startswith("-D")]
    lines = [f"#include <{SHIM.name}>"]
    lines += [f"#define {name} {value or 1}" for name, _, value in macros]
    # A namespace, since common.cuh names types that the C++ library also names.
    lines += ["namespace device {", f'#line 1 "{file}"', text, f'#line 1 "{_GENERATED}"']
    lines += [
        f"thread_local __align__(16) {kind} {name}[{MOST_SHARED} / sizeof({kind})];"
        for kind, name in _dynamic_arrays(text)
    ]
    lines += ["}", *(f"LAUNCHER({name})" for name in entries)]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=64)
def _dynamic_arrays(text: str) -> tuple[tuple[str, str], ...]:
    """Find the arrays in dynamic shared memory: the type of their elements, and their names.

    A declaration is ``extern __shared__ TYPE NAME[];``, with or without ``__align__(...)``.
    """
    arrays: dict[tuple[str, str], None] = {}
    for statement in text.split(";"):
        before, _, declared = statement.rpartition("__shared__")
        words = [w for w in declared.partition("[")[0].split() if not w.startswith("__align__(")]
        if before.rstrip().endswith("extern") and "[" in declared and len(words) > 1:
            arrays[" ".join(words[:-1]), words[-1]] = None
    return tuple(arrays)


class _Build:
    """A builder of emulated programs, with or without access checks, and of common parts."""

    def __init__(self, folder: Path, *, checked: bool, lines: bool) -> None:
        self._folder = folder / ("plain", "lines", "checked", "checked-lines")[2 * checked + lines]
        self._folder.mkdir(exist_ok=True)
        self._flags: tuple[str, ...] = ("-Og",)
        if lines:
            self._flags += ("-g1", "-gdwarf-4")  # newer versions of DWARF confuse addr2line
        self._macros: tuple[str, ...] = ()
        self._sources = [HERE / "scheduler.cpp"]
        if checked:
            self._flags += ("-fsanitize=thread,bounds", "--param=tsan-distinguish-volatile=1")
            self._macros = ("-DCHECKED",)
            self._sources.append(HERE / "access_checks.cpp")

    def compile(self, source: Path, made: Path) -> str:
        """Compile a program with the emulation header; return g++'s messages on failure."""
        shim = self._folder / f"{SHIM.name}.gch"  # reading it takes longer than most kernels
        self._make(shim, *self._flags, "-x", "c++-header", str(SHIM))
        return _run_gxx(
            f"-I{self._folder}", f"-I{HERE}", *self._flags, "-c", str(source), "-o", str(made)
        )

    def link(self, source: Path, made: Path) -> str:
        """Link a compiled program with the scheduler and the checks, but not with a sanitizer."""
        objects = [str(source.with_suffix(".o"))]
        for each in self._sources:
            objects.append(str(self._folder / f"{each.stem}.o"))
            self._make(Path(objects[-1]), "-O2", *self._macros, "-c", str(each))
        return _run_gxx("-shared", "-Wl,-z,defs", *objects, "-o", str(made))

    def _make(self, compiled: Path, *words: str) -> None:
        """Compile a part of the emulation itself, unless that was done before."""
        with lock_of(str(compiled)):
            if compiled.exists():
                return
            made = compiled.with_name(f"{os.getpid()}-{compiled.name}")
            if log := _run_gxx(*words, "-o", str(made)):
                raise RuntimeError(f"{compiled.name} of the emulation does not compile: {log}")
            made.replace(compiled)


@cache
def _uninitialised() -> tuple[str, ...]:
    """Return the option by which g++ fills uninitialised variables with a pattern, if it has it."""
    known = int(gxx_version().partition(".")[0]) >= 12
    return ("-ftrivial-auto-var-init=pattern",) if known else ()


def _run_gxx(*words: str) -> str:
    """Run g++; return its messages if it failed, else an empty string."""
    environment = os.environ | {"LC_ALL": "C"}
    command = ["g++", *COMMON, *_uninitialised(), *words]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    return (result.stderr or "g++ failed") if result.returncode else ""
