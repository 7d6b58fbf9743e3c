"""Provide facts about filters and templates: the sum at a pixel, the position of a match."""

from collections.abc import Mapping

import numpy as np

from wheatstone.gpu.analysis.memory_access import reach
from wheatstone.gpu.pipelines.ncc.params import CONSTANT_PIXELS
from wheatstone.viewer.lessons.facts.fact import Fact
from wheatstone.viewer.lessons.facts.general import written
from wheatstone.viewer.lessons.facts.subject import FactSubject, Unknown


def _window_sum(about: FactSubject) -> int:
    """Sum the window of the mean filter at the pixel. Raises ``Unknown`` at the border."""
    if about.pipeline.name != "mean":
        raise Unknown(f"({about.pipeline.name} sums no window)")
    (row, column), (radius, _) = about.place, reach("mean_filter", about.slot.params)
    height, width = about.size
    if not (radius <= row < height - radius and radius <= column < width - radius):
        raise Unknown("(the window leaves the picture)")
    window = about.grey[row - radius : row + radius + 1, column - radius : column + radius + 1]
    return int(np.sum(window, dtype=np.int64))


def _template(about: FactSubject) -> tuple[int, int, int, int]:
    values = about.slot.params.values()
    if "template" not in values:
        raise Unknown(f"({about.pipeline.name} has no template)")
    x, y, width, height = values["template"]
    return x, y, width, height


def _peak(about: FactSubject, number: str) -> np.ndarray:
    peaks = about.image("peaks") if about.pipeline.name == "ncc" else np.zeros((0, 4))
    if not 1 <= int(number) <= len(peaks) or not peaks[int(number) - 1][3]:
        raise Unknown("(there is no such match)")
    return np.asarray(peaks[int(number) - 1])


def _found(about: FactSubject) -> str:
    peaks = about.image("peaks") if about.pipeline.name == "ncc" else np.zeros((0, 4))
    return f"{int(np.count_nonzero(peaks[:, 3]))}"


FILTERS: Mapping[str, Fact] = {
    "window_sum": Fact("sum of the mean filter's window", lambda about: f"{_window_sum(about)}"),
    "template_size": Fact(
        "columns and rows of the template",
        lambda about: " x ".join(map(str, _template(about)[2:])),
    ),
    "template_pixels": Fact(
        "pixels of the template", lambda about: f"{_template(about)[2] * _template(about)[3]}"
    ),
    "constant_pixels": Fact(
        "most pixels of a template in constant memory", lambda about: f"{CONSTANT_PIXELS}"
    ),
    "found": Fact("matches found", _found),
    "peak_x": Fact(
        "column of a match's centre, from the best, 1",
        lambda about, number: written(float(_peak(about, number)[0])),
        ("NUMBER",),
    ),
    "peak_y": Fact(
        "row of a match's centre",
        lambda about, number: written(float(_peak(about, number)[1])),
        ("NUMBER",),
    ),
    "peak_score": Fact(
        "score of a match",
        lambda about, number: f"{float(_peak(about, number)[2]):.3f}",
        ("NUMBER",),
    ),
}
