"""Index of a video: the times of its frames, read without decoding them if possible."""

from bisect import bisect_right
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.footage.file_stream import FileStream
from wheatstone.viewer.io.reading.plain_text import label

PROBED = 12  # frames that are decoded to see whether time stamps hold


@dataclass(frozen=True, eq=False)
class FrameIndex:
    """An index of a video's frames, in the order in which they are shown.

    Attributes:
        stamps: (N,) time stamp of every frame, rising.
        keys: positions of the key frames, rising; decoding may begin there, unless ``counted``.
        base: seconds per unit of the time stamps.
        counted: whether time stamps do not identify frames: a frame is then identified by the
            number of frames decoded before it, from the beginning.
    """

    stamps: NDArray[np.int64]
    keys: tuple[int, ...]
    base: Fraction
    counted: bool = False

    def __len__(self) -> int:
        return len(self.stamps)

    @cached_property
    def seconds(self) -> NDArray[np.float64]:
        """Return the time of every frame in seconds, by the clock of the file."""
        return np.asarray(self.stamps * float(self.base), np.float64)

    @property
    def rate(self) -> float:
        """Return the video's average frames per second; 0 for a single frame."""
        if len(self) < 2:
            return 0.0
        return (len(self) - 1) / float(self.seconds[-1] - self.seconds[0])

    @property
    def usual_rate(self) -> float:
        """Return the usual frames per second, without gaps of lost frames; 0 for one frame."""
        intervals = np.diff(self.seconds)
        if not intervals.size:
            return 0.0
        return 1 / float(intervals[intervals <= 1.5 * np.median(intervals)].mean())

    @property
    def lasts(self) -> float:
        """Return the duration in seconds; the last frame has the average duration of a frame."""
        return len(self) / self.rate if self.rate else 0.0

    def position(self, stamp: int | None) -> int | None:
        """Return the position of the frame with a time stamp; None if no frame has it."""
        if stamp is None:
            return None
        at = int(np.searchsorted(self.stamps, stamp))
        return at if at < len(self) and self.stamps[at] == stamp else None

    def keys_before(self, position: int) -> tuple[int, ...]:
        """List the video's key frames at or before a position, the last first."""
        return self.keys[: bisect_right(self.keys, position)][::-1]

    def suffers(self, position: int, damaged: Collection[float]) -> bool:
        """Return whether a frame, or one shown before it since the last key frame, is damaged.

        Args:
            damaged: positions of damaged frames, as in ``Decoder``.
        """
        begin = next(iter(self.keys_before(position)), -1)
        return any(begin <= each <= position for each in damaged)


def index_of(path: str) -> FrameIndex:
    """Index the frames of a video file; decode only a few of them if possible.

    Raises:
        OSError, ValueError: the file cannot be read, holds no video, or no frame of it can be
            decoded; or it has a rotation. One line that names it.
        Unavailable: PyAV is not installed.
    """
    index = _by_packets(path)
    if index is None or not _holds(path, index):
        index = _by_decoding(path)
    if not len(index):
        raise ValueError(f"{label(path)}: holds no frame that can be decoded; it may be cut off")
    return index


def _by_packets(path: str) -> FrameIndex | None:
    """Index a video by its packets, without decoding; None if time stamps are missing or equal."""
    shown: dict[int, bool] = {}
    packets = 0
    with closing(FileStream(path)) as file:
        base = file.stream.time_base
        for packet in file.packets():
            if not packet.is_discard:
                packets += 1
                if packet.pts is not None:
                    shown[packet.pts] = packet.is_keyframe
    if len(shown) < packets or base is None:
        return None
    stamps = sorted(shown)
    keys = tuple(at for at, stamp in enumerate(stamps) if shown[stamp])
    return FrameIndex(np.array(stamps, np.int64), keys, base)


def _holds(path: str, index: FrameIndex) -> bool:
    """Return whether an index is right for the first decoded frames: same time stamps, in order.

    Raises:
        ValueError: the frames have to be rotated.
    """
    with closing(FileStream(path)) as file:
        frames = list(islice((f for _, f in file.frames() if f is not None), PROBED))
    if frames and frames[0].rotation:
        turned = f"is to be turned by {frames[0].rotation:g} degrees, which is not done"
        raise ValueError(f"{label(path)}: {turned}; write it again without rotation")
    positions = [index.position(frame.pts) for frame in frames]
    known = [at for at in positions if at is not None]
    return bool(known) and known == positions and known == sorted(set(known))


def _by_decoding(path: str) -> FrameIndex:
    """Index a video by decoding it; frames get a constant rate unless their time stamps rise."""
    with closing(FileStream(path)) as file:
        base, rate = file.stream.time_base or Fraction(0), file.stream.average_rate or Fraction(25)
        shown = [(stamp, f.key_frame) for stamp, f in file.frames() if f is not None]
    stamps = [stamp for stamp, _ in shown]
    keys = tuple(at for at, (_, key) in enumerate(shown) if key)
    known = [stamp for stamp in stamps if stamp is not None]
    if base and len(known) == len(stamps) and known == sorted(set(known)):
        return FrameIndex(np.array(known, np.int64), keys, base, counted=True)
    return FrameIndex(np.arange(len(stamps), dtype=np.int64), keys, 1 / rate, counted=True)
