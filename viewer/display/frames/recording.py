"""Recordings of the window's view or of a source, written in the background."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.panel_choices import RecordingChoice
from wheatstone.viewer.io.files.film import SUFFIXES, RecordedFilm
from wheatstone.viewer.io.files.output import unused_stem
from wheatstone.viewer.io.files.png_pairs import PngPairs
from wheatstone.viewer.io.footage.recorder import Recorder, duration, size_words
from wheatstone.viewer.io.footage.recording import PacketRecorder, PairVideo
from wheatstone.viewer.io.sources.frame import Frame, Source

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

DEFAULT_SUFFIX = {"view": ".mp4", "pairs": ".mkv", "packets": ".mkv"}
LOSSLESS = ".mkv"


def kind_of(path: Path | None, choice: RecordingChoice) -> str:
    """Return the kind of recording for a path: ``view``, ``pairs`` or ``packets``.

    Without a path, any kind fits.

    Raises:
        ValueError: files of this suffix cannot hold that kind.
    """
    suffix = path.suffix.lower() if path else None
    kind = choice.kind
    if kind == "auto":
        kind = "pairs" if suffix in ("", LOSSLESS) else "view"
    fitting = {"view": SUFFIXES, "pairs": ("", LOSSLESS), "packets": (LOSSLESS,)}[kind]
    if suffix is not None and suffix not in fitting:
        names = " or ".join(ending or "a folder" for ending in fitting)
        raise ValueError(f"{path}: {kind} are recorded to {names}".replace("view are", "a view is"))
    return kind


def check_source(kind: str, source: Source) -> None:
    """Raise ``ValueError`` if a source cannot be recorded as ``kind``, such as ``packets``."""
    if kind != "packets":
        return
    if not source.live:
        raise ValueError(f"{source.name} sends no packets to record; record pairs or the view")
    if len(source.live.readers) > 1:
        raise ValueError(f"{source.name} are two streams: record pairs or the view")


NOTHING_RECORDED = "nothing was recorded"
CHANNELS = 3  # of a view that waits to be written, at most


class Recording:
    """Base class of recordings in progress."""

    recorder: Recorder

    def follow(self, shows: "Session") -> None:
        """Record the frame on screen if it must be recorded now."""
        raise NotImplementedError

    def end(self, shows: "Session") -> None:
        """Pass all pending frames to the recorder, at the end of the recording."""


class ViewRecording(Recording):
    """A recording of the pictures drawn, up to a maximum rate per second."""

    def __init__(self, path: Path, rate: float) -> None:
        self.recorder = Recorder(RecordedFilm(path, rate), path)
        self._rate, self._slot = rate, -1

    def follow(self, shows: "Session") -> None:
        """Start to copy the picture drawn if one is due; pass on the finished copies."""
        self._hand_on(shows, wait=False)
        seconds = self.recorder.seconds
        slot = int(seconds * self._rate)
        if slot > self._slot:
            self._slot = slot
            if not shows.display.grab(seconds):
                self.recorder.dropped += 1

    def end(self, shows: "Session") -> None:
        """Record the last picture once more, and wait for all pending pictures."""
        if self._slot < 0:  # nothing was drawn
            shows.display.grab(0)
        shows.display.grab(self.recorder.seconds)
        self._hand_on(shows, wait=True)

    def _hand_on(self, shows: "Session", *, wait: bool) -> None:
        for picture, seconds in shows.display.grabbed(wait=wait):
            self.recorder.put(picture, picture.nbytes, seconds)


class PairRecording(Recording):
    """A recording of every frame shown, with the source's original views."""

    def __init__(self, path: Path, source: Source) -> None:
        writer = PairVideo(path, source.rate) if path.suffix else PngPairs(path)
        self.recorder = Recorder(writer, path)
        self._source = source
        self._last: Frame | None = None

    def follow(self, shows: "Session") -> None:
        """Record the frame shown if it was not recorded yet."""
        frame = shows.frame_shown
        if shows.source is not self._source:
            self.recorder.fail("another source is shown")
        elif frame is not None and frame is not self._last:
            self._last = frame
            views = [view for view in frame.taken if view is not None]
            pixels = sum(view.shape[0] * view.shape[1] for view in views)
            self.recorder.put(frame.taken, CHANNELS * pixels)

    def end(self, shows: "Session") -> None:
        """Record the last frame shown, if it was not recorded yet."""
        self.follow(shows)


