"""Films of the pictures that were written, one a source."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.commands.batch.outputs import PICTURE
from wheatstone.viewer.commands.batch.pairs import Listed
from wheatstone.viewer.commands.batch.work import PairResult
from wheatstone.viewer.files.film import even, fitted, write_film
from wheatstone.viewer.sources.images import read_image


def write_films(
    out: Path, sources: Sequence[Listed], found: Mapping[str, PairResult], suffix: str
) -> list[Path]:
    """Write the pictures of each source as a film; return the films.

    Args:
        found: what came of the pairs, by name; pairs that failed are left out.
        suffix: of the films, without its dot.

    Raises:
        OSError, ValueError: a picture cannot be read, or a film not written.
    """
    films = []
    for each in sources:
        done = [pair.name for pair in each.pairs if pair.name in found and not found[pair.name].why]
        if done:
            film = out / f"{each.name}.{suffix}"
            write_film(film, _pictures([out / PICTURE / f"{n}.png" for n in done]), each.rate)
            films.append(film)
    return films


def _pictures(files: Sequence[Path]) -> Iterator[NDArray[np.uint8]]:
    """Read pictures one by one, all in the size of the first."""
    size: tuple[int, int] | None = None
    for file in files:
        picture = even(read_image(file).pixels)
        size = size or (picture.shape[0], picture.shape[1])
        yield fitted(picture, *size)
