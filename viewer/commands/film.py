"""The picture of a view, or of successive frames: as a film, or as pictures with numbers."""

import argparse
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from viewer.files.film import SUFFIXES, check_encoder, is_film, write_film
from viewer.files.numbered import is_numbered, numbered
from viewer.measuring.progress import ProgressBar
from viewer.settings.recipe import recipe_of
from viewer.settings.screenshot import write_screenshot

if TYPE_CHECKING:
    from viewer.frames.session import Session
    from viewer.sources.frame import Source

ENDINGS = f"pictures are written as .png, films as {', '.join(SUFFIXES)}"


def check_out(options: argparse.Namespace) -> None:
    """Refuse before any work what can be neither a picture nor a film.

    Raises:
        ValueError: the name of a file, or the number of frames.
        Unavailable: a film is wanted, and PyAV is not installed.
    """
    out: Path | None = options.out
    film, several = bool(out and is_film(out)), bool(out and is_numbered(out))
    if out and not film and out.suffix.lower() != ".png":
        raise ValueError(f"{out}: {ENDINGS} (got {out.suffix or 'no suffix'})")
    if film and several:
        raise ValueError(f"{out}: a film is one file: give a name without %")
    if (film or several) and options.script:
        raise ValueError(f"{out}: a script ends with a picture: give a .png, without a number")
    if options.values and is_numbered(options.values):
        raise ValueError(f"{options.values}: the values of one frame are written: give no number")
    if options.frames is not None and not (film or several):
        raise ValueError("--frames goes with a film (--out F.mp4) or pictures (--out F-%03d.png)")
    if options.frames is not None and options.frames < 1:
        raise ValueError(f"--frames must be 1 or more (got {options.frames})")
    if film:
        check_encoder()


def check_sequence(options: argparse.Namespace, source: "Source") -> None:
    """Raise ``ValueError`` if several frames are wanted of a source that holds a single one."""
    film = bool(options.out and is_film(options.out))
    if (film or (options.frames or 1) > 1) and not source.rate:
        what = "a film needs" if film else "several pictures need"
        raise ValueError(f"{source.name} is a single frame: {what} a sequence")


def write_view(options: argparse.Namespace, session: "Session", width: int, height: int) -> str:
    """Write the picture drawn last, or several, or a film, that begin with it.

    A film has the source's rate; after its last frame the first one follows, as in the window.
    Pictures with numbers count on, from the number of the first frame.

    Args:
        width, height: of the picture, in pixels.

    Returns:
        What was written, in words.
    """
    out, first = options.out, session.state.frame
    film, several = is_film(out), is_numbered(out)
    if not (film or several):
        write_screenshot(out, session.display.read(), recipe_of(session))
        return str(out)
    count = options.frames or session.source.length
    with closing(_counted(_pictures(session, width, height, count), count)) as pictures:
        if film:
            write_film(out, pictures, session.source.rate)
            return str(out)
        for number, picture in enumerate(pictures, first):
            write_screenshot(numbered(out, number), picture, recipe_of(session))
    return " to ".join(dict.fromkeys(str(numbered(out, n)) for n in (first, first + count - 1)))


def _pictures(
    session: "Session", width: int, height: int, count: int
) -> Iterator[NDArray[np.uint8]]:
    state, source = session.state, session.source
    for number in range(count):
        if number:
            state.frame = (state.frame + 1) % source.length
            session.compute()
            session.draw(width, height)
            session.finish()
        yield session.display.read()


def _counted(
    pictures: Iterator[NDArray[np.uint8]], count: int
) -> Generator[NDArray[np.uint8], None, None]:
    """Pass pictures on; on a terminal, show how many there are."""
    if not sys.stderr.isatty():
        yield from pictures
        return
    with ProgressBar(count) as progress:
        progress.begin("frames")
        for picture in pictures:
            yield picture
            progress.done("", "")
