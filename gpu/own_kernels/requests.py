"""Parse a request in the process of the user's kernels, and call Python functions."""

import linecache
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np


def views(memory: Any, request: dict[str, Any]) -> list[Any]:
    """Return the images of a request as arrays in shared memory."""
    views = []
    for offset, image in zip(request["offsets"], request["images"], strict=True):
        dtype = np.dtype(image["dtype"])
        size = int(np.prod(image["shape"])) * dtype.itemsize
        views.append(memory[offset : offset + size].view(dtype).reshape(image["shape"]))
    return views


def number_of(argument: dict[str, Any]) -> Any:
    """Convert an argument of a request to a scalar of the type that the kernel takes."""
    return np.float32(argument["float"]) if "float" in argument else np.int32(argument["int"])


@cache
def _code(text: str, file: str) -> CodeType:
    return compile(text, file, "exec")


@cache
def _function(text: str, file: str, entry: str) -> Any:
    """Return a function of a Python file, whose text is executed once per function."""
    names: dict[str, Any] = {"__name__": Path(file).stem, "__file__": file}
    lines = text.splitlines(keepends=True)
    linecache.cache[file] = len(text), None, lines, file  # Triton reads the source of its kernels
    exec(_code(text, file), names)  # the user's own code, which this process is for
    if not callable(function := names.get(entry)):
        raise NameError(f"there is no function {entry}")
    return function


def call_python(request: dict[str, Any], images: Sequence[Any]) -> None:
    python = request["python"]
    function = _function(python["text"], python["file"], python["entry"])
    arguments = [tuple(v) if isinstance(v, list) else v for v in request["arguments"]]
    function(*images, *arguments)