class PacketRecording(Recording):
    """A recording of the encoded packets that a live source receives."""

    def __init__(self, path: Path, source: Source) -> None:
        check_source("packets", source)
        assert source.live
        self._source = source
        self._reader = source.live.readers[0]
        self._listener = PacketRecorder(path, source.spec.layout or "")
        self.recorder = self._listener.recorder
        self._reader.listeners += (self._listener,)

    def follow(self, shows: "Session") -> None:
        """Stop the recording with an error if another source is shown."""
        if shows.source is not self._source:
            self.recorder.fail("another source is shown")

    def end(self, shows: "Session") -> None:
        """Stop receiving the source's packets."""
        others = (each for each in self._reader.listeners if each is not self._listener)
        self._reader.listeners = tuple(others)


@dataclass
class Recordings:
    """The recordings of a session, of which one can run at a time.

    Attributes:
        tell: called with the user's message when a recording ends on its own.
        ended: those messages, repeated when the program ends.
        failed: whether a recording could not be written completely.
    """

    shows: "Session"
    tell: Callable[[str], None]
    ended: list[str] = field(default_factory=list)
    failed: bool = False
    _now: Recording | None = None

    @property
    def path(self) -> Path | None:
        """Return the file or folder of the running recording; None without one."""
        return self._now.recorder.path if self._now else None

    @property
    def of_view(self) -> bool:
        """Whether the pictures drawn are being recorded."""
        return isinstance(self._now, ViewRecording)

    @property
    def needs_frames(self) -> bool:
        """Whether the recording needs frames to be computed and drawn, even in a hidden window."""
        return self._now is not None and not isinstance(self._now, PacketRecording)

    @property
    def words(self) -> str:
        """Format duration, frames and size of the running recording; empty without one."""
        if not self._now:
            return ""
        recorder = self._now.recorder
        counts = f"{recorder.written:,} frames"
        if recorder.dropped:
            counts += f", {recorder.dropped:,} dropped"
        return f"{duration(recorder.seconds)}  ·  {counts}  ·  {size_words(recorder.size)}"

    def begin(self, path: Path | None, choice: RecordingChoice, folder: Path | None = None) -> str:
        """Start a recording; return the message for the user.

        Args:
            path: the file or, without a suffix, the folder; None: a file with an unused name.
            folder: the folder of such a file; None: the current one.

        Raises:
            ValueError: that cannot be recorded, or not to such a file.
            OSError: the file exists already, or cannot be written.
            Unavailable: PyAV is not installed.
        """
        kind, source = kind_of(path, choice), self.shows.source
        suffix = DEFAULT_SUFFIX[kind]
        path = path or unused_stem(folder or Path.cwd(), (suffix,)).with_suffix(suffix)
        if kind == "view":
            self._now = ViewRecording(path, choice.rate)
        else:
            self._now = (PairRecording if kind == "pairs" else PacketRecording)(path, source)
        return f"recording to {path}; Ctrl+R ends it, or a click on the red button"

    def follow(self) -> None:
        """Record the picture drawn; stop a recording that cannot continue, with a message."""
        if self._now:
            try:
                self._now.follow(self.shows)
            except Unavailable as error:
                self._now.recorder.fail(error)
            if self._now.recorder.error:
                message = self.end()()
                self.ended.append(message)
                self.tell(message)

    def end(self, offer: Callable[[Path], None] = lambda _: None) -> Callable[[], str]:
        """Stop the recording; return a function that completes the file and returns a message.

        The function waits for the disk: it may be called on another thread.

        Args:
            offer: called there with the path of the written file.
        """
        now, self._now = self._now, None
        if not now:
            return lambda: ""
        now.end(self.shows)

        def complete() -> str:
            """Complete the recording's file; delete it if it is empty."""
            now.recorder.stop()
            path = now.recorder.path
            if now.recorder.size and not path.exists():
                now.recorder.fail(FileNotFoundError("it was removed meanwhile"))
            self.failed |= now.recorder.failed
            if path.is_file():
                if now.recorder.size:
                    offer(path)
                else:
                    path.unlink()
            return summary_of(now.recorder)

        return complete


def summary_of(recorder: Recorder) -> str:
    """Summarise a finished recording in one line."""
    if not recorder.size:
        why = f": {recorder.error}" if recorder.error else ""
        return f"{NOTHING_RECORDED} to {recorder.path}{why}"
    counts = f"{recorder.written:,} frames in {recorder.seconds:.1f} s"
    if recorder.dropped:
        counts += f", {recorder.dropped:,} dropped"
    summary = f"recorded {recorder.path}: {counts}, {size_words(recorder.size)}"
    return f"{summary}; ended early: {recorder.error}" if recorder.error else summary
