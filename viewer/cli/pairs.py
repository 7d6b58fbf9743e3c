"""Lists of the stereo pairs of sources (folders, videos, manifests, images), with ground truth."""

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.gpu.analysis.conventions import MIDDLEBURY
from wheatstone.viewer.cli.requests import FrameRange
from wheatstone.viewer.io.footage.address import is_live
from wheatstone.viewer.io.footage.bags.opening import is_recording
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources.data_set_layouts import data_set_of, pair_of
from wheatstone.viewer.io.sources.file_kinds import HEAD, kind_of
from wheatstone.viewer.io.sources.folder import FramePaths, find_frames, pair_folders
from wheatstone.viewer.io.sources.frame import TRIED
from wheatstone.viewer.io.sources.layouts import views_of
from wheatstone.viewer.io.sources.listing import SUFFIXES, natural_order
from wheatstone.viewer.io.sources.manifest import ListedPair, read_manifest
from wheatstone.viewer.io.sources.opening import require_same_kind
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.io.sources.stated_range import disparities_of_truth, stated_disparities
from wheatstone.viewer.io.sources.still import read_views
from wheatstone.viewer.io.sources.times import RATE, pace_of
from wheatstone.viewer.io.sources.tone import LINEAR, Tone
from wheatstone.viewer.io.sources.truth import TruthFiles
from wheatstone.viewer.io.sources.truth_places import (
    MANIFESTS,
    find_frame_truths,
    find_truth,
    in_manifest,
)
from wheatstone.viewer.run.frame_ref import AnyFrameRef, FrameRef, ViewFiles, opened_video

LONGEST_STEM = 100  # characters of a file's name, before its suffix
MANIFEST_SUFFIXES = (".toml", ".json")
UNFIT = re.compile(r"[^\w.+-]+")  # of names of files


@dataclass(frozen=True)
class ListedSource:
    """A source's pairs in a list, with facts that they have in common, such as the frame rate.

    Attributes:
        name: the source's name, as a part of file names.
        rate: pictures per second of a film made from it.
        convention: name of the default convention for judging the pairs.
        notes: remarks on how the pairs were found, one line each.
        successive: whether the pairs are frames of one camera, in order.
        data_set: name of the public data set that the pairs belong to; empty: no known one.
    """

    name: str
    pairs: tuple[AnyFrameRef, ...]
    rate: float = RATE
    convention: str = MIDDLEBURY.name
    notes: tuple[str, ...] = ()
    successive: bool = False
    data_set: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """List the files of all pairs: their views, and their ground truth."""
        paths = (path for pair in self.pairs for path in (*pair.files, *pair.truth_files))
        return tuple(dict.fromkeys(paths))


def list_source(word: str, right: str | None, options: SourceSpec) -> ListedSource:
    """List the pairs of a folder, a video or a manifest; raise errors as ``list_sources``."""
    if is_live(word):
        raise ValueError(f"{word} is live and has no end: record it first, with view --record")
    require_same_kind(word, right)
    path = Path(word)
    name = label(resolved(path).stem if path.is_file() else resolved(path).name)
    if is_recording(word):
        return _of_video(word, right, name, options)
    if not path.is_dir():
        if right is not None:
            truth = find_truth(path, options.truth_scale)
            return _of_files(name, [FramePaths(path, Path(right), truth)], options)
        if path.suffix.lower() not in MANIFEST_SUFFIXES:
            kinds = "neither a folder, a video, a robot recording, a manifest nor a picture"
            raise ValueError(f"{word} is {kinds}{_but(path)}")
        return _of_manifest(name, path)
    manifest = next((path / name for name in MANIFESTS if (path / name).is_file()), None)
    if manifest and right is None:
        return _of_manifest(name, manifest)
    frames = pair_folders(path, Path(right)) if right else find_frames(path, options)
    pace = pace_of(path, [frame.left for frame in frames.frames])
    notes = *frames.notes, *filter(None, [pace.note])
    listed = _of_files(name, frames.frames, options)
    return replace(listed, rate=pace.rate or RATE, notes=notes)


