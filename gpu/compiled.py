"""Compile Python functions to machine code, cached on disk for later starts.

A function is ``compiled`` if Python calls it, and a ``helper`` if compiled functions do. A helper
is part of the machine code of every function that calls it, and is cached only as such a part.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import config, njit
from numba.core import event
from numba.core.registry import CPUDispatcher

from wheatstone.gpu.compilations import compiling, kept_folder, loading

# A function's machine code holds functions and constants of other files, which Numba does not
# watch: each state of all sources has a folder of its own.
if not config.CACHE_DIR:
    _made_by = f"python{sys.version_info.major}.{sys.version_info.minor}-numba{numba.__version__}"
    config.CACHE_DIR = str(kept_folder("compiled", (Path(__file__).parent,), _made_by) or "")

compiled = njit(cache=bool(config.CACHE_DIR), nogil=True, no_cfunc_wrapper=True)
"""Compiled when first called, kept for the next start; releases Python's lock while it runs, so
that other threads, such as a window's, go on."""


class _Helper(CPUDispatcher):  # type: ignore[misc]
    """A function compiled only for other compiled functions; Python runs it uncompiled."""

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)


def helper(function: Callable[..., Any], error_model: str = "python", inline: str = "never") -> Any:
    """Compile a function that only other compiled functions call.

    Entry points for Python and for C, each optimised with all that the function calls, would take
    as long to compile as the function.

    Args:
        function: the function to compile; called from Python, it runs uncompiled.
        error_model: the effect of a division by zero: "python" raises an error, "numpy" goes on.
        inline: "always" makes it part of its only caller before that is compiled.
    """
    ways_in = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    options = {"nopython": True, "error_model": error_model, "inline": inline}
    return _Helper(function, targetoptions=options | ways_in)


class _Compilations(event.Listener):  # type: ignore[misc]
    """A Numba listener that reports compilations, but not functions loaded from disk."""

    def on_start(self, event: event.Event) -> None:
        function = event.data["dispatcher"]
        compiling(function.__module__, called_by_python=not isinstance(function, _Helper))

    def on_end(self, event: event.Event) -> None:
        pass


class _Loadings(event.Listener):  # type: ignore[misc]
    """A Numba listener that reports functions compiled or loaded from disk.

    Both happen under Numba's global lock.
    """

    def on_start(self, event: event.Event) -> None:
        loading()

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _Compilations())
event.register("numba:compiler_lock", _Loadings())
