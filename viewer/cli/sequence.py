"""The rendering of successive frames to a film or to numbered files, which can be resumed."""

import time
from collections.abc import Generator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.cli.requests import FrameRange
from wheatstone.viewer.cli.series import inputs_of, record_of, series_of
from wheatstone.viewer.cli.view_request import RenderRequest
from wheatstone.viewer.io.files.film import SUFFIXES, check_encoder, write_film
from wheatstone.viewer.io.files.output import is_numbered, numbered, remove_unfinished
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.run.measuring.progress import FrameBar, ProgressLine
from wheatstone.viewer.settings.recipe import to_recipe
from wheatstone.viewer.words import plural

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.io.sources.frame import Source

ENDINGS = f"pictures are written as .png, films as {', '.join(SUFFIXES)}"
NUMBER = "give its name a number, such as %04d"
PATIENCE = 0.1  # seconds from looking how far a frame is to looking again
LIVE_PAUSE = 0.002  # seconds from looking whether a live frame came to looking again
SLOW_RATE = 30  # pictures a second of a film of slow motion
FAILED = 1  # exit code where frames were skipped


def check_out(request: RenderRequest) -> None:
    """Check that the output files do not contradict each other or other options.

    Raises:
        ValueError: for the name of a file, or the number of frames.
        Unavailable: a film is requested, and PyAV is not installed.
    """
    out, film, several = request.out, request.film, writes_several(request)
    if out and not film and out.suffix.lower() != ".png":
        raise ValueError(f"{out}: {ENDINGS} (got {out.suffix or 'no suffix'})")
    if out and film and is_numbered(out):
        raise ValueError(f"{out}: a film is one file: give a name without %")
    if several and request.script:
        raise ValueError(f"{out}: a script writes one picture or film: name it without a number")
    if request.frames is not None and not several:
        raise ValueError("--frames needs a film (--out F.mp4) or pictures (--out F-%03d.png)")
    for path in request.outputs if several else ():
        if not is_numbered(path) and path is not film:
            raise ValueError(f"{path}: several frames are written: {NUMBER}")
    if request.frames and request.frames.count is None and "frame" in request.choices:
        raise ValueError(f"--frames {request.frames.words} names the first frame: omit --frame")
    if film:
        check_encoder()


def writes_several(request: RenderRequest) -> bool:
    """Return whether several frames are written, to a film or to numbered files.

    Raises ``ValueError`` for a bad name.
    """
    film_of_frames = request.film is not None and not request.script
    return any([is_numbered(path) for path in request.outputs]) or film_of_frames


def outputs_of(request: RenderRequest, numbers: range) -> list[Path]:
    """List every file written for frames, including the records of how files were made.

    Args:
        numbers: the numbers of the frames, for files with a number in their names.
    """
    paths: list[Path] = []
    for path in request.outputs:
        if is_numbered(path):
            paths += (numbered(path, number) for number in numbers)
            paths += [record_of(path)] * (path is not request.out)
        else:
            paths.append(path)
    return paths


def numbers_of(request: RenderRequest, state: ViewerState, source: "Source") -> range:
    """Return the numbers of the frames to render, or of the images of a slow motion.

    Args:
        state: the state with the frame shown.

    Raises:
        ValueError: there are no such frames, or the source holds a single one.
    """
    if watched(state):
        return _moments(request, state)
    frames = request.frames or FrameRange("", source.length)
    if source.live and (request.frames is None or frames.endless):
        raise ValueError(f"{source.name} has no last frame: give --frames N or A:B")
    numbers: range = frames.numbers(state.frame, source.length, source.name)
    film = request.film
    if (film or len(numbers) > 1) and not source.rate:
        what = "a film needs" if film else "several pictures need"
        raise ValueError(f"{source.name} is a single frame: {what} a sequence")
    return numbers


def _moments(request: RenderRequest, state: ViewerState) -> range:
    """Return the numbers, from 0, of the images of a slow motion."""
    if not request.frames:
        return range(round(state.unfolding.seconds * SLOW_RATE))
    if request.frames.count is None:
        raise ValueError(f"--frames {request.frames.words}: with --slow, give how many pictures")
    return range(request.frames.count)


