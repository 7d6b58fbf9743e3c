"""Lists of stereo pairs with ground truth, from data sets, other sources or built-in scenes."""

import hashlib
import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from wheatstone.gpu.analysis.conventions import MIDDLEBURY
from wheatstone.viewer.cli.pairs import (
    ListedSource,
    list_source,
    list_sources,
    of_data_set,
    ref_of,
    with_file_names,
)
from wheatstone.viewer.io.cameras.calibration_files import MIDDLEBURY as CALIBRATION
from wheatstone.viewer.io.cameras.calibration_files import searched_disparities
from wheatstone.viewer.io.footage.bags.opening import is_recording
from wheatstone.viewer.io.reading.checks import LARGEST
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.data_sets import DATA_SETS, PARTS
from wheatstone.viewer.io.sources.listing import folders_in, images_in
from wheatstone.viewer.io.sources.manifest import read_manifest, require_scale
from wheatstone.viewer.io.sources.sides import NUMBERED
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.io.sources.truth_places import (
    ENDING,
    MANIFESTS,
    find_frame_truths,
    float_truth,
    old_truth,
    why_no_truth,
)
from wheatstone.viewer.run.frame_ref import AnyFrameRef, FrameRef, SceneRef
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE

NAMES = ", ".join(each.name for each in DATA_SETS if each.measures)
LAYOUTS = (
    f"expected {', '.join(MANIFESTS)}, or the layout of {NAMES}; "
    "docs/sources.md describes manifests, and batch computes pairs without truth"
)


def open_data(words: Sequence[str], right: str | None, options: SourceSpec) -> ListedSource:
    """List the pairs with ground truth of data sets, and of any source that ``batch`` reads.

    Args:
        words: as for ``list_sources``.
        right: the source of the right views, if there is one word.

    Raises:
        OSError, ValueError: as ``list_sources`` and ``open_data_set``.
        Unavailable: there is a video, and PyAV is not installed.
    """
    require_scale(options.truth_scale, "scale")
    sources = list_sources(words, right, options, _open_source)
    sources = [replace(each, pairs=tuple(filter(_has_truth, each.pairs))) for each in sources]
    if not any(each.pairs for each in sources):
        raise ValueError(f"{words[0]}: no stereo pair with truth; {LAYOUTS}")
    if len(sources) == 1:
        return sources[0]
    kinds = {(each.convention, each.data_set) for each in sources if each.pairs}
    pairs = tuple(pair for each in with_file_names(sources) for pair in each.pairs)
    convention, data_set = kinds.pop() if len(kinds) == 1 else (MIDDLEBURY.name, "")
    name = "-".join(each.name for each in sources)
    notes = tuple(note for each in sources for note in each.notes)
    return ListedSource(name, pairs, convention=convention, notes=notes, data_set=data_set)


def _has_truth(ref: AnyFrameRef) -> bool:
    return isinstance(ref, SceneRef) or ref.truth is not None


def _open_source(word: str, right: str | None, options: SourceSpec) -> ListedSource:
    """Open a source as a data set, else as another kind of source, and list its pairs."""
    path = Path(word)
    if right is not None and not is_recording(word):
        return list_source(word, right, options)
    try:
        return open_data_set(path, options.truth_scale, right)
    except ValueError:
        if path.is_dir() and (other := _other_source(word, options)):
            return other
        raise


def _other_source(word: str, options: SourceSpec) -> ListedSource | None:
    """List the pairs of a folder without a data set's layout; None if none has ground truth.

    Raises:
        ValueError: there is truth whose scale is not known.
    """
    try:
        other = list_source(word, None, options)
    except (OSError, ValueError):
        return None
    if any(map(_has_truth, other.pairs)):
        return other
    lefts = [ref.left for ref in other.pairs if isinstance(ref, FrameRef)]
    if why := why_no_truth(lefts[0], options.truth_scale):
        raise ValueError(f"{word}: {why}")
    return None


