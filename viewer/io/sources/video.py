"""Video sources: one file of single images or of both views, or a file for each view."""

import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path

import numpy as np

from wheatstone.viewer.io.footage.decoder import Decoder
from wheatstone.viewer.io.footage.gpu_decoding import decodes_elsewhere, gpu_that_decodes
from wheatstone.viewer.io.footage.index import FrameIndex, index_of
from wheatstone.viewer.io.footage.pairing import PairedFrames, pair_frames
from wheatstone.viewer.io.footage.planes import AnyView, LaterPlanes, Planes
from wheatstone.viewer.io.footage.read_ahead import AheadReader, PictureDecoder
from wheatstone.viewer.io.footage.thumbnails import Thumbnails
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import Elsewhere, Frame, Source, first_frame, tried_first
from wheatstone.viewer.io.sources.frame_maker import RawViews, frame_maker
from wheatstone.viewer.io.sources.layouts import AS_GIVEN, views_of
from wheatstone.viewer.io.sources.source_spec import LAYOUTS, SourceSpec
from wheatstone.viewer.io.sources.still import paths_of, require_same_size
from wheatstone.viewer.io.sources.truth import read_truths
from wheatstone.viewer.io.sources.truth_places import find_frame_truths

LACKING = 0.5  # seconds fewer than a file says it lasts of which nothing is said
LACKING_FRAMES = 3  # or so many frames


class DecodedPictures:
    """The pictures of a video file or of a recording's topic, decoded in advance.

    Attributes:
        index: the times of its frames.
        path: its name in messages.
        shape: height and width of its pictures.
        aspect: width divided by height.
        decoder: decodes them, in the thread of the reader.
    """

    index: FrameIndex
    path: str
    decoder: PictureDecoder
    _reader: AheadReader | None = None

    def begin(self, name: str, form: str, height: int, width: int, nbytes: int) -> None:
        """Start decoding pictures of ``nbytes`` each in advance; describe them for the user."""
        rate, count = self.index.usual_rate, len(self.index)
        lasts = f"{count} frame{'s' * (count > 1)}" + (f" at {rate:.4g} a second" if rate else "")
        self.known = f"{label(name)}: {form}, {width}x{height}, {lasts}"
        self.shape, self.aspect = (height, width), width / height
        self._reader = AheadReader(self.decoder, count, nbytes)

    @property
    def description(self) -> str:
        """Return a line for the user with name, codec, size, rate and length."""
        return self.known

    def picture(self, position: int) -> AnyView:
        """Return a picture, once it is decoded; raise ``ValueError`` if it cannot be decoded."""
        assert self._reader  # as begin was called
        return self._reader.picture(position)

    def ready(self, position: int) -> bool:
        """Return whether the picture of a frame is decoded."""
        return self._reader is not None and self._reader.ready(position)

    def close(self) -> None:
        """Stop the thread that decodes pictures in advance."""
        if self._reader:
            self._reader.close()


class VideoFile(DecodedPictures):
    """A video file whose pictures are decoded in advance."""

    def __init__(self, path: str, gpu: int | None) -> None:
        """Open a video file; raise the same errors as ``index_of``.

        Args:
            gpu: as in ``Decoder``.
        """
        self.path, self.index = path, index_of(path)
        self.decoder: Decoder = Decoder(path, self.index, gpu=gpu)
        width, height = self.decoder.size
        self.begin(Path(path).name, self.decoder.codec, height, width, width * height * 3)
        if self.index.counted:
            self.known += "; its time stamps do not tell frames apart: seeking begins at the first"
        ends = max(float(self.index.seconds[0]), 0.0) + self.index.lasts
        missing = (self.decoder.lasts or 0.0) - ends
        if missing > max(LACKING, LACKING_FRAMES * self.index.lasts / len(self.index)):
            self.known += f"; its last {missing:.1f} s are missing: cut off?"

    @property
    def description(self) -> str:
        """Return one line for the user, with the decoder and a note on unusual packing of views."""
        packing = self.decoder.packing
        odd = f"; {packing.note}" if packing and packing.note else ""
        return f"{self.known}; {self.decoder.by} decoding{odd}"


