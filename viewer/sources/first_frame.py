"""Find the first frame of a sequence that can be read: it tells the size of all."""

from collections.abc import Callable

from wheatstone.viewer.sources.frame import Frame

TRIED = 16  # frames from the first on, until one can be read
ReadFrame = tuple[Frame, tuple[str, ...]]


def first_frame(read: Callable[[int], ReadFrame], length: int) -> ReadFrame:
    """Read the first frame that can be read, and note which of those before it cannot.

    Args:
        read: makes the frame of an index, with notes.

    Raises:
        OSError, ValueError: none of the first ``TRIED`` can be read; why the first cannot.
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
