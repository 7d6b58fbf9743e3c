"""Reading of a sequence's first readable frame, which determines the size of all frames."""

from collections.abc import Callable

from wheatstone.viewer.sources.frame import Frame

TRIED = 16  # frames from the first on, until one can be read
ReadFrame = tuple[Frame, tuple[str, ...]]


def first_frame(read: Callable[[int], ReadFrame], length: int) -> ReadFrame:
    """Return the first frame that can be read, with notes on the unreadable frames before it.

    Args:
        read: reads the frame of an index, with notes.

    Raises:
        OSError, ValueError: none of the first ``TRIED`` can be read; the error of the first.
    """
    broken: list[Exception] = []
    for index in range(min(length, TRIED)):
        try:
            first, notes = read(index)
        except (OSError, ValueError) as error:
            broken.append(error)
        else:
            return first, (*map(str, broken), *notes)
    raise broken[0]
