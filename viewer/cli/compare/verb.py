"""``wheatstone compare``: compare every image that both sides have, element by element."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.comparison import Difference, compare
from wheatstone.gpu.device import check_device
from wheatstone.gpu.parameters import Params, did_you_mean
from wheatstone.gpu.pipeline import Image, Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.cli.compare.options import CompareRequest
from wheatstone.viewer.io.files.output import check_file, check_outputs
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.value_files import KITTI_STEPS, Coding, read_values
from wheatstone.viewer.options import chosen_parameters
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.run.measuring.tables import Table
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.screenshot import check_png

Images = Mapping[str, NDArray[Any]]
COURSE_STEPS = 4  # stored values per pixel of disparity in the course programs' pictures


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """Side A or side B of a comparison, a variant or a file, with its images.

    Attributes:
        images: by name: all stored images that a variant keeps, or the output's values in a file.
        file: whether the side is a file.
        peer: whether the side is an external variant, which does not claim identical results.
        kitti: whether the side is a file in KITTI's encoding, which has no disparity of 0.
    """

    name: str
    images: Images
    file: bool = False
    peer: bool = False
    kitti: bool = False


def is_variant(pipeline: Pipeline, word: str) -> bool:
    """Return whether an argument names a variant, not a file; raise ``ValueError`` for neither."""
    names = [variant.name for variant in pipeline.variants]
    if word not in names and not Path(word).is_file():
        raise ValueError(
            f"{word} is neither a file nor a variant of {pipeline.name}"
            f"{did_you_mean(word, (*names, *PIPELINES))}; it has {', '.join(names)}"
        )
    return word in names


def of_variant(
    pipeline: Pipeline,
    variant: str,
    params: Params,
    views: Mapping[str, NDArray[np.uint8]],
    line: ProgressLine,
) -> ComparedSide:
    """Compute a frame with a variant; return all images, including those computed on demand."""
    keep = on_demand(pipeline, pipeline.variant(variant))
    run = Run(pipeline, variant, params, keep=keep, bands=1)

    def tell(stage: str, share: float) -> None:
        line.show(f"{variant}: {stage.replace('_', ' ')}", share)

    execution = first_frame(run, views, tell)
    names = [i.name for i in pipeline.images if not i.stands_for and execution.keeps(i.name)]
    images = {name: execution.download(name) for name in names if name not in pipeline.inputs}
    return ComparedSide(variant, images, peer=pipeline.variant(variant).peer)


def of_file(path: Path, image: Image, scale: float | None, unknown: int | None) -> ComparedSide:
    """Read a file that holds the values of an image; see ``Coding`` for files of 8 bits."""
    usual = COURSE_STEPS if image.invalid else 1
    values = read_values(path, eight=Coding(scale or usual, unknown))
    kitti = values.encoding == "16 bits"
    return ComparedSide(one_line(path.name), {image.name: values.pixels}, file=True, kitti=kitti)


def values_of(side: ComparedSide, image: Image, params: Params) -> NDArray[Any]:
    """Return a side's values of an image in its unit, NaN where there is no result."""
    array = side.images[image.name]
    return array if side.file else in_units(array, image, params)


def in_common(
    side: ComparedSide, other: ComparedSide, image: Image, params: Params
) -> ComparedSide:
    """Convert a compared image to the units of the other one, a file; NaN for no result."""
    values = values_of(side, image, params)
    if other.kitti and not side.kitti:  # its 0 means no result: a disparity of 0 is stored as 1
        values = np.where(values == 0, np.float32(1 / KITTI_STEPS), values)
    return ComparedSide(side.name, {image.name: values}, True, side.peer, side.kitti)


AXES = {"height": "y", "width": "x", "disparities": "d"}


def compare_sides(request: CompareRequest) -> int:
    """Run ``wheatstone compare``: print the differences of both sides; return the exit code."""
    pipeline = request.pipeline
    params = chosen_parameters(pipeline, request.preset, request.params)
    shown = pipeline.image(request.image or pipeline.output)
    _check_picture(request, shown)
    variants = _variants(request)
    with ProgressLine() as line, _opened(request, variants) as source:
        check_outputs([request.out])
        a, b = _sides(request, params, source, line)
    _check_sizes(a, b)
    rows = {name: compare(name, a.images[name], b.images[name]) for name in _common(a, b)}
    sizes = {name: _sizes_of_differences(pipeline.image(name), params, a, b) for name in rows}
    print_tables([_table(pipeline, a, b, rows, sizes)])
    if request.out:
        _draw(request.out, shown, params, a, b)
        say(f"wrote {request.out}")
    return 1 if any(rows.values()) else 0


def _variants(request: CompareRequest) -> list[str]:
    """List which compared sides are variants; register the others, which are files, as inputs.

    Raises:
        ValueError: a side is neither, or images are given for two files.
        Unavailable: the machine lacks a variant's device.
    """
    pipeline = request.pipeline
    words = (request.a, request.b)
    variants = [word for word in words if is_variant(pipeline, word)]
    if request.left and not variants:
        raise ValueError(f"two files are compared without images (got {request.left} as well)")
    for name in variants:
        check_device(name, pipeline.variant(name).device)
    add_inputs(word for word in words if word not in variants)
    return variants


