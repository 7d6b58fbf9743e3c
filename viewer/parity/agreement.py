"""Compare every image that a variant and the reference both keep."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu.analysis.comparison import Difference, compare
from wheatstone.gpu.execution import Execution

Images = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Agreement:
    """The result of a comparison.

    Attributes:
        images, elements: number of images and values compared.
        differences: the differences of the images that differ.
    """

    images: int
    elements: int
    differences: tuple[Difference, ...]


def kept(execution: Execution) -> Images:
    """Copy every image that an execution computed and keeps, in its declared dtype."""
    pipeline = execution.pipeline
    names = [each.name for each in pipeline.images if each.name not in pipeline.inputs]
    return {name: execution.download(name) for name in names if execution.keeps(name)}


def agreement(ours: Images, reference: Images) -> Agreement:
    """Compare the images present in both; NaN equals NaN, and nothing else is tolerated."""
    both = [name for name in ours if name in reference]
    found = tuple(_differences(ours, reference, both))
    return Agreement(len(both), sum(reference[name].size for name in both), found)


def _differences(ours: Images, reference: Images, names: list[str]) -> Iterator[Difference]:
    for name in names:
        if difference := compare(name, ours[name], reference[name]):
            yield difference
