"""Decoding of a video's pictures in advance, before they are requested."""

import threading
from collections.abc import Callable
from typing import Protocol

from wheatstone.viewer.io.footage.decoder import Interrupted
from wheatstone.viewer.io.footage.planes import AnyView

MOST_AHEAD = 8  # pictures
MOST_BYTES = 256 * 2**20  # that these may take
BACK = 2  # frames before the one shown whose pictures stay
LONGEST_STRIDE = 64  # frames skipped between two that are shown


class PictureDecoder(Protocol):
    """The protocol of objects that decode pictures, such as ``Decoder``.

    Attributes:
        by: the decoder of the picture requested last, such as ``GPU``.
        layout: the layout named in the file; None if it names no layout.
        damaged: the damaged frames so far.
    """

    by: str
    layout: str | None
    damaged: set[float]

    def picture(self, position: int, stop: Callable[[], bool]) -> AnyView:
        """Decode the frame of a video at a position."""
        ...

    def close(self) -> None:
        """Release the decoder's resources."""
        ...


Outcome = AnyView | Exception
"""A picture, or the error of decoding it."""


class AheadReader:
    """A reader that decodes a video's pictures in advance, in a thread of its own.

    Requested pictures are decoded first, then the following ones with the stride in which frames
    are shown: if nine of ten are skipped, every tenth is decoded. Several threads may request
    pictures.
    """

    def __init__(self, decoder: PictureDecoder, length: int, picture_bytes: int) -> None:
        """Start a thread that decodes from the first frame on.

        Args:
            decoder: from now on used only by the thread, which closes it in the end.
            length: of the video, in frames; the first frame follows the last.
            picture_bytes: memory that a picture needs.
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
        """Wait until the picture at a position is decoded, and return it.

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
        """Record the position of the frame shown, and its distance from the frame shown before."""
        step = (position - self._at) % self._length
        if step:
            self._stride = step if step <= LONGEST_STRIDE else 1
        self._at = position

    def ready(self, position: int) -> bool:
        """Return whether the picture at a position is decoded, or its decoding has failed."""
        return position in self._outcomes

    @property
    def window(self) -> list[int]:
        """List the positions of the frames to decode in advance, in the order to decode them."""
        first = max(1, self._stride - self._most // 2)
        steps = dict.fromkeys((*range(first, first + self._most), 1))
        return [(self._at + step) % self._length for step in steps]

    def _next(self) -> int | None:
        """Return the position of the frame to decode next; None if there is nothing to decode."""
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
        """Wait until there is a frame to decode, and return its position; None if closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next() is not None)
            return None if self._closed else self._next()

    def _outcome(self, position: int) -> Outcome | None:
        """Decode a frame to a picture or an error; None if a more urgent frame interrupts that."""

        def stop() -> bool:
            asked = tuple(self._asked)
            urgent = position not in asked and any(at not in self._outcomes for at in asked)
            return self._closed or urgent

        try:
            return self._decoder.picture(position, stop)
        except Interrupted:
            return None
        except Exception as error:  # raised where the picture is asked for
            return error

    def _forget(self) -> None:
        """Drop decoded pictures that are not near the frame shown, nor requested."""
        near = {(self._at - back) % self._length for back in range(BACK + 1)}
        kept = near.union(self.window, self._asked)
        for position in self._outcomes.keys() - kept:
            del self._outcomes[position]

    def close(self) -> None:
        """Stop decoding; wait up to a second for the thread, which may end later."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(timeout=1.0)
