"""Parse the frames of a sequence to render: ``--frames N``, ``A:B``, ``A:`` or ``:B``."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"([0-9]{0,9}):([0-9]{0,9})")
_COUNT = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True)
class FrameRange:
    """The frames that a command line requests.

    Attributes:
        words: as the user wrote them.
        count: their number, from the frame shown on; None: from ``first`` to before ``stop``.
        first: index of the first frame, from 0.
        stop: index after the last frame; None: after the source's last.
    """

    words: str
    count: int | None = None
    first: int = 0
    stop: int | None = None

    @property
    def endless(self) -> bool:
        """Return whether the range extends to the source's last frame."""
        return self.count is None and self.stop is None

    def numbers(self, shown: int, length: int, name: str) -> range:
        """List the numbers of a source's frames.

        If a count exceeds the source, its frames repeat from the first, as in the window, and
        their numbers keep increasing.

        Args:
            shown: index of the frame shown.
            length: number of frames of the source.
            name: of the source, for messages.

        Raises:
            ValueError: the source has no such frames.
        """
        if self.count is not None:
            return range(shown, shown + self.count)
        stop = length if self.stop is None else self.stop
        if not self.first < stop <= length:
            raise ValueError(f"--frames {self.words}: {name} has the frames 0 to {length - 1}")
        return range(self.first, stop)


def frame_range(text: str) -> FrameRange:
    """Parse the value of ``--frames``; raise ``ValueError`` if it is invalid."""
    if _COUNT.fullmatch(text):
        if int(text) < 1:
            raise ValueError(f"must be 1 or more (got {text})")
        return FrameRange(text, int(text))
    if not (found := _RANGE.fullmatch(text)):
        raise ValueError(f"must be a number, A:B, A:, :B or : (got {text!r})")
    first, stop = int(found[1] or 0), int(found[2]) if found[2] else None
    if stop is not None and stop <= first:
        raise ValueError(f"{text} holds no frame: B must be above A")
    return FrameRange(text, None, first, stop)
