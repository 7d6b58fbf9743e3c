"""Load the sides of a comparison, A and B: the images of a variant, or a file of values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import Params, did_you_mean
from wheatstone.gpu.pipeline import Image, Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.reading.plain_text import one_line
from wheatstone.viewer.io.sources.value_files import KITTI_STEPS, Coding, read_values
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.run.run import Run

Images = Mapping[str, NDArray[Any]]
COURSE_STEPS = 4  # stored values per pixel of disparity in the course programs' pictures


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """Side A or side B of a comparison.

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
    """Return whether a word names a variant, not a file. Raises ``ValueError`` for neither."""
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
    """Run a variant once and keep all its images, including those computed on demand."""
    keep = on_demand(pipeline, pipeline.variant(variant))
    run = Run(pipeline, variant, params, keep=keep, bands=1)

    def tell(stage: str, share: float) -> None:
        line.show(f"{variant}: {stage.replace('_', ' ')}", share)

    execution = first_frame(run, views, tell)
    names = [i.name for i in pipeline.images if not i.stands_for and execution.keeps(i.name)]
    images = {name: execution.download(name) for name in names if name not in pipeline.inputs}
    return ComparedSide(variant, images, peer=pipeline.variant(variant).peer)


def of_file(path: Path, image: Image, scale: float | None, unknown: int | None) -> ComparedSide:
    """Read a file of values, interpreted as those of an image; see ``Coding`` for 8 bits."""
    usual = COURSE_STEPS if image.invalid else 1
    values = read_values(path, eight=Coding(scale or usual, unknown))
    kitti = values.encoding == "16 bits"
    return ComparedSide(one_line(path.name), {image.name: values.pixels}, file=True, kitti=kitti)


def in_common(
    side: ComparedSide, other: ComparedSide, image: Image, params: Params
) -> ComparedSide:
    """Convert a side to values that compare with the other, a file: NaN for no result."""
    array = side.images[image.name]
    values = array if side.file else in_units(array, image, params)
    if other.kitti and not side.kitti:  # its 0 means no result: a disparity of 0 is stored as 1
        values = np.where(values == 0, np.float32(1 / KITTI_STEPS), values)
    return ComparedSide(side.name, {image.name: values}, True, side.peer, side.kitti)