def _but(path: Path) -> str:
    """Return the end of an error about an unsupported file: "but", its format, and advice."""
    with open_regular(path) as file:
        kind = kind_of(path, file.read(HEAD))
    return f" but {kind.name}; {kind.advice(path)}" if kind else ""


def list_sources(
    words: Sequence[str],
    right: str | None,
    options: SourceSpec,
    one: Callable[[str, str | None, SourceSpec], ListedSource] = list_source,
) -> list[ListedSource]:
    """List all pairs of the sources that a command line names.

    Args:
        words: folders, videos, manifests, pictures, or patterns of these such as ``'*/left.png'``.
        right: the source of the right views, if there is one word; None: it is detected.
        one: lists the pairs of a source other than pictures.

    Returns:
        The sources in their order.

    Raises:
        OSError, ValueError: a source is missing, or is of none of these kinds; or the first pair
            cannot be read with the calibration of the user, but without it.
        Unavailable: there is a video, and PyAV is not installed.
    """
    if right is not None and len(words) != 1:
        raise ValueError(f"--right needs one SOURCE (got {len(words)})")
    sources, pictures = [], []
    for word in _expanded(words):
        if right is None and Path(word).suffix.lower() in SUFFIXES and not Path(word).is_dir():
            pictures.append(Path(word))
        else:
            sources.append(one(word, right, options))
    if pictures:
        sources.append(_of_pictures(pictures, options))
    first = next((pair for each in sources for pair in each.pairs), None)
    if options.calibrations and first:
        _check_calibration(first, options)
    return sources


def _check_calibration(pair: AnyFrameRef, options: SourceSpec) -> None:
    """Raise the error of reading a pair, if it occurs only with the user's calibration."""
    try:
        pair.read(options)
    except (OSError, ValueError):
        try:
            pair.read(options.without_calibration())
        except (OSError, ValueError):
            return  # reported where the pair is computed
        raise


def select_pairs(
    sources: Sequence[ListedSource], frames: FrameRange | None, every: int, limit: int | None
) -> list[ListedSource]:
    """Select the pairs to compute; omit sources with no selected pair.

    Args:
        frames: numbers of the pairs of every source; None: all.
        every: the distance of the pairs to choose from these.
        limit: the number of pairs in all; None: no limit.

    Raises:
        ValueError: a source has no such frames.
    """
    chosen, remaining = [], limit
    for each in sources:
        length = len(each.pairs)
        numbers = frames.numbers(0, length, each.name) if frames else range(length)
        pairs = [each.pairs[number] for number in numbers if number < length][::every][:remaining]
        remaining = None if remaining is None else remaining - len(pairs)
        chosen.append(replace(each, pairs=tuple(pairs)))
    return [each for each in chosen if each.pairs]


def _expanded(words: Sequence[str]) -> Iterator[str]:
    """Yield the arguments, with patterns replaced by the matching files."""
    for word in words:
        if Path(word).exists() or not glob.has_magic(word):
            yield word
            continue
        fitting = sorted(glob.glob(word, recursive=True), key=natural_order)
        if not fitting:
            raise FileNotFoundError(f"{word}: no file matches this pattern")
        yield from fitting


def _of_manifest(name: str, path: Path) -> ListedSource:
    convention, pairs = read_manifest(path, judged=False)
    refs = tuple(ref_of(pair).with_paths(Path.absolute) for pair in pairs)
    return ListedSource(name, refs, convention=convention or MIDDLEBURY.name)


def ref_of(pair: ListedPair) -> FrameRef:
    """Convert a pair that a manifest lists to a reference, by which its frame is read."""
    ref = FrameRef(pair.name, pair.left, pair.right, truth=pair.truth)
    return replace(ref, disparities=pair.disparities, min_disparity=pair.min_disparity)


def _of_video(word: str, right: str | None, name: str, options: SourceSpec) -> ListedSource:
    left, other = resolved(word), resolved(right) if right else None
    source = opened_video(left, other, options)
    truths = find_frame_truths(left, None, options.truth_scale)
    pairs = (
        FrameRef(f"{index:06}", left, other, index, truth=truths.get(index))
        for index in range(source.length)
    )
    count = stated_disparities(left, options.calibrations) or disparities_of_truth(
        list(truths.values())
    )
    refs = tuple(replace(pair, disparities=count) for pair in pairs)
    return ListedSource(name, refs, source.rate, successive=True)


