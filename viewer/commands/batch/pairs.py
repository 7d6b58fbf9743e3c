"""List the stereo pairs of sources: folders, videos, manifests and single pictures."""

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.viewer.commands.batch.loading import FIRST, BatchPair, opened_video
from wheatstone.viewer.commands.frame_range import FrameRange
from wheatstone.viewer.footage.address import is_live
from wheatstone.viewer.footage.media import is_video
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.reading.plain_text import label
from wheatstone.viewer.settings.dropped_files import ordered, partner
from wheatstone.viewer.sources.folder import (
    FOLDER_PAIRS,
    RATE,
    FramePaths,
    find_frames,
    pair_folders,
)
from wheatstone.viewer.sources.layouts import views_of
from wheatstone.viewer.sources.listing import SUFFIXES, natural_order
from wheatstone.viewer.sources.manifest import ListedPair, read_listed
from wheatstone.viewer.sources.opening import require_same_kind
from wheatstone.viewer.sources.source_spec import SourceSpec
from wheatstone.viewer.sources.still import read_views
from wheatstone.viewer.sources.truth_places import MANIFESTS

LONGEST_STEM = 100  # characters of a file's name, before its suffix
MANIFEST_SUFFIXES = (".toml", ".json")
UNFIT = re.compile(r"[^\w.+-]+")  # of names of files


@dataclass(frozen=True)
class Listed:
    """The pairs of one source.

    Attributes:
        name: the source's name, as a part of file names.
        rate: pictures per second of a film made from it.
    """

    name: str
    pairs: tuple[BatchPair, ...]
    rate: float = RATE


@dataclass(frozen=True)
class PairSelection:
    """The pairs to compute: which frames of every source, and how many pairs in all."""

    frames: FrameRange | None = None
    every: int = 1
    limit: int | None = None

    def of(self, listed: Listed) -> Listed:
        """Choose pairs of a source; raise ``ValueError`` if it has no such frames."""
        length, numbers = len(listed.pairs), range(len(listed.pairs))
        if self.frames:
            numbers = self.frames.numbers(0, length, listed.name)
        chosen = [number for number in numbers if number < length][:: self.every]
        return replace(listed, pairs=tuple(listed.pairs[number] for number in chosen))


def list_sources(words: Sequence[str], right: str | None, spec: SourceSpec) -> list[Listed]:
    """List all pairs of the sources that a command line names.

    Args:
        words: folders, videos, manifests, pictures, or patterns of these such as ``'*/left.png'``.
        right: the source of the right views, if there is one word; None: it is detected.

    Returns:
        The sources in their order; all pairs have different names.

    Raises:
        OSError, ValueError: a source is missing, or is of none of these kinds.
        Unavailable: there is a video, and PyAV is not installed.
    """
    if right is not None and len(words) != 1:
        raise ValueError(f"--right goes with one SOURCE (got {len(words)})")
    found, pictures = [], []
    for word in _expanded(words):
        if right is None and Path(word).suffix.lower() in SUFFIXES and not Path(word).is_dir():
            pictures.append(Path(word))
        else:
            found.append(_source(word, right, spec))
    if pictures:
        found.append(_of_pictures(pictures))
    return _named_apart(found)


def selected(sources: Sequence[Listed], selection: PairSelection) -> list[Listed]:
    """Choose pairs of sources; raise ``ValueError`` if a source has no such frames."""
    return _limited([selection.of(each) for each in sources], selection.limit)


def _expanded(words: Sequence[str]) -> Iterator[str]:
    """Replace patterns by the files that match them."""
    for word in words:
        if Path(word).exists() or not glob.has_magic(word):
            yield word
            continue
        fitting = sorted(glob.glob(word, recursive=True), key=natural_order)
        if not fitting:
            raise FileNotFoundError(f"{word}: nothing fits this pattern")
        yield from fitting


def _source(word: str, right: str | None, spec: SourceSpec) -> Listed:
    """List the pairs of a folder, a video or a manifest."""
    if is_live(word):
        raise ValueError(f"{word} is live and has no end: record it first, with view --record")
    require_same_kind(word, right)
    path = Path(word)
    name = label(resolved(path).stem if path.is_file() else resolved(path).name)
    if not path.is_dir():
        if is_video(word):
            return _of_video(word, right, name, spec)
        if right is not None:
            pictures = FramePaths(path, Path(right))
            return Listed(name, _of_files([pictures], spec))
        if path.suffix.lower() not in MANIFEST_SUFFIXES:
            raise ValueError(f"{word} is neither a folder, a video, a manifest nor a picture")
        return Listed(name, tuple(map(_listed, read_listed(path))))
    manifest = next((path / name for name in MANIFESTS if (path / name).is_file()), None)
    if manifest and right is None:
        return Listed(name, tuple(map(_listed, read_listed(manifest))))
    files = pair_folders(path, Path(right)) if right else find_frames(path, spec)
    return Listed(name, _of_files(files, spec))


