"""Count the resources of a process: memory, file descriptors, threads and OpenGL objects."""

import ctypes
import gc
import os
import tempfile
from functools import cache
from pathlib import Path

from wheatstone.gpu.device import give_back_memory, open_device, why_unavailable

MIB = 2.0**20
BEYOND = 512  # OpenGL names that are tried after the last existing one
GL_OBJECTS = {
    "textures": "glIsTexture",
    "buffers": "glIsBuffer",
    "framebuffers": "glIsFramebuffer",
    "renderbuffers": "glIsRenderbuffer",
    "vertex arrays": "glIsVertexArray",
    "programs": "glIsProgram",
    "shaders": "glIsShader",
}


class _Mallinfo(ctypes.Structure):
    """The result of glibc's ``mallinfo2``: numbers of bytes or of blocks."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks "
        "keepcost".split()
    )


class GlCount:
    """A counter of the objects in the current OpenGL context, which tries all names.

    Drivers use small numbers as names: a kind of objects is counted until none of the next
    ``BEYOND`` names exists. A name without content is not counted: it costs nothing.
    """

    def __init__(self) -> None:
        library = ctypes.CDLL("libOpenGL.so.0")
        self._checks = {kind: getattr(library, name) for kind, name in GL_OBJECTS.items()}
        for exists in self._checks.values():
            exists.restype, exists.argtypes = ctypes.c_ubyte, [ctypes.c_uint]
        self._highest = dict.fromkeys(GL_OBJECTS, 0)

    def counts(self) -> dict[str, float]:
        """Count the objects of every kind."""
        return {f"GL {kind}": float(self._count(kind)) for kind in GL_OBJECTS}

    def _count(self, kind: str) -> int:
        exists, name, count = self._checks[kind], 0, 0
        while name < self._highest[kind] + BEYOND:
            name += 1
            if exists(name):
                count += 1
                self._highest[kind] = max(self._highest[kind], name)
        return count


def resources(gl: GlCount) -> dict[str, float]:
    """Return the amounts of all resources of this process, by name: memory in MiB, others counted.

    Garbage is collected and free memory is returned to the system first, so that only memory in
    use counts.
    """
    gc.collect()
    give_back_memory()
    counts = {
        "resident MiB": resident() / MIB,
        "anonymous MiB": anonymous() / MIB,
        "in use MiB": malloc_in_use() / MIB,
        "Python objects": float(len(gc.get_objects())),
        "descriptors": float(len(os.listdir("/proc/self/fd"))),
        "threads": float(threads()),
        "temporary files": float(sum(1 for _ in Path(tempfile.gettempdir()).rglob("*"))),
    }
    if not why_unavailable("cuda"):
        counts["device MiB"] = (_free_at_first() - _free()) / MIB
    return counts | gl.counts()


def _free() -> int:
    """Return the number of free bytes of the GPU, which other processes use as well."""
    return open_device("cuda").free_bytes() or 0


@cache
def _free_at_first() -> int:
    """Return the free bytes at the first call; later counts are relative to them."""
    return _free()


def processor_seconds(process: int | None) -> float:
    """Return the processor time of a process on Linux, in seconds; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads() -> int:
    """Return the number of threads of this process."""
    return len(os.listdir("/proc/self/task"))


def resident(process: int | str = "self") -> int:
    """Return the resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def anonymous() -> int:
    """Return the resident memory of this process without mapped files, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def malloc_in_use() -> int:
    """Return the memory that the C library has allocated and not yet freed, in bytes."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    information = mallinfo()
    return int(information.uordblks) + int(information.hblkhd)
