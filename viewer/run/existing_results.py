"""Existing results: files of disparities that are read instead of computed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wheatstone.gpu.pipelines.values import in_floats
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.value_files import SUFFIXES, read_values
from wheatstone.viewer.run.engine import finished
from wheatstone.viewer.run.frame_ref import AnyFrameRef, FrameRef
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run

MOST_NAMED = 3  # files in a message
OF_BENCHMARKS = "disp0*"  # a result of Middlebury version 3, in the folder of its pair


def find_results(folder: Path, refs: Sequence[AnyFrameRef]) -> Mapping[str, Path]:
    """Find each pair's disparity file, by the pair's name; pairs without a file are omitted.

    ``SUFFIX`` stands for one of ``SUFFIXES``. Looked for are ``PAIR.SUFFIX``, then the last part of
    the pair's name, the name of its left view and the index of a video's frame in place of the
    name, then ``PAIR/disp0*.SUFFIX``, as results of Middlebury version 3 are named.

    Raises:
        OSError: the folder cannot be listed.
        ValueError: it has no result of any pair, two of one pair, or one that two pairs share.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder}: is no folder of results")
    results: dict[str, Path] = {}
    owners: dict[Path, str] = {}
    for ref in refs:
        if not (path := _result_of(folder, ref)):
            continue
        if other := owners.get(path):
            raise ValueError(f"{path}: is the result of {other} and of {ref.name}; name two files")
        results[ref.name], owners[path] = path, ref.name
    if not results:
        expected, there = _expected(Path(refs[0].name)), _listed(folder)
        raise ValueError(f"{folder}: holds no result of these pairs; {expected}; {there}")
    return results


def _expected(place: Path) -> str:
    """Describe the names that a result's file may have, for messages about a missing file."""
    return f"expected {place}{SUFFIXES[0]} (or {', '.join(SUFFIXES[1:])})"


def _listed(folder: Path) -> str:
    """Describe a folder by the names of its first files, for messages."""
    names = sorted(path.name for path in folder.iterdir())
    more = ", ..." if len(names) > MOST_NAMED else ""
    return f"it has {', '.join(names[:MOST_NAMED])}{more}" if names else "it is empty"


def _result_of(folder: Path, ref: AnyFrameRef) -> Path | None:
    """Find the file of a pair's result, or None. Raises ``ValueError`` if there are two."""
    for stem in dict.fromkeys(filter(_is_below, _stems(ref))):
        place = folder / stem
        files = [
            path for suffix in SUFFIXES if (path := place.with_name(place.name + suffix)).is_file()
        ]
        files = files or [p for p in place.glob(OF_BENCHMARKS) if p.suffix.lower() in SUFFIXES]
        if len(files) > 1:
            raise ValueError(f"{ref.name} has two results, {files[0]} and {files[1]}; remove one")
        if files:
            return files[0]
    return None


def _stems(ref: AnyFrameRef) -> Iterator[str]:
    """Yield the possible stems (names without suffix) of the file with a pair's result."""
    yield ref.name
    yield ref.name.rpartition("/")[2]
    if isinstance(ref, FrameRef):
        yield ref.left.stem if ref.index is None else f"{ref.index:06}"


def _is_below(stem: str) -> bool:
    """Return whether a name is a relative path that stays below its folder."""
    return not Path(stem).is_absolute() and ".." not in Path(stem).parts


def existing_result(run: Run, frame: Frame, path: Path) -> Result:
    """Read the disparities of a frame from a file, as the result of a run.

    Raises:
        OSError, ValueError: it cannot be read, or is not of the size of the frame's views.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"{path.parent}: holds no result of this pair; {_expected(Path(path.stem))}"
        )
    disparity = read_values(path, expected=frame.shape).pixels
    stored = {run.pipeline.output: disparity}
    return finished(replace(run, pipeline=in_floats(run.pipeline)), frame, stored, 0.0)
