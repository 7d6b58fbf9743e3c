"""The picture of a view, or a film: successive frames, each drawn as that picture is."""

import argparse
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from viewer.files.film import SUFFIXES, check_encoder, is_film, write_film
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
        ValueError: the name of the file, or the number of frames.
        Unavailable: a film is wanted, and PyAV is not installed.
    """
    out: Path | None = options.out
    film = bool(out and is_film(out))
    if out and not film and out.suffix.lower() != ".png":
        raise ValueError(f"{out}: {ENDINGS} (got {out.suffix or 'no suffix'})")
    if film and options.script:
        raise ValueError(f"{out}: a script ends with a picture: give a .png")
    if options.frames is not None and not film:
        raise ValueError("--frames goes with a film: --out FILM.mp4")
    if options.frames is not None and options.frames < 1:
        raise ValueError(f"--frames must be 1 or more (got {options.frames})")
    if film:
        check_encoder()


def check_sequence(options: argparse.Namespace, source: "Source") -> None:
    """Raise ``ValueError`` if a film is wanted of a source that holds a single frame."""
    if options.out and is_film(options.out) and not source.rate:
        raise ValueError(f"{source.name} is a single frame: a film needs a sequence")


def write_view(options: argparse.Namespace, session: "Session", width: int, height: int) -> None:
    """Write the picture drawn last, or a film that begins with it.

    A film has the source's rate; after its last frame the first one follows, as in the window.

    Args:
        width, height: of the picture, in pixels.
    """
    if not is_film(options.out):
        write_screenshot(options.out, session.display.read(), recipe_of(session))
        return
    count = options.frames or session.source.length
    with closing(_counted(_pictures(session, width, height, count), count)) as pictures:
        write_film(options.out, pictures, session.source.rate)


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