def _of_files(name: str, files: Sequence[FramePaths], options: SourceSpec) -> ListedSource:
    """List the pairs of one stereo camera, read with the first pair's layout and rectification."""
    one = files[0]
    layout = options.layout
    if one.right is None and layout is None:
        read = read_views(one.left, None)
        layout = views_of(None, read.left, read.right, one.left).layout
    first = (one.left, one.right) if options.rectify == "auto" else None
    views = [((f.left, f.right), f.truth) for f in files]
    listed = _of_views(name, views, layout, first, options, first_tone(files, options))
    return replace(listed, successive=True)


def first_tone(files: Sequence[FramePaths], options: SourceSpec) -> Tone | None:
    """Return the mapping from 16 to 8 bits that the first readable frame needs.

    None for the default or a linear mapping, and if none of the first frames can be read.
    """
    if options.tone in (None, LINEAR):
        return None
    for one in files[:TRIED]:
        with suppress(OSError, ValueError):  # told where the pair is computed
            return read_views(one.left, one.right, measure=options.tone).tone
    return None


def _of_pictures(paths: Sequence[Path], options: SourceSpec) -> ListedSource:
    """Pair images with their other views in the same or a sibling folder; list each pair once."""
    pairs: dict[ViewFiles, None] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder; check the path")
        pairs[pair_of(path) or (path, None)] = None
    truths = (find_truth(left, options.truth_scale) if right else None for left, right in pairs)
    return _of_views("pairs", list(zip(pairs, truths, strict=True)), options=options)


def _of_views(
    name: str,
    files: Sequence[tuple[ViewFiles, TruthFiles | None]],
    layout: str | None = None,
    first: ViewFiles | None = None,
    options: SourceSpec = NO_SOURCE,
    tone: Tone | None = None,
) -> ListedSource:
    """List pairs of images, named by their paths relative to their common folder."""
    common = os.path.commonpath([left.parent.absolute() for (left, _), _ in files])
    by_truth = disparities_of_truth([truth for _, truth in files if truth])
    refs = tuple(
        FrameRef(
            os.path.relpath(left.with_suffix("").absolute(), common),
            left,
            right,
            None,
            layout,
            first,
            truth,
            stated_disparities(left, options.calibrations) or by_truth,
            tone=tone,
        ).with_paths(Path.absolute)
        for (left, right), truth in files
    )
    return of_data_set(ListedSource(name, refs))


def of_data_set(source: ListedSource) -> ListedSource:
    """Copy a source, adding the name and error convention of its public data set."""
    left = next(
        (pair.left for pair in source.pairs if isinstance(pair, FrameRef) and pair.truth), None
    )
    if not left or in_manifest(left) or not (data_set := data_set_of(left)):
        return source
    return replace(source, convention=data_set.convention.name, data_set=data_set.name)


def with_file_names(sources: Sequence[ListedSource]) -> list[ListedSource]:
    """Copy sources with pair names that are unique and valid as file names.

    With several sources, the source's name is put before the pair's.
    """
    names = _file_names([each.name for each in sources])
    named = []
    for name, each in zip(names, sources, strict=True):
        stems = _file_names([pair.name for pair in each.pairs])
        before = f"{name}/" if len(sources) > 1 else ""
        pairs = (replace(p, name=f"{before}{s}") for p, s in zip(each.pairs, stems, strict=True))
        named.append(replace(each, name=name, pairs=tuple(pairs)))
    return named


def _file_names(names: Sequence[str]) -> list[str]:
    """Convert names to valid file names, numbered if they would be equal."""
    stems = [UNFIT.sub("_", name).strip("._")[:LONGEST_STEM] or "pair" for name in names]
    many, taken = Counter(stem.casefold() for stem in stems), set[str]()
    unique = []
    for number, stem in enumerate(stems):
        one = stem if many[stem.casefold()] == 1 else f"{stem}-{number:06}"
        while one.casefold() in taken:
            one += "-"
        taken.add(one.casefold())
        unique.append(one)
    return unique
