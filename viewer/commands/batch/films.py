"""Make films of the pictures that were written, one for each source."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.commands.batch.outputs import PICTURE
from wheatstone.viewer.commands.batch.plan import BatchPlan
from wheatstone.viewer.commands.batch.summary import Results
from wheatstone.viewer.files.film import even, fitted, write_film
from wheatstone.viewer.sources.images import read_image


def write_films(plan: BatchPlan, results: Results) -> list[Path]:
    """Write the pictures of each source as a film; return the paths of the films.

    Args:
        results: the results of the pairs; those that failed are left out.

    Raises:
        OSError, ValueError: a picture cannot be read, or a film cannot be written.
    """
    films, out = [], plan.setting.out
    whole = {pair.name for pair, result in results if pair and not result.why}
    for each in plan.sources:
        done = [pair.name for pair in each.pairs if pair.name in whole]
        if done:
            film = out / f"{each.name}.{plan.film}"
            write_film(film, _pictures([out / PICTURE / f"{n}.png" for n in done]), each.rate)
            films.append(film)
    return films


def _pictures(files: Sequence[Path]) -> Iterator[NDArray[np.uint8]]:
    """Read pictures one by one, each fitted to the size of the first."""
    size: tuple[int, int] | None = None
    for file in files:
        picture = even(read_image(file).pixels)
        size = size or (picture.shape[0], picture.shape[1])
        yield fitted(picture, *size)
