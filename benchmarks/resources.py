"""What a process holds, counted from outside: memory, descriptors, threads, objects of OpenGL."""

import ctypes
import gc
import os
import tempfile
from functools import cache
from pathlib import Path

from wheatstone.gpu.device import give_back_memory, open_device, why_unavailable

MIB = 2.0**20
BEYOND = 512  # names of OpenGL that are looked at after the last one found
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
    """What glibc's ``mallinfo2`` returns; all counts are of bytes or of blocks."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks "
        "keepcost".split()
    )


class GlCount:
    """Counts the objects of the OpenGL context that is current, by asking for every name.

    Drivers hand out small numbers as names: a kind is asked until none of the next ``BEYOND``
    names is one. A name without content is not counted: it costs nothing.
    """

    def __init__(self) -> None:
        library = ctypes.CDLL("libOpenGL.so.0")
        self._asks = {kind: getattr(library, name) for kind, name in GL_OBJECTS.items()}
        for ask in self._asks.values():
            ask.restype, ask.argtypes = ctypes.c_ubyte, [ctypes.c_uint]
        self._highest = dict.fromkeys(GL_OBJECTS, 0)

    def counts(self) -> dict[str, float]:
        """Count the objects of every kind."""
        return {f"GL {kind}": float(self._count(kind)) for kind in GL_OBJECTS}

    def _count(self, kind: str) -> int:
        ask, name, count = self._asks[kind], 0, 0
        while name < self._highest[kind] + BEYOND:
            name += 1
            if ask(name):
                count += 1
                self._highest[kind] = max(self._highest[kind], name)
        return count


def resources(gl: GlCount) -> dict[str, float]:
    """Count everything that the process holds, in MiB or in pieces.

    Rubbish is collected first, and what is free goes back to the system: only what is held counts.
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
    """Ask the GPU for the bytes that are free, whoever has the others."""
    return open_device("cuda").free_bytes() or 0


@cache
def _free_at_first() -> int:
    """Ask the GPU once; later counts are of what was taken since."""
    return _free()


def processor_seconds(process: int | None) -> float:
    """Return the processor time of a process on Linux; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def threads() -> int:
    """Return the number of threads of this process."""
    return len(os.listdir("/proc/self/task"))


def resident(process: int | str = "self") -> int:
    """Return the bytes of memory that a process has, according to the system."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def anonymous() -> int:
    """Ask the system for the bytes of that memory that no file stands behind: no libraries."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def malloc_in_use() -> int:
    """Ask the C library for the bytes it has given out: what grows here is held by somebody."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    information = mallinfo()
    return int(information.uordblks) + int(information.hblkhd)
