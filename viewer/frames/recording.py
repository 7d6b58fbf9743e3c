"""Recordings of what a window shows or its source serves, written beside the display."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.recording import RecordingChoice
from wheatstone.viewer.files.film import SUFFIXES, RecordedFilm
from wheatstone.viewer.files.png_pairs import PngPairs
from wheatstone.viewer.footage.recorder import Recorder, duration, size_words
from wheatstone.viewer.footage.recording import PacketRecorder, PairVideo
from wheatstone.viewer.screen.display import Display
from wheatstone.viewer.sources.frame import Frame, Source

DEFAULT_SUFFIX = {"view": ".mp4", "pairs": ".mkv", "packets": ".mkv"}
LOSSLESS = ".mkv"


def kind_of(path: Path | None, choice: RecordingChoice) -> str:
    """Choose what is recorded: ``view``, ``pairs`` or ``packets``.

    Args:
        path: where to; None: to a file that is named by what is recorded.

    Raises:
        ValueError: files of this ending do not hold that.
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
    """Raise ``ValueError`` if a source has not what is to be recorded."""
    if kind != "packets":
        return
    if not source.live:
        raise ValueError(f"{source.name} sends no packets to record; record pairs or the view")
    if len(source.live.readers) > 1:
        raise ValueError(f"{source.name} are two streams: record pairs or the view")


def unused_name(folder: Path, kind: str) -> Path:
    """Name a recording by date and time, as no file in a folder is named."""
    stem = time.strftime("wheatstone-%Y-%m-%d-%H%M%S")
    suffix = DEFAULT_SUFFIX[kind]
    names = (f"{stem}{f'-{n}' if n else ''}{suffix}" for n in range(10_000))
    return next(path for name in names if not (path := folder / name).exists())


NOTHING_RECORDED = "nothing was recorded"
CHANNELS = 3  # of a view that waits to be written, at most


class RecordedSession(Protocol):
    """What is recorded from: a session, as far as a recording knows one."""

    display: Display
    source: Source

    @property
    def frame_shown(self) -> Frame | None:
        """Look up the frame shown; None before there is one."""


class Recording(Protocol):
    """One recording that goes on."""

    recorder: Recorder

    def follow(self, shows: RecordedSession) -> None:
        """Record what is shown now, if it is time for that."""

    def end(self, shows: RecordedSession) -> None:
        """Hand over what is on its way; nothing follows."""


class ViewRecording:
    """Records the picture drawn, so many times a second at most."""

    def __init__(self, path: Path, rate: float) -> None:
        self.recorder = Recorder(RecordedFilm(path, rate), path)
        self._rate, self._slot = rate, -1

    def follow(self, shows: RecordedSession) -> None:
        """Begin to copy the picture drawn if one is due; hand on those that have come."""
        self._hand_on(shows, wait=False)
        seconds = self.recorder.seconds
        slot = int(seconds * self._rate)
        if slot > self._slot:
            self._slot = slot
            if not shows.display.grab(seconds):
                self.recorder.dropped += 1

    def end(self, shows: RecordedSession) -> None:
        """Wait for the pictures on their way."""
        self._hand_on(shows, wait=True)

    def _hand_on(self, shows: RecordedSession, *, wait: bool) -> None:
        for picture, seconds in shows.display.grabbed(wait=wait):
            self.recorder.put(picture, picture.nbytes, seconds)


class PairRecording:
    """Records every frame that is shown, as the source served it."""

    def __init__(self, path: Path, source: Source) -> None:
        writer = PairVideo(path, source.rate) if path.suffix else PngPairs(path)
        self.recorder = Recorder(writer, path)
        self._source = source
        self._last: Frame | None = None

    def follow(self, shows: RecordedSession) -> None:
        """Record the frame shown if it is another than before."""
        frame = shows.frame_shown
        if shows.source is not self._source:
            self.recorder.fail("another source is shown")
        elif frame is not None and frame is not self._last:
            self._last = frame
            views = [view for view in frame.taken if view is not None]
            pixels = sum(view.shape[0] * view.shape[1] for view in views)
            self.recorder.put(frame.taken, CHANNELS * pixels)

    def end(self, shows: RecordedSession) -> None:
        """Do nothing: what was recorded is handed over already."""


