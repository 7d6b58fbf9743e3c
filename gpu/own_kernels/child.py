"""Run the user's kernels in a child process, which reads requests and writes replies.

Run as ``python -m wheatstone.gpu.own_kernels.child``. It reads requests from standard input and
writes a reply for each, a line of JSON: see ``process``. What kernels print goes to
standard error.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, BinaryIO, Protocol

OF_ACCESS = ("IllegalAddress", "ILLEGAL_ADDRESS", "illegal memory", "misaligned address")
"""Words in CUDA's errors for accesses to memory that is not the kernel's own."""


class Caller(Protocol):
    """The interface for calling kernels in a child process, on a GPU or emulated."""

    def load(self, programs: Sequence[str]) -> None:
        """Load compiled programs, so that loading does not count in the time of a call."""
        ...

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call the kernels that a request describes; return the reply."""
        ...

    def forget(self) -> None:
        """Close the shared memory that holds the images of calls."""
        ...


def main() -> None:
    """Answer requests until standard input is closed."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    callers: list[Caller] = []
    for line in sys.stdin.buffer:
        _reply(replies, _answer(json.loads(line), callers))


def _reply(replies: BinaryIO, reply: dict[str, Any]) -> None:
    sys.stdout.flush()
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.flush()


def _answer(request: dict[str, Any], callers: list[Caller]) -> dict[str, Any]:
    """Execute a request and return the reply; an exception is returned as a reply."""
    try:
        if "begin" in request:
            callers.append(_caller(request))
            return {}
        if "load" in request:
            callers[0].load(request["load"])
            return {}
        if "forget" in request:
            callers[0].forget()
            return {}
        return callers[0].call(request)
    except Exception as error:
        return _described(error, request)


def _caller(request: dict[str, Any]) -> Caller:
    """Create the caller that the first request selects: on the GPU, or with emulation."""
    if request["begin"]:
        from wheatstone.gpu.own_kernels.cuda_caller import CudaCaller

        return CudaCaller(request["device"])
    from wheatstone.gpu.own_kernels.host_caller import HostCaller

    return HostCaller()


def _described(error: Exception, request: dict[str, Any]) -> dict[str, Any]:
    """Describe an exception as plain data, with the line if a Python function raised it."""
    message = f"{type(error).__name__}: {error}"
    if python := request.get("python"):
        lines = [
            f.lineno
            for f in traceback.extract_tb(error.__traceback__)
            if f.filename == python["file"]
        ]
        if isinstance(error, SyntaxError):
            lines = [error.lineno]
        line = (lines or [0])[-1] or 0
        return {"reason": "exception", "message": message, "file": python["file"], "line": line}
    reason = "access" if any(word in message for word in OF_ACCESS) else "launch"
    return {"reason": reason, "message": message, "ends": True}


if __name__ == "__main__":
    main()
