"""A watch on a thread: which of the program's functions keep its core busy, and for how long."""

import gc
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
EVERY = 0.005  # seconds between two looks
Stack = tuple[str, ...]


def stack_of(frame: FrameType | None) -> Stack:
    """The program's functions on a stack, as file:function, the innermost last."""
    listed = []
    while frame:
        path = Path(frame.f_code.co_filename).resolve()
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ("viewer", "gpu"):
            listed.append(f"{path.relative_to(ROOT)}:{frame.f_code.co_name}")
        frame = frame.f_back
    return tuple(reversed(listed))


@dataclass
class Watch:
    """What a thread did, in seconds of its own on a core.

    Time in which it waits, or in which others have the core, does not count, so that a busy machine
    changes nothing.

    Attributes:
        now: what the seconds are counted under just now.
    """

    now: str = ""
    spent: dict[str, dict[Stack, float]] = field(default_factory=dict)

    def busy(self, seconds: float, allowed: Sequence[str]) -> dict[str, str]:
        """What was busy for longer under one name, but for what functions allowed called.

        Returns:
            The functions, outermost first, by what they are counted under.
        """
        by_key = {}
        for name, stacks in self.spent.items():
            counted = {
                stack: took
                for stack, took in stacks.items()
                if stack and not any(place in call for call in stack for place in allowed)
            }
            if sum(counted.values()) > seconds:
                worst = max(counted, key=lambda stack: counted[stack])
                by_key[name] = f"{sum(counted.values()):.3f} s, most in {' > '.join(worst)}"
        return by_key


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch the calling thread; as in the program, garbage is looked for in what is new only."""
    watched, watch, over = threading.get_ident(), Watch(), threading.Event()
    clock = time.pthread_getcpuclockid(watched)

    def look() -> None:
        """Look at the thread until the watch is over."""
        before = time.clock_gettime(clock)
        while not over.wait(EVERY):
            now, stack = time.clock_gettime(clock), stack_of(sys._current_frames().get(watched))
            spent = watch.spent.setdefault(watch.now, defaultdict(float))
            spent[stack] += now - before
            before = now

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    gc.freeze()
    try:
        yield watch
    finally:
        gc.unfreeze()
        over.set()
        looking.join()
