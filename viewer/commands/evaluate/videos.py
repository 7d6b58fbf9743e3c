"""Provide the frames with ground truth of a video of both views as a data set."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.pairs import Pair
from wheatstone.viewer.sources.source_spec import SourceSpec
from wheatstone.viewer.sources.truth_places import ENDING, find_frame_truths


@dataclass(frozen=True)
class VideoPair:
    """A frame of a video with ground truth.

    Attributes:
        index: of the frame, from 0.
        scale: stored values per pixel of disparity; None: the usual scale.
        disparities: how many disparities to search; None: unknown.
        min_disparity: the first of them.
        occlusions: the method that determines which pixels both views see.
    """

    name: str
    video: Path
    truth: Path
    index: int
    scale: float | None = None
    disparities: int | None = None
    min_disparity: int = 0
    occlusions: str = "left truth"

    @property
    def paths(self) -> tuple[Path, ...]:
        """List the video and the file of ground truth."""
        return self.video, self.truth


def video_pairs(video: Path, scale: float | None) -> tuple[VideoPair, ...]:
    """List the frames of a video that have ground truth; see ``find_frame_truths``.

    Raises:
        FileNotFoundError: no frame has ground truth.
        OSError: the folder of truth cannot be listed.
    """
    truths = find_frame_truths(video, None, scale)
    if not truths:
        place = video.with_suffix(ENDING)
        raise FileNotFoundError(f"{video}: no frame has ground truth; it is looked for in {place}")
    return tuple(
        VideoPair(f"{label(video.stem)} {index}", video, files.truth, index, scale)
        for index, files in sorted(truths.items())
    )


def load_video_pair(entry: VideoPair) -> Pair:
    """Decode a frame in grey levels, and read its ground truth.

    Raises:
        OSError, ValueError: the video or the truth cannot be read, or there is no such frame.
        Unavailable: PyAV is not installed.
    """
    source = _opened(entry.video, entry.scale)
    if entry.index >= source.length:
        raise ValueError(f"{entry.truth}: {entry.video} has {source.length} frames, from 0")
    frame = source.frame(entry.index)
    assert frame.right is not None and frame.truth is not None and frame.occluded is not None
    return Pair(grey_levels(frame.left), grey_levels(frame.right), frame.truth, ~frame.occluded)


@lru_cache(maxsize=1)
def _opened(video: Path, scale: float | None) -> Source:
    """Open a video; the one opened last stays open for its other frames.

    Its halves are the two views even if they do not seem to match, because it has truth for pairs.
    """
    source = open_source(SourceSpec(str(video), truth_scale=scale))
    if source.frame(0).is_pair:
        return source
    source.close()
    return open_source(SourceSpec(str(video), layout="side-by-side", truth_scale=scale))