class PacketRecording:
    """Records what the source's reader hands to its listeners.

    Raises:
        ValueError: the source sends no packets.
    """

    def __init__(self, path: Path, source: Source) -> None:
        check_source("packets", source)
        assert source.live
        self._source = source
        self._reader = source.live.readers[0]
        self._listener = PacketRecorder(path, str(source.recipe.get("layout", "")))
        self.recorder = self._listener.recorder
        self._reader.listeners += (self._listener,)

    def follow(self, shows: RecordedSession) -> None:
        """End the recording if another source is shown."""
        if shows.source is not self._source:
            self.recorder.fail("another source is shown")

    def end(self, shows: RecordedSession) -> None:
        """Listen no more."""
        others = (each for each in self._reader.listeners if each is not self._listener)
        self._reader.listeners = tuple(others)


@dataclass
class Recordings:
    """Begins and ends recordings, one at a time.

    Attributes:
        tell: called with what the user is told of a recording that ended by itself.
        ended: what that was, to be said again when the program ends.
        failed: whether a recording could not be written as a whole.
    """

    shows: RecordedSession
    tell: Callable[[str], None]
    ended: list[str] = field(default_factory=list)
    failed: bool = False
    _now: Recording | None = None

    @property
    def running(self) -> bool:
        """Tell whether something is recorded."""
        return self._now is not None

    @property
    def needs_frames(self) -> bool:
        """Tell whether what is shown is recorded, which needs frames to be computed and drawn."""
        return self._now is not None and not isinstance(self._now, PacketRecording)

    @property
    def words(self) -> str:
        """Say how far the recording is; empty without one."""
        if not self._now:
            return ""
        found = self._now.recorder
        counts = f"{found.written:,} frames"
        if found.dropped:
            counts += f", {found.dropped:,} dropped"
        return f"{duration(found.seconds)}  ·  {counts}  ·  {size_words(found.size)}"

    def begin(self, path: Path | None, choice: RecordingChoice, folder: Path | None = None) -> str:
        """Begin a recording; return what the user is told.

        Args:
            path: the file or, without an ending, the folder; None: a file named by date and time.
            folder: where such a file goes; None: into the current one.

        Raises:
            ValueError: that cannot be recorded, or not to such a file.
            OSError: the file is there already, or cannot be written.
            Unavailable: PyAV is not installed.
        """
        kind, source = kind_of(path, choice), self.shows.source
        path = path or unused_name(folder or Path.cwd(), kind)
        if kind == "view":
            self._now = ViewRecording(path, choice.rate)
        else:
            self._now = (PairRecording if kind == "pairs" else PacketRecording)(path, source)
        return f"recording to {path.name}; Ctrl+R ends it"

    def follow(self) -> None:
        """Record what was drawn; end a recording that cannot go on, and say so."""
        if self._now:
            try:
                self._now.follow(self.shows)
            except Unavailable as error:
                self._now.recorder.fail(error)
            if self._now.recorder.error:
                said = self.end()()
                self.ended.append(said)
                self.tell(said)

    def end(self, offer: Callable[[Path], None] = lambda _: None) -> Callable[[], str]:
        """End the recording; return what completes its file, and says what became of it.

        That waits for the disk: it may be called on another thread.

        Args:
            offer: called there with the file that was written.
        """
        now, self._now = self._now, None
        if not now:
            return lambda: ""
        now.end(self.shows)

        def complete() -> str:
            """Complete the file; one that holds nothing is taken away."""
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
            return told_of(now.recorder)

        return complete


def told_of(recorder: Recorder) -> str:
    """Say in one line what a recording that ended holds."""
    if not recorder.size:
        why = f": {recorder.error}" if recorder.error else ""
        return f"{NOTHING_RECORDED} to {recorder.path}{why}"
    counts = f"{recorder.written:,} frames in {recorder.seconds:.1f} s"
    if recorder.dropped:
        counts += f", {recorder.dropped:,} dropped"
    said = f"recorded {recorder.path}: {counts}, {size_words(recorder.size)}"
    return f"{said}; ended early: {recorder.error}" if recorder.error else said
