"""A stage of the toy that waits until it is told to go on."""

import threading
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.toy import scores


class Hold:
    """Holds the last but one stage of the toy up, frame by frame.

    Attributes:
        frames: how many frames came there.
    """

    def __init__(self) -> None:
        self._scores, self._open, self._came = scores.scores, threading.Event(), threading.Event()
        self.frames, self.threads = 0, set[str]()

    def stage(self, *words: Any) -> None:
        """Stands for ``scores``."""
        self.frames += 1
        self.threads.add(threading.current_thread().name)
        self._came.set()
        assert self._open.wait(PATIENCE)
        self._scores(*words)

    @property
    def came(self) -> bool:
        """Whether a frame has come there since the last call of ``wait``."""
        return self._came.is_set()

    def wait(self) -> None:
        """Wait until a frame has come there since the last call."""
        assert self._came.wait(PATIENCE)
        self._came.clear()

    def release(self) -> None:
        """Hold nothing up any more."""
        self._open.set()

    def again(self) -> None:
        """Hold up what comes from now on."""
        self._came.clear()
        self._open.clear()


def hold(monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Let frames of the toy wait from now on."""
    held = Hold()
    monkeypatch.setattr(scores, "scores", held.stage)
    return held