def compute_frame(session: "Session", line: ProgressLine) -> None:
    """Compute the frame that the viewer state chooses, wait for it, and show the progress.

    Raises:
        ValueError, OSError, Unavailable: as ``Session.compute``.
    """
    _await_live(session, line)
    while not session.compute(PATIENCE):
        if progress := session.progress:
            line.show(progress.step, progress.share)


def _await_live(session: "Session", line: ProgressLine) -> None:
    """Wait until a live source has sent the chosen frame, however long it takes.

    A window shows the newest frame instead; a sequence would write it repeatedly.

    Raises:
        ValueError: the source has ended without it.
    """
    source, number = session.source, session.state.frame
    while source.live and source.live.newest < number:
        ended = source.live.ended  # asked first: what came before is taken
        if source.frame(number).index < number:  # takes one that is passed over, if it came
            if ended:
                passed = source.live.counters.replaced
                others = f"; {passed} arrived while others were computed" if passed else ""
                raise ValueError(f"{source.name} has ended before frame {number}{others}")
            alarm = source.live.alarm
            line.show(f"waiting for frame {number} of {source.name}" + (alarm and f": {alarm}"))
            time.sleep(LIVE_PAUSE)


def first_needed(session: "Session", number: int) -> int:
    """Return the number of the earliest frame that must be computed to draw a given frame.

    Temporal filters need all frames of a source, from its first; of a live source those that come.
    """
    source = session.source
    if not source.live and any(shown.slot.remembers for shown in session.wanted):
        return number - number % source.length
    return max(number - session.state.temporal.span + 1, 0)


def compute_leading(
    session: "Session", line: ProgressLine, number: int, last: int | None = None
) -> None:
    """Compute the earlier frames that a frame's temporal views and filters need.

    Args:
        number: the number of that frame, which is not computed here.
        last: the frame computed last; only later ones are computed; None: all are.

    Raises:
        ValueError, OSError, Unavailable: as ``Session.compute``; a frame that cannot be read is
            skipped.
    """
    state, chosen = session.state, session.state.frame
    first = first_needed(session, number)
    for each in range(first if last is None else max(first, last + 1), number):
        state.frame = each % session.source.length
        try:
            compute_frame(session, line)
        except (OSError, ValueError):
            if state.frame not in session.frames.unreadable:
                raise
    state.frame = chosen


