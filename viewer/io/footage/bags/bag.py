"""Topics of a robot recording, and the protocol of the files that hold its messages."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.regular_files import MIB

LARGEST_MESSAGE = 512 * MIB
"""Maximum bytes of a message, and of a chunk of messages after unpacking."""
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MessagePlaces:
    """The recording times and file positions of all messages of a topic.

    Attributes:
        times: (N,) nanoseconds at which each was recorded.
        chunks: (N,) number of the chunk or file that holds it; -1: none.
        offsets: (N,) its position there.
    """

    times: Numbers
    chunks: Numbers
    offsets: Numbers

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True, eq=False)
class BagTopic:
    """A topic of a robot recording: a named sequence of messages.

    Attributes:
        name: such as ``/stereo/left/image_raw``.
        type: the message type without ``/msg``, such as ``sensor_msgs/Image``.
        encoding: of its messages: ``cdr``, ``ros1``, ``protobuf`` or ``json``.
    """

    name: str
    type: str
    encoding: str
    places: MessagePlaces

    @property
    def description(self) -> str:
        """Describe the topic for a message: name, type and number of messages."""
        return f"{label(self.name)} ({label(self.type)}, {len(self.places)})"


class Bag(Protocol):
    """The protocol of open robot recordings, from which several threads may read.

    Attributes:
        path: the file or folder.
        files: every file of it.
        topics: all topics, by name.
        remarks: notes for the user, such as that the recording is cut off.
    """

    path: Path
    files: tuple[Path, ...]
    topics: Sequence[BagTopic]
    remarks: tuple[str, ...]

    def read(self, topic: BagTopic, number: int, most: int | None = None) -> bytes:
        """Read a message of a topic: all its bytes, or only the first ones.

        Args:
            number: of the message within the topic.
            most: number of bytes to read; None: all.

        Raises:
            OSError, ValueError: it cannot be read, or is damaged; one line that names the file.
        """
        ...

    def close(self) -> None:
        """Close the files of the recording."""
        ...


def joined(parts: Sequence[tuple[int, Numbers, Numbers]]) -> MessagePlaces:
    """Merge message positions from several chunks or files into one list sorted by time.

    Args:
        parts: of each chunk or file its number, and the times and offsets of its messages.
    """
    if not parts:
        none = np.zeros(0, np.int64)
        return MessagePlaces(none, none, none)
    chunks = np.concatenate([np.full(len(times), chunk, np.int64) for chunk, times, _ in parts])
    times = np.concatenate([times for _, times, _ in parts])
    offsets = np.concatenate([offsets for _, _, offsets in parts])
    order = np.lexsort((offsets, chunks, times))
    return MessagePlaces(times[order], chunks[order], offsets[order])


def plain_type(name: str) -> str:
    """Return the name of a message type without ROS 2's part ``/msg``."""
    return name.replace("/msg/", "/")


@contextmanager
def damage(path: Path) -> Iterator[None]:
    """Convert errors in the ``with`` block to a ``ValueError`` that calls the file damaged."""
    try:
        yield
    except MemoryError:
        raise ValueError(f"{path}: damaged recording (it does not fit into memory)") from None
    except OSError:
        raise
    except Exception as error:  # readers of damaged files raise what no list of theirs names
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        if reason.startswith(str(path)):
            raise ValueError(reason) from None
        why = f"damaged recording ({reason}); record or copy it again"
        raise ValueError(f"{path}: {why}") from None
