"""Kinds of hostile input: how a case is made from a seed, and what the program does with it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec


@dataclass(frozen=True)
class FuzzKind:
    """A kind of hostile input.

    Attributes:
        name: unique; a case is named by it and by its seed.
        make: writes the files of a case into an empty folder; the same seed makes the same bytes.
        read: lets the program read what ``make`` wrote into a folder. It returns, or raises what
            the program says to its user: ``OSError`` or ``ValueError`` in one line. Where it runs
            a command line, it returns the exit code.
        codes: the exit codes that are right, if ``read`` returns one.
        weight: how often the kind is tried, relative to others.
    """

    name: str
    make: Callable[[Random, Path], None]
    read: Callable[[Path], object]
    codes: tuple[int, ...] = (0, 2)
    weight: float = 1.0


def read_recording(folder: Path) -> None:
    """Open the recording of a folder, and decode frames back and forth."""
    path = next(folder.iterdir())
    with closing(open_source(SourceSpec(str(path)))) as source:
        last = source.length - 1
        for index in (0, last, last // 2, 1):
            try:
                source.frame(index)
            except ValueError:
                continue  # reported where the frame is shown


def kinds() -> dict[str, FuzzKind]:
    """List every kind by name: a new reader of files brings its own."""
    from tests.fuzz import (
        bags,
        batch_records,
        calibrations,
        evaluate_states,
        figures,
        folders,
        images,
        lessons,
        live,
        manifests,
        messages,
        networks,
        numbers,
        own_kernels,
        recipes,
        records,
        run_folders,
        values,
        videos,
        words,
    )

    lists = (
        *(
            bags.KINDS,
            batch_records.KINDS,
            calibrations.KINDS,
            evaluate_states.KINDS,
            figures.KINDS,
        ),
        *(folders.KINDS, images.KINDS, lessons.KINDS, live.KINDS, manifests.KINDS, messages.KINDS),
        *(
            networks.KINDS,
            numbers.KINDS,
            own_kernels.KINDS,
            recipes.KINDS,
            records.KINDS,
            run_folders.KINDS,
            values.KINDS,
        ),
        *(videos.KINDS, words.KINDS),
    )
    return {kind.name: kind for kinds in lists for kind in kinds}
