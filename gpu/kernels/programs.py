"""Read and compile CUDA files, several at once, and cache the compiled code on disk.

CuPy also caches compiled code, but lets the compiler compile an empty file with every set of
options before it looks there: about 20 ms each, and 150 ms for loading the compiler.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from wheatstone.gpu.compilations import compiling, kept_folder, remove_unused, temporary_folder
from wheatstone.gpu.nvidia import compiled, compiler_state

FOLDER = Path(__file__).resolve().parent
OPTIONS = ("-std=c++17",)
_INCLUDE = re.compile(r'#include "([\w.]+)"')
_ENTRY = re.compile(
    r"__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?void\s+"
    r"(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)"
)


@cache
def files(file: str) -> dict[str, str]:
    """Read a ``.cu`` file and every local header that it includes; return their text by name."""
    text = (FOLDER / file).read_text()
    headers = _INCLUDE.findall(text)
    return {file: text} | {header: (FOLDER / header).read_text() for header in headers}


@cache
def header(name: str) -> str:
    """Read a header of the kernels. Raises ``OSError`` if it does not exist."""
    return (FOLDER / name).read_text()


@cache
def source(file: str) -> str:
    """Return the text of a ``.cu`` file, with its local includes replaced by the headers' text.

    So the text and the options alone determine the compiled code.
    """
    return with_headers(file, (FOLDER / file).read_text())


def with_headers(file: str, text: str, read: Callable[[str], str] = header) -> str:
    """Replace the local includes of a program by the text of the headers.

    Args:
        file: the program's name in messages of the compiler.
        read: returns the text of the header of a name.
    """
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := _INCLUDE.fullmatch(line):
            lines += [f'#line 1 "{match[1]}"', read(match[1])]
            lines += [f'#line {number + 1} "{file}"']
        else:
            lines.append(line)
    return "\n".join(lines)


def entries(text: str) -> dict[str, str]:
    """Parse the kernels in CUDA source; return the text of each kernel's parameters by name."""
    return dict(_ENTRY.findall(text))


@cache
def waits_first(file: str, kernel: str) -> bool:
    """Return whether a kernel's first statement waits for the launch before it.

    Only such a kernel may begin before the previous one ends.
    """
    begins = rf"\b{kernel}\([^)]*\) {{\s*wait_for_previous\(\);"
    return re.search(begins, files(file)[file]) is not None


FLUSH = "-ftz=true"  # numbers of single precision too small for all their digits count as 0
DIGITS = 32  # of a digest, in names of files


@dataclass(frozen=True)
class Program:
    """A CUDA file and its compiler options, except the architecture.

    Attributes:
        text: the user's own program, in place of the file's; empty: the file's.
    """

    file: str
    options: tuple[str, ...]
    text: str = ""

    @property
    def source(self) -> str:
        """Return the CUDA source that is compiled."""
        return self.text or source(self.file)

    @property
    def key(self) -> str:
        """Return a digest of everything that determines the compiled code, except the target."""
        return _digest("\0".join((self.source, *self.all_options)).encode())

    @property
    def all_options(self) -> tuple[str, ...]:
        """Return all compiler options, except the architecture."""
        return (*self.options, FLUSH)


@dataclass(frozen=True)
class Target:
    """The target of CUDA compilation: the GPU's compute capability and the CUDA version.

    Attributes:
        capability: compute capability of the GPU, times 10.
        major: major version of CUDA.
    """

    capability: int
    major: int

    @property
    def folder(self) -> Path:
        """Create the folder of code for this target; a temporary folder if no cache can be written.

        Raises:
            Unavailable: there is no compiler.
        """
        made_by = f"sm{self.capability}-{compiler_state(self.major)}"
        return kept_folder("kernels", (), made_by) or Path(temporary_folder().name)


@cache
def target_of_gpu() -> Target:
    """Return the target of the current GPU and its version of CUDA."""
    import cupy

    version = cupy.cuda.runtime.runtimeGetVersion()
    return Target(int(cupy.cuda.Device().compute_capability), version // 1000)


_modules: dict[Program, Any] = {}


def module(program: Program) -> Any:
    """Return a program loaded into the GPU; compile it first if it is not cached.

    Returns:
        CuPy's module, which contains the kernels.

    Raises:
        RuntimeError: it does not compile; the message is the compiler's.
        Unavailable: there is no compiler.
    """
    load([program])
    return _modules[program]


def load(programs: Iterable[Program]) -> None:
    """Load programs into the GPU, and compile those that are not cached on all cores."""
    if not (lacking := [each for each in dict.fromkeys(programs) if each not in _modules]):
        return
    for program, path in compile_all(lacking, target_of_gpu()).items():
        _modules[program] = load_code(path)


def load_code(path: Path) -> Any:
    """Load a file of compiled code into the GPU; return it as a CuPy module."""
    import cupy

    loaded = cupy.RawModule(path=str(path))
    _ = loaded.module  # which loads it
    return loaded


def uncompiled(programs: Iterable[Program], target: Target) -> list[Program]:
    """List the programs, each once, that are neither loaded nor cached."""
    there = _there(target.folder)
    fresh = (each for each in dict.fromkeys(programs) if each not in _modules)
    return [each for each in fresh if not _is_whole(there.get(each.key))]


def compile_all(programs: Iterable[Program], target: Target) -> dict[Program, Path]:
    """Compile the programs that are not cached, on all cores; return the files of all programs.

    Listeners of compilations are called on this thread, one by one; their exceptions end it.

    Raises:
        RuntimeError: one does not compile; the message is the compiler's.
        Unavailable: there is no compiler.
    """
    folder = target.folder
    there = _there(folder)
    paths = {each: there.get(each.key) for each in programs}
    lacking = [each for each, path in paths.items() if not _is_whole(path)]
    if lacking:
        remove_unused(folder)
    for program, made in _at_once(lacking, target, folder):
        compiling(program.file.removesuffix(".cu"), called_by_python=True)
        paths[program] = made.result()
    return {program: path for program, path in paths.items() if path}


def _at_once(
    programs: list[Program], target: Target, folder: Path
) -> Iterator[tuple[Program, Future[Path]]]:
    """Start to compile programs on all cores; yield each program and the future of its file."""
    if not programs:
        return
    cores = ThreadPoolExecutor(min(len(programs), os.cpu_count() or 1))
    try:
        yield from [(each, cores.submit(_made, each, target, folder)) for each in programs]
    finally:
        cores.shutdown(cancel_futures=True)


def _made(program: Program, target: Target, folder: Path) -> Path:
    """Compile a program into a new file of a folder, which is renamed when it is complete."""
    options = program.all_options
    code, kind = compiled(program.file, program.source, options, target.capability, target.major)
    with NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
        file.write(code)
    return Path(file.name).replace(folder / f"{program.key}-{_digest(code)}.{kind}")


def _there(folder: Path) -> dict[str, Path]:
    """Return the compiled files in a cache folder, by the keys of their programs."""
    return {path.name.partition("-")[0]: path for path in folder.iterdir()}


def _is_whole(path: Path | None) -> bool:
    """Return whether a file's content matches the digest in its name; if so, mark it as used."""
    with suppress(OSError):
        if path and path.stem.partition("-")[2] == _digest(path.read_bytes()):
            os.utime(path)
            return True
    return False


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:DIGITS]