def _listed(pair: ListedPair) -> BatchPair:
    views = pair.left.absolute(), pair.right.absolute()
    return BatchPair(pair.name, *views, None, None, None, pair.disparities, pair.min_disparity)


def _of_video(word: str, right: str | None, name: str, spec: SourceSpec) -> Listed:
    left, other = resolved(word), resolved(right) if right else None
    source = opened_video(left, other, spec)
    pairs = (BatchPair(f"{index:06}", left, other, index) for index in range(source.length))
    return Listed(name, tuple(pairs), source.rate)


def _of_files(files: Sequence[FramePaths], spec: SourceSpec) -> tuple[BatchPair, ...]:
    """List the pairs of one camera, all with the layout and rectification of the first."""
    common = os.path.commonpath([pair.left.parent for pair in files])
    one = files[0]
    first = one.left.absolute(), one.right.absolute() if one.right else None
    layout = spec.layout
    if first[1] is None and layout is None:
        layout = views_of(None, read_views(*first).left, None).layout
    return tuple(
        BatchPair(
            os.path.relpath(pair.left.with_suffix(""), common),
            pair.left.absolute(),
            pair.right.absolute() if pair.right else None,
            None,
            layout,
            first if spec.rectify == "auto" else None,
        )
        for pair in files
    )


def _of_pictures(paths: Sequence[Path]) -> Listed:
    """Pair pictures with the other view in the same or a sibling folder, each pair once."""
    pairs: dict[FIRST, None] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder; check the path")
        pairs[_pair(path)] = None
    common = os.path.commonpath([left.parent.absolute() for left, _ in pairs])
    return Listed(
        "pairs",
        tuple(
            BatchPair(
                os.path.relpath(left.with_suffix("").absolute(), common),
                left.absolute(),
                right.absolute() if right else None,
            )
            for left, right in pairs
        ),
    )


def _pair(path: Path) -> FIRST:
    """Find the other view of a picture, in the same folder or in the sibling folder for it."""
    if other := partner(path):
        return ordered((path, other))
    folder = path.absolute().parent
    for pair in FOLDER_PAIRS:
        for name, another in (pair, pair[::-1]):
            there = folder.with_name(another) / path.name
            if folder.name == name and there.is_file():
                return (path, there) if name == pair[0] else (there, path)
    return path, None


def _named_apart(found: Sequence[Listed]) -> list[Listed]:
    """Give all pairs different names that are valid as file names.

    With several sources, the source's name is put before the pair's.
    """
    names = _unlike([each.name for each in found])
    named = []
    for name, each in zip(names, found, strict=True):
        stems = _unlike([pair.name for pair in each.pairs])
        before = f"{name}/" if len(found) > 1 else ""
        pairs = (replace(p, name=f"{before}{s}") for p, s in zip(each.pairs, stems, strict=True))
        named.append(replace(each, name=name, pairs=tuple(pairs)))
    return named


def _unlike(names: Sequence[str]) -> list[str]:
    """Convert names to valid file names; equal ones are numbered."""
    stems = [UNFIT.sub("_", name).strip("._")[:LONGEST_STEM] or "pair" for name in names]
    many, folded = Counter(stem.casefold() for stem in stems), set[str]()
    found = []
    for number, stem in enumerate(stems):
        one = stem if many[stem.casefold()] == 1 else f"{stem}-{number:06}"
        while one.casefold() in folded:
            one += "-"
        folded.add(one.casefold())
        found.append(one)
    return found


def _limited(found: Sequence[Listed], limit: int | None) -> list[Listed]:
    """Keep the first ``limit`` pairs of all sources."""
    left, kept = limit, []
    for each in found:
        pairs = each.pairs if left is None else each.pairs[:left]
        left = None if left is None else left - len(pairs)
        kept.append(replace(each, pairs=pairs))
    return [each for each in kept if each.pairs]