class VideoSource(Source):
    """A video of single images or pairs, as a `Source`; several threads may request frames."""

    def __init__(self, spec: SourceSpec) -> None:
        """Open the files and decode the first readable frame; notes name unreadable ones before it.

        Args:
            spec: names the file that holds both views, or the file of each; its truth is a folder,
                see ``find_frame_truths``.

        Raises:
            OSError, ValueError: a file cannot be read or decoded; or the views do not fit the
                layout, differ in size, or cannot be rectified.
            Unavailable: PyAV is not installed.
        """
        self._paths = paths = paths_of(spec)
        self._truths = find_frame_truths(paths[0], spec.truth, spec.truth_scale)
        truths = (path for files in self._truths.values() for path in files.paths)
        self.files = (*filter(None, paths), *truths)
        self.name = " | ".join(label(path.name) for path in paths if path)
        self.spec = spec.resolved()
        self._views = AS_GIVEN
        self._frames = frame_maker(spec)
        self._lock = threading.Lock()
        self._files = self._open(spec)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _open(self, spec: SourceSpec) -> Sequence[DecodedPictures]:
        """Open the files of the left and the right view, or the one that holds both."""
        gpu = gpu_that_decodes(spec.decoding)
        with ExitStack() as stack:  # closes those opened if another one fails
            paths = [str(path) for path in self._paths if path]
            files = [stack.enter_context(closing(VideoFile(path, gpu))) for path in paths]
            stack.pop_all()
            return files

    def _paired(self) -> tuple[PairedFrames, tuple[str, ...]]:
        """Pair the frames of the files; return the pairs with notes for the user."""
        return _pairs([file.index for file in self._files], self._paths)

    def _begin(self) -> None:
        self._pairs, remarks = self._paired()
        index = self._files[0].index
        self.length = len(self._pairs.left)
        seconds = index.seconds[self._pairs.left]
        self.times = seconds - seconds[0]
        places = np.searchsorted(self._pairs.left, index.keys)
        self.key_frames = tuple(places[places < self.length].tolist())
        self.rate = (self.length - 1) / float(self.times[-1]) if self.length > 1 else 0.0
        file = self._files[0]
        if isinstance(file, VideoFile):
            self.thumbnails = Thumbnails(file.path, index, file.aspect, self._pairs.left)
        self._shape = (0, 0)  # of the views as they were decoded
        self._elsewhere: Elsewhere | None = None
        tried = tried_first(self.length, self.key_frames)
        self._choose_layout(tried)
        self._current, first = first_frame(self._read, tried)
        if self.spec.rectify == "auto" and not self._current.is_pair:
            raise ValueError(f"a pair is rectified, not a single image ({self._paths[0]})")
        self.decoding = f"{file.decoder.by} decoding"
        self._fixed_notes = (*(file.description for file in self._files), *remarks, *first)
        self._count_damage()
        self.height, self.width = self._current.shape
        self.planar = self._current.planes is not None
        raw = self._current.raw
        self.rectification = raw.rectification if raw else None
        converted = self.planar and not raw and isinstance(file, VideoFile)
        if converted and decodes_elsewhere(self.spec.decoding):
            self._elsewhere = Elsewhere(self.spec)

    def _choose_layout(self, tried: Sequence[int]) -> None:
        """Set the layout: given, named in the file, or detected in the first whole frame.

        If all frames that are tried are damaged, the first one that can be decoded counts.
        """
        best: tuple[AnyView, AnyView | None] | None = None
        for index in tried:
            with suppress(OSError, ValueError):  # reported by the caller, who reads them again
                pictures = self._pictures(index)
                if not self._damaged_at(index):
                    best = pictures
                    break
                best = best or pictures
        if best:
            named = self._files[0].decoder.layout
            layout = self.spec.layout or (named if named in LAYOUTS else None)
            self._views = views_of(layout, *best, self._paths[0])

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` (modulo ``length``), once it is decoded.

        Raises:
            OSError, ValueError: it cannot be decoded, has another size than the first, or its
                truth cannot be read.
        """
        with self._lock:
            index %= self.length
            if index != self._current.index:
                try:
                    self._current, _ = self._read(index)
                finally:
                    self._count_damage()
            return self._current

    def frame_name(self, index: int) -> str:
        """Return the file name and the number of frame ``index``."""
        return f"{self.name} {index}"

    def _count_damage(self) -> None:
        self.damaged = sum(len(file.decoder.damaged) for file in self._files)
        note = f"{self.damaged} damaged frames so far" if self.damaged else ""
        self.notes = (*self._fixed_notes, *((note,) if note else ()))

    def _read(self, index: int) -> tuple[Frame, tuple[str, ...]]:
        pictures = self._pictures(index)
        first = self._shape == (0, 0)
        left, right = self._views.split(self.name, *pictures)
        if first:
            self.layouts = self._views.choices(pictures[1])
        files = self._truths.get(index) if right is not None else None
        truths = read_truths(files, left.shape[:2]) if files else None
        truth, occluded = (truths.disparity, ~truths.seen) if truths else (None, None)
        views = RawViews(self._paths, left, right, index, truth, occluded)
        frame, remarks = self._frames.frame(views)
        if self.planar and not frame.planes:
            raise ValueError(self._other_colours(index))
        frame.elsewhere = self._elsewhere
        frame.damaged = partial(self._damaged_at, index)
        self._shape = left.shape[:2]
        notes = (self._views.note, *remarks) if first else ()
        return frame, tuple(note for note in notes if note)

    def _picture(self, index: int, file: DecodedPictures, at: int) -> AnyView:
        """Return a frame's picture from one of the video files.

        If another process may decode the picture, this process does so only on demand.
        """
        if not (self._elsewhere and self._elsewhere.possible):
            return file.picture(at)

        def decoded() -> Planes:
            picture = file.picture(at)
            if not isinstance(picture, Planes):
                raise ValueError(self._other_colours(index))
            return picture

        return LaterPlanes(file.shape, decoded)

    def _other_colours(self, index: int) -> str:
        return f"frame {index} of {self.name} has other colours than the first"

    def _damaged_at(self, index: int) -> bool:
        return any(
            file.index.suffers(at, file.decoder.damaged)
            for file, at in zip(self._files, self._at(index), strict=False)
        )

    def _at(self, index: int) -> tuple[int, int]:
        """Return the positions of a frame's pictures in the video files."""
        return int(self._pairs.left[index]), int(self._pairs.right[index])

    def _pictures(self, index: int) -> tuple[AnyView, AnyView | None]:
        """Decode the pictures of a frame; raise ``ValueError`` if two differ in size."""
        places = zip(self._files, self._at(index), strict=False)
        left, *others = (self._picture(index, *each) for each in places)
        if not others:
            return left, None
        (right,) = others
        names = (Path(file.path) for file in self._files)
        require_same_size(next(names), left.shape, next(names), right.shape)
        return left, right

    def ready(self, index: int) -> bool:
        """Return whether frame ``index`` (modulo ``length``) is decoded."""
        index %= self.length
        places = zip(self._files, self._at(index), strict=False)
        decoded = all(file.ready(at) for file, at in places)
        return index == self._current.index or decoded

    def close(self) -> None:
        """Stop decoding and close the files, without waiting long for threads."""
        if self.thumbnails:
            self.thumbnails.close()
        for file in self._files:
            file.close()


def _pairs(
    indices: list[FrameIndex], paths: tuple[Path, Path | None]
) -> tuple[PairedFrames, tuple[str, ...]]:
    """Pair the frames of two videos, or list those of a single one; return notes as well.

    Raises:
        ValueError: no frame of one has a partner in the other.
    """
    if len(indices) < 2:
        every = np.arange(len(indices[0]))
        return PairedFrames(every, every, aligned=False), ()
    pairs = pair_frames(*indices)
    count, lengths = len(pairs.left), [len(index) for index in indices]
    if not count:
        raise ValueError(f"{paths[0]} and {paths[1]}: no two frames were taken at the same time")
    notes = ["clocks differ: both videos count as begun at once"] if pairs.aligned else []
    if count < max(lengths):
        notes.append(f"{count} pairs of {lengths[0]} left and {lengths[1]} right frames")
    return pairs, tuple(notes)