class Sequence:
    """The frames of one run of ``render``, which are computed and written one by one.

    In slow motion the frame stays, and the pictures go from the first moment to the last.

    Args:
        numbers: the numbers of the frames, taken modulo the source's length.
        line: shows the progress of each.

    Attributes:
        lost: numbers of the frames that cannot be read.
    """

    def __init__(
        self, request: RenderRequest, session: "Session", numbers: range, line: ProgressLine
    ) -> None:
        self._request, self._session, self._numbers = request, session, numbers
        self._line, self._slow = line, watched(session.state) is not None
        self.lost: list[int] = []
        self._last: int | None = None  # computed
        self._done = self._kept = 0

    def begin(self) -> None:
        """Compute the first readable frame; choices that depend on it then apply to all frames.

        Raises:
            ValueError: no frame can be read.
        """
        for number in self._numbers:
            if self._compute(number):
                return
        raise ValueError(f"{self._session.source.name}: none of these frames can be read")

    def write(self, width: int, height: int) -> int:
        """Write all requested files of the sequence; return the exit code.

        Files of a series that exist with the right content are skipped. A film is written
        completely or not at all, at the source's rate.

        Args:
            width, height: size of pictures, in pixels.

        Raises:
            OSError, ValueError: a file cannot be written.
            Unavailable: the device lacks something.
        """
        self.lost.clear()  # they are met again
        film = self._request.film
        remove_unfinished({path.parent for path in self._request.outputs})
        try:
            with closing(self._pictures(width, height, film is not None)) as pictures:
                if film:
                    write_film(film, pictures, self._rate)
                for _ in pictures:
                    pass
        except BaseException:
            say(self._stopped(film))
            raise
        say(self._message(film))
        if self.lost:
            listed = ", ".join(map(str, islice(self.lost, 10)))
            more = ", ..." if len(self.lost) > 10 else ""
            say(f"{len(self.lost)} of {len(self._numbers)} frames skipped: {listed}{more}")
        source = self._session.source
        if source.damaged:
            many = plural(source.damaged, "damaged frame")
            say(f"{source.name}: {many}, which may leave gaps up to the next key frame")
        return FAILED if self.lost or (source.damaged and not source.live) else 0

    @property
    def _rate(self) -> float:
        """Return the frame rate of a film, per second."""
        return SLOW_RATE if self._slow else self._session.source.rate

    def _choose(self, number: int) -> int:
        """Set the frame, or the position in slow motion, in the state; return the frame's index."""
        state = self._session.state
        if self._slow:
            last = max(len(self._numbers) - 1, 1)
            state.unfolding = state.unfolding.at((number - self._numbers[0]) / last)
        else:
            state.frame = number % self._session.source.length
        return state.frame

    def _pictures(
        self, width: int, height: int, film: bool
    ) -> Generator[NDArray[np.uint8], None, None]:
        """Write the numbered files frame by frame, and yield the images for a film."""
        session = self._session
        series, printed = series_of(self._request, (width, height)), set[str]()
        live = session.source.live  # its frames are new ones in every run
        with FrameBar(len(self._numbers)) as bar:
            for number in self._numbers:
                self._choose(number)
                recipe = to_recipe(session.state, session.source.spec)
                inputs = "" if live else self._inputs(session.state.frame)
                missing = [each for each in series if live or not each.has(number, recipe, inputs)]
                made = bool(missing or film) and self._compute(number)
                if made:
                    session.drawing.draw(width, height)
                    session.finish()
                    for each in missing:
                        note = each.write(number, recipe, inputs, session)
                        if note and note not in printed:
                            say(f"{each.pattern.name}: {note}")
                        printed.add(note)
                    if film:
                        yield session.display.read()
                self._done += made
                self._kept += not (missing or film)
                bar.done(made=made)

    def _inputs(self, index: int) -> str:
        """Return a digest of the input files of a frame and of the earlier frames that it needs."""
        first = first_needed(self._session, index)
        return inputs_of(self._session.source, range(first, index + 1))

    def _compute(self, number: int) -> bool:
        """Compute a frame, and return whether it could be read; report and record it if not."""
        session = self._session
        index = self._choose(number)
        if self._slow and session.current:
            return True
        if not self._slow:
            compute_leading(session, self._line, number, self._last)
            self._last = number
        try:
            compute_frame(session, self._line)
        except (OSError, ValueError) as error:
            if index not in session.frames.unreadable:
                raise
            if number not in self.lost:
                say(f"frame {number}: {error}")
            self.lost.append(number)
            return False
        return True

    def _message(self, film: Path | None) -> str:
        ends = self._numbers[0], self._numbers[-1]
        names = [str(film)] if film else []
        for path in self._request.outputs:
            if path == film:
                continue
            names.append(" to ".join(dict.fromkeys(str(numbered(path, n)) for n in ends)))
        kept = f"; {self._kept} of {len(self._numbers)} frames existed already" * bool(self._kept)
        return f"wrote {', '.join(names)}{kept}"

    def _stopped(self, film: Path | None) -> str:
        """Format a message about a run that ends early, and how to resume it."""
        whole = f"{self._done + self._kept} of {len(self._numbers)} frames are written"
        if not film and self._session.source.live:
            return f"{whole}; the same command starts again, because a live source has new frames"
        if not film:
            return f"{whole}; the same command continues from there"
        lost = f"{film} is not written: a film cannot be resumed, numbered pictures can"
        others = self._request.values or self._request.cloud
        return f"{lost}; {whole} to the other files" if others else lost
