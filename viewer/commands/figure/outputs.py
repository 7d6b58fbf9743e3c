"""Check the files that ``figure`` writes before anything is computed."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from wheatstone.gpu import Unavailable
from wheatstone.viewer.figures.files import check_ending
from wheatstone.viewer.figures.tables import check_tables, table_files
from wheatstone.viewer.files.output import check_file, claim_outputs
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.source_spec import SourceSpec


def check_names(options: argparse.Namespace) -> None:
    """Raise an error for output files that cannot be written.

    Raises:
        OSError: a folder is missing, or something else has the name of a file.
        ValueError: figures cannot be written to files with this suffix.
    """
    for path in options.out:
        check_ending(path)
        check_file(path)
    if options.tables:
        check_tables(options.out[0])


def check_replaced(options: argparse.Namespace, sources: Sequence[SourceSpec]) -> None:
    """Raise an error for output files that would replace an input or each other.

    Args:
        sources: the source of each pair.

    Raises:
        ValueError: a file is an input, or two of the files are the same.
    """
    tables = table_files(options.out[0]) if options.tables else ()
    claim_outputs([*options.out, *tables], _inputs(sources))


def _inputs(sources: Sequence[SourceSpec]) -> Iterator[Path]:
    """List the files of pairs; for a pair that cannot be opened, only the files named."""
    for spec in sources:
        yield from map(Path, spec.files)
        with suppress(OSError, ValueError, Unavailable):
            opened = open_source(spec)
            opened.close()
            yield from opened.files
