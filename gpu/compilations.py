"""Count compilations, notify listeners about them, and provide cache folders for results.

Nothing here imports Numba. The folders, one for each state of their sources, lie in the user's
cache folder, such as ``~/.cache/wheatstone``.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import get_ident

from platformdirs import user_cache_path

_begun: list[str] = []
_loaded: list[None] = []
_listeners: list[tuple[Callable[[str], None], int | None]] = []  # and the thread; None: any


def compilations() -> int:
    """Return the number of functions compiled so far; times measured while it grows are invalid."""
    return len(_begun)


def loadings() -> int:
    """Return the number of functions compiled, or loaded from disk, so far."""
    return len(_loaded)


def loading() -> None:
    """Count a function that is about to be compiled or to be loaded from the cache on disk."""
    _loaded.append(None)


@contextmanager
def telling(tell: Callable[[str], None], *, everywhere: bool = False) -> Iterator[None]:
    """Call ``tell`` before each compilation in the ``with`` block, except of helper functions.

    Args:
        tell: takes the name of the function's module in words, such as "median filter"; it is
            called in the thread that compiles; an exception that it raises ends the compilation.
        everywhere: report the compilations of all threads, not only those of this thread.
    """
    asked = tell, None if everywhere else get_ident()
    _listeners.append(asked)
    try:
        yield
    finally:
        _listeners.remove(asked)


def compiling(module: str, *, called_by_python: bool) -> None:
    """Count a function that is about to be compiled, and notify the listeners."""
    _begun.append(module)
    if called_by_python:
        words = module.rpartition(".")[2].replace("_", " ")
        here = get_ident()
        for tell, thread in list(_listeners):
            if thread in (None, here):
                tell(words)


UNUSED = 30 * 24 * 3600
"""Seconds after which an unused folder is removed."""


@cache
def kept_folder(kind: str, sources: tuple[Path, ...], with_versions: str) -> Path | None:
    """Return the cache folder for given sources, created if missing; delete long unused ones.

    Args:
        kind: name of the content, such as "compiled".
        sources: files and folders of Python files.
        with_versions: other facts that decide the content, such as the version of the compiler.

    Returns:
        None where nothing can be written there.
    """
    kept = user_cache_path("wheatstone") / kind
    folder = kept / f"{with_versions}-{sources_key(sources)}"
    try:
        new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # in use
        if new:
            remove_unused(kept)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@cache
def temporary_folder() -> "TemporaryDirectory[str]":
    """Create a temporary folder for files not cached; it is deleted when Python ends."""
    return TemporaryDirectory(prefix="wheatstone-")


def sources_key(sources: Iterable[Path]) -> str:
    """Compute a hexadecimal hash of the contents and relative paths of source files."""
    digest = hashlib.sha256()
    for source in sources:
        for path in [source] if source.is_file() else sorted(source.rglob("*.py")):
            place = path.relative_to(source.parent).as_posix()
            digest.update(f"{place}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def remove_unused(folder: Path) -> None:
    """Delete the files and folders in a folder that were not used for ``UNUSED`` seconds.

    An entry that another process renames or removes meanwhile is skipped.
    """
    entries: dict[Path, float] = {}
    for each in folder.iterdir():
        with suppress(FileNotFoundError):
            entries[each] = each.stat().st_mtime
    for each, used in entries.items():
        if max(entries.values()) - used > UNUSED:
            rmtree(each, ignore_errors=True) if each.is_dir() else each.unlink(missing_ok=True)
