"""Live sources: one camera or stream that sends both views, or one device for each view."""

import threading
from pathlib import Path

from wheatstone.viewer.io.footage.address import Address
from wheatstone.viewer.io.footage.feed import Feed
from wheatstone.viewer.io.footage.pairing import ShotPictures
from wheatstone.viewer.io.footage.planes import SOFTWARE
from wheatstone.viewer.io.reading.checks import LARGEST_VIDEO
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.frame_maker import RawViews, frame_maker
from wheatstone.viewer.io.sources.layouts import AS_GIVEN, views_of
from wheatstone.viewer.io.sources.source_spec import SourceSpec

ENDLESS = 2**53
"""The length of a source that has no end."""


class LiveSource(Source):
    """A `Source` of cameras or streams, whose newest frame is shown.

    Frames are numbered as they are requested: one that arrived and was never requested has no
    number. Those of the last few numbers are kept. Several threads may request frames.
    """

    def __init__(self, spec: SourceSpec) -> None:
        """Open the devices and wait for the first frame, which determines size and layout.

        Args:
            spec: names the addresses, as for ``is_live``; without ``right`` one device sends both
                views, or a single image.

        Raises:
            OSError, ValueError: a device cannot be opened or sends no frames; or its pictures do
                not fit the options.
            Unavailable: PyAV is not installed.
        """
        if spec.truth is not None:
            raise ValueError(f"ground truth in a file needs two images ({spec.truth})")
        sides = (side for side in (spec.left, spec.right) if side is not None)
        addresses = [Address(side, spec.capture) for side in sides]
        self.spec = spec.resolved()
        self._given, self._frames = spec, frame_maker(spec)
        self._views, self._kept = AS_GIVEN, dict[int, Frame]()
        self._lock = threading.Lock()
        self.live = self._feed = Feed(addresses)
        try:
            self._begin(self._feed.first())
        except BaseException:
            self._feed.close()
            raise

    def _begin(self, first: ShotPictures) -> None:
        """Determine layout, size, rate and rectification from the first pictures."""
        self._views = views_of(self._given.layout, first.left, first.right)
        frame, remarks = self._frame(first, 0)
        if not frame.is_pair and self._given.rectify == "auto":
            raise ValueError(f"{self._feed.name}: a pair is rectified, not a single image")
        if max(frame.shape) > LARGEST_VIDEO:
            width, height = frame.shape[::-1]
            raise ValueError(
                f"{self._feed.name} is {width}x{height}: at most {LARGEST_VIDEO} are shown"
            )
        self._kept[0], self.planar = frame, frame.planes is not None
        self.decoding = f"{SOFTWARE} decoding"
        self.layouts = self._views.choices(first.right)
        self.height, self.width = frame.shape
        self.name, self.length, self.rate = self._feed.name, ENDLESS, self._feed.promised
        notes = *self._feed.notes, self._views.note, *remarks
        self.notes = tuple(note for note in notes if note)
        self.rectification = frame.raw.rectification if frame.raw else None

    def _frame(self, pictures: ShotPictures, number: int) -> tuple[Frame, tuple[str, ...]]:
        """Make a stereo frame from the pictures of one moment.

        Raises:
            ValueError: they have different sizes, or do not fit the layout.
        """
        shapes = {shot.view.shape[:2] for shot in pictures.shots}
        if len(shapes) > 1:
            sizes = " and ".join(f"{s.view.shape[1]}x{s.view.shape[0]}" for s in pictures.shots)
            raise ValueError(f"both cameras must deliver the same size (got {sizes})")
        views = self._views.split(self._feed.name, pictures.left, pictures.right)
        if not self._given.calibrations and self._given.rectify != "auto":
            return Frame(*views, number), ()
        nowhere = Path(f"/{self._feed.name}/frame")  # where nothing lies that could be looked up
        return self._frames.frame(RawViews((nowhere, None), *views, number))

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` if it is stored or has just arrived, else the nearest stored one.

        Raises:
            ValueError: as for opening.
        """
        with self._lock:
            newest = max(self._kept)
            if index > newest and (pictures := self._feed.take()):
                newest += 1
                self._kept[newest] = self._later(pictures, newest)
                for number in [n for n in self._kept if n < self._feed.oldest]:
                    del self._kept[number]
            return self._kept[min(max(index, min(self._kept)), newest)]

    def _later(self, pictures: ShotPictures, number: int) -> Frame:
        """Make a frame from pictures after the first ones; raise the same errors as ``_frame``.

        Their colour format must be that of the first pictures.
        """
        frame, _ = self._frame(pictures, number)
        if self.planar and not frame.planes:
            raise ValueError(f"{self.name} sends other colours now: open it again")
        return frame

    def ready(self, index: int) -> bool:
        """Return True: a live source always has a frame to show."""
        return True

    def rest(self, rests: bool) -> None:
        """Stop decoding packets while nobody watches (True), or decode again (False)."""
        for reader in self._feed.readers:
            reader.decodes = not rests

    def close(self) -> None:
        """Stop reading from the cameras or streams."""
        self._feed.close()