def open_data_set(path: Path, scale: float | None = None, right: str | None = None) -> ListedSource:
    """List the pairs with ground truth of a data set's folder, a video or a manifest.

    Args:
        scale: stored values per pixel of disparity, where the layout does not define it.
        right: the video of the right views, if ``path`` is that of the left ones.

    Raises:
        OSError: there is no such folder or file.
        ValueError: it contains no pair with truth, or no truth has such a scale.
    """
    require_scale(scale, "scale")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such folder or manifest; check the path")
    if is_recording(path):
        return ListedSource(label(path.stem), _video_pairs(path, right, scale))
    manifest = next((path / name for name in MANIFESTS if (path / name).is_file()), None)
    if path.is_file() or manifest:
        file = manifest or path
        convention, entries = read_manifest(file)
        name = resolved(file.parent).name if file.name in MANIFESTS else file.stem
        refs = tuple(map(ref_of, entries))
        data = ListedSource(label(name), refs, convention=convention or MIDDLEBURY.name)
    else:
        data = _folder(path, scale)
    if not data.pairs:
        raise ValueError(f"{path}: no stereo pair with truth; {LAYOUTS}")
    names = Counter(pair.name for pair in data.pairs)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"{path}: pairs must have different names (got twice: {min(twice)})")
    return data


def _video_pairs(video: Path, right: str | None, scale: float | None) -> tuple[FrameRef, ...]:
    """List the frames of a video that have ground truth; raise ``OSError`` if none has."""
    truths = find_frame_truths(video, None, scale)
    if not truths:
        place = video.with_suffix(ENDING)
        raise FileNotFoundError(f"{video}: no frame has ground truth; expected in {place}")
    other, name = Path(right) if right else None, label(video.stem)
    return tuple(
        FrameRef(f"{name} {index}", video, other, index, truth=files)
        for index, files in sorted(truths.items())
    )


def _folder(path: Path, scale: float | None) -> ListedSource:
    """List the pairs of Middlebury or ETH3D in a folder or in its subfolders."""
    below = folders_in(path)
    inner = [each for each in below if each.name in PARTS]
    for places in ([path, *below], [place for each in inner for place in folders_in(each)]):
        for left, right in NUMBERED:
            if refs := tuple(ref for p in places if (ref := _numbered(p, left, right, scale))):
                return of_data_set(ListedSource(label(resolved(path).name), _told_apart(refs)))
    return ListedSource(label(resolved(path).name), ())


def _told_apart(refs: Sequence[FrameRef]) -> tuple[FrameRef, ...]:
    """Make pair names unique by a prefix, the name of the folder that holds each pair's folder."""
    folders = {ref.left.parent.parent for ref in refs}
    names = Counter(ref.name for ref in refs)
    if len(folders) < 2 or len(names) == len(refs):
        return tuple(refs)
    return tuple(replace(r, name=label(f"{r.left.parent.parent.name}/{r.name}")) for r in refs)


def _numbered(folder: Path, left: str, right: str, scale: float | None) -> FrameRef | None:
    """Return the pair of numbered images (Middlebury, ETH3D) in a folder; None if incomplete."""
    images = {path.stem: path for path in images_in(folder)}
    if not {left, right} <= images.keys():
        return None
    old = left == "im2"
    if not (truth := old_truth(folder, scale) if old else float_truth(images[left])):
        return None
    if not old:
        disparities = calibrated_disparities(folder / CALIBRATION)
    elif scale is None:
        return None  # of which ``why_no_truth`` tells the reason
    else:
        disparities = 256 // int(scale) if scale >= 1 else None
    name = label(resolved(folder).name)
    return FrameRef(name, images[left], images[right], truth=truth, disparities=disparities)


def calibrated_disparities(path: Path) -> int | None:
    """Read the number of disparities to search from a ``calib.txt``; None if not stated.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    return searched_disparities(path) if os.path.isfile(path) else None


def open_scenes(
    names: Sequence[str] = SCENES, seed: int = 0, size: tuple[int, int] = SCENE_SIZE
) -> ListedSource:
    """List built-in scenes as a data set with exact ground truth and occlusions.

    Args:
        size: width and height in pixels.

    Raises:
        ValueError: a scene cannot have such a size or seed.
    """
    width, height = size
    if seed < 0:
        raise ValueError(f"seed must be 0 or more (got {seed})")
    if max(width, height) > LARGEST:
        raise ValueError(f"a scene has at most {LARGEST} pixels per side (got {width}x{height})")
    refs = tuple(
        _scene(SceneRef(name, seed, width, height, 0, "")) for name in dict.fromkeys(names)
    )
    return ListedSource("scenes", refs)


def _scene(ref: SceneRef) -> SceneRef:
    """Return a scene with the digest of its pixels and its number of disparities."""
    frame, _ = ref.read(NO_SOURCE)
    assert frame.truth is not None and frame.right is not None
    arrays = (frame.left, frame.right, frame.truth)
    content = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    disparities = math.ceil(float(np.nanmax(frame.truth))) + 1
    return replace(ref, disparities=disparities, content=content)