def _sides(
    request: CompareRequest, params: Params, source: Source | None, line: ProgressLine
) -> tuple[ComparedSide, ComparedSide]:
    pipeline = request.pipeline
    views: Mapping[str, NDArray[np.uint8]] = {}
    if source:
        say(f"{pipeline.name} on {source.name}")
        views = grey_views(source.frame(request.frame))
    output = pipeline.image(pipeline.output)
    sides = []
    for word in (request.a, request.b):
        if is_variant(pipeline, word):
            sides.append(of_variant(pipeline, word, params, views, line))
        else:
            sides.append(of_file(Path(word), output, request.scale, request.unknown))
    a, b = sides
    if a.file or b.file:
        a, b = in_common(a, b, output, params), in_common(b, a, output, params)
    return a, b


@contextmanager
def _opened(request: CompareRequest, variants: Sequence[str]) -> Iterator[Source | None]:
    """Open the source of frames for variants; yield None if two files are compared."""
    if not variants:
        yield None
        return
    spec = SourceSpec(
        request.left, request.right, scene=request.scene, seed=request.seed, size=request.scene_size
    )
    source = open_source(spec)
    with closing(source):
        yield source


def _common(a: ComparedSide, b: ComparedSide) -> list[str]:
    return [name for name in a.images if name in b.images]


def _check_sizes(a: ComparedSide, b: ComparedSide) -> None:
    for name in _common(a, b):
        first, second = a.images[name].shape, b.images[name].shape
        if first != second:
            sizes = ["x".join(map(str, shape[::-1])) for shape in (first, second)]
            raise ValueError(
                f"sizes differ: {name} of {a.name} is {sizes[0]}, of {b.name} {sizes[1]}"
            )


def _check_picture(request: CompareRequest, image: Image) -> None:
    """Raise an error, before anything is computed, if the difference cannot be drawn."""
    if not request.out:
        return
    check_png(request.out)
    if image.dims != ("height", "width"):
        axes = " x ".join(map(str, image.dims))
        raise ValueError(f"{image.name} is {axes}; a picture needs an image of height x width")
    check_file(request.out)


def _sizes_of_differences(
    image: Image, params: Params, a: ComparedSide, b: ComparedSide
) -> tuple[str, str]:
    """Format the median absolute difference, and the share of pixels with a difference above 1.

    They are in the image's unit, of the pixels with a value on both sides; empty if there is none,
    and for images of labels or with several values per pixel.
    """
    if image.labels or image.dims != ("height", "width"):
        return "", ""
    difference = np.abs(values_of(a, image, params) - values_of(b, image, params))
    known = difference[np.isfinite(difference)]
    if not known.size:
        return "", ""
    return f"{np.median(known):.4g}", f"{np.mean(known > 1):.2%}"


def _table(
    pipeline: Pipeline,
    a: ComparedSide,
    b: ComparedSide,
    rows: Mapping[str, Difference | None],
    sizes: Mapping[str, tuple[str, str]],
) -> Table:
    cells = []
    for name, difference in rows.items():
        total, where, largest = str(a.images[name].size), "", ""
        if difference:
            where = place(pipeline.image(name), difference.first)
            largest = f"{difference.largest:g}"
        count = str(difference.count) if difference else "0"
        cells.append((name, count, total, where, largest, *sizes[name]))
    wrong = frozenset(i for i, difference in enumerate(rows.values()) if difference)
    header = ("image", "differ", "of", "first", "largest", "median", "above 1")
    return Table(
        f"{pipeline.name}: {a.name} and {b.name}", header, tuple(cells), wrong, _notes(a, b, rows)
    )


def place(image: Image, index: tuple[int, ...]) -> str:
    """Format an element's index, such as ``x 12, y 3``."""
    axes = [AXES.get(str(dim), str(dim)) for dim in reversed(image.dims)]
    return ", ".join(f"{axis} {at}" for axis, at in zip(axes, index, strict=True))


def _notes(
    a: ComparedSide, b: ComparedSide, rows: Mapping[str, Difference | None]
) -> tuple[str, ...]:
    unit = "in the unit of the result" if a.file else "of values as stored"
    notes = ["identical"]
    if any(rows.values()):
        notes = [f"DIFFERENT. largest: absolute difference {unit}; inf: only one has a value."]
    notes.append(
        "median, above 1: absolute difference in the image's unit (disparities: pixels), and share "
        "of pixels where it exceeds 1; of the pixels with a value on both sides."
    )
    notes += [f"{s.name} is a peer, not comparable bit for bit." for s in (a, b) if s.peer]
    return tuple(notes)


def _draw(path: Path, image: Image, params: Params, a: ComparedSide, b: ComparedSide) -> None:
    from wheatstone.viewer.cli.compare.picture import write_difference

    for side in (a, b):
        if image.name not in side.images:
            raise ValueError(f"{side.name} does not keep {image.name}; choose another --image")

    values = values_of(a, image, params), values_of(b, image, params)
    write_difference(path, (a.name, b.name), *values, image.name, image.unit)
