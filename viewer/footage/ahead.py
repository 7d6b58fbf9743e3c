"""Decode ahead: pictures of a video that are there before they are asked for."""

import threading
from collections.abc import Callable
from typing import Protocol

from wheatstone.viewer.footage.decoder import Interrupted
from wheatstone.viewer.footage.planes import AnyView

MOST_AHEAD = 8  # pictures
MOST_BYTES = 256 * 2**20  # that these may take
BACK = 2  # frames before the one shown whose pictures stay
LONGEST_STRIDE = 64  # frames left out between two that are shown


class PictureDecoder(Protocol):
    """Decodes pictures, as ``Decoder`` does."""

    def picture(self, position: int, stop: Callable[[], bool]) -> AnyView:
        """Decode a frame."""
        ...

    def close(self) -> None:
        """Give back what the decoder holds."""
        ...


Outcome = AnyView | Exception
"""A picture, or why there is none."""


class AheadReader:
    """AnyView of a video, decoded by a thread of its own: first those that are asked for.

    Then come those that follow, in the steps in which frames are shown: who leaves out nine of ten
    finds every tenth. Several threads may ask.
    """

    def __init__(self, decoder: PictureDecoder, length: int, picture_bytes: int) -> None:
        """Begin to decode from the first frame on.

        Args:
            decoder: used by the thread alone from now on, which closes it in the end.
            length: of the video, in frames; after the last one the first follows.
            picture_bytes: what a picture takes.
        """
        self._decoder, self._length = decoder, length
        self._most = max(1, min(MOST_AHEAD, MOST_BYTES // max(picture_bytes, 1)))
        self._changed = threading.Condition()
        self._asked: list[int] = []
        self._outcomes: dict[int, Outcome] = {}
        self._at, self._stride, self._closed = 0, 1, False
        self._thread = threading.Thread(target=self._run, name="decoding", daemon=True)
        self._thread.start()

    def picture(self, position: int) -> AnyView:
        """Return a picture, once it is decoded.

        Raises:
            ValueError: the frame cannot be decoded, or the reader is closed.
        """
        with self._changed:
            self._move(position)
            self._asked.append(position)
            self._changed.notify_all()
            self._changed.wait_for(lambda: position in self._outcomes or self._closed)
            self._asked.remove(position)
            outcome = self._outcomes.get(position)
        if outcome is None:
            raise ValueError("the video is closed")
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _move(self, position: int) -> None:
        """Note that a frame is shown, and how far it is from the one before."""
        step = (position - self._at) % self._length
        if step:
            self._stride = step if step <= LONGEST_STRIDE else 1
        self._at = position

    def ready(self, position: int) -> bool:
        """Tell whether a picture is decoded, or cannot be."""
        return position in self._outcomes

    @property
    def window(self) -> list[int]:
        """List the frames that are wanted after the one shown, the first first; the next is one."""
        first = max(1, self._stride - self._most // 2)
        steps = dict.fromkeys((*range(first, first + self._most), 1))
        return [(self._at + step) % self._length for step in steps]

    def _next(self) -> int | None:
        """Choose the frame to decode next; None while all that are wanted are there."""
        wanted = (*self._asked, *self.window)
        return next((at for at in wanted if at not in self._outcomes), None)

    def _run(self) -> None:
        try:
            while (position := self._wait()) is not None:
                outcome = self._outcome(position)
                with self._changed:
                    if outcome is not None:
                        self._outcomes[position] = outcome
                    self._forget()
                    self._changed.notify_all()
        finally:
            self._decoder.close()

    def _wait(self) -> int | None:
        """Wait for a frame that is wanted; None once the reader is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next() is not None)
            return None if self._closed else self._next()

    def _outcome(self, position: int) -> Outcome | None:
        """Decode a frame; None if it was given up for one that is asked for."""

        def stop() -> bool:
            return self._closed or (position not in self._asked and self._urgent())

        try:
            return self._decoder.picture(position, stop)
        except Interrupted:
            return None
        except Exception as error:  # raised where the picture is asked for
            return error

    def _urgent(self) -> bool:
        """Tell whether a frame is asked for that is not there."""
        return any(at not in self._outcomes for at in tuple(self._asked))

    def _forget(self) -> None:
        """Forget what is not near the frame shown."""
        near = {(self._at - back) % self._length for back in range(BACK + 1)}
        kept = near.union(self.window, self._asked)
        for position in self._outcomes.keys() - kept:
            del self._outcomes[position]

    def close(self) -> None:
        """End decoding; wait a moment for the thread, and leave it behind if that takes long."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(timeout=1.0)
