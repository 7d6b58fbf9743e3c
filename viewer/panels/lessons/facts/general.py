"""Facts for lessons about every pipeline, filters, template matching, and a pixel's match."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from wheatstone.gpu.analysis.memory_access import reach
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.ncc.params import CONSTANT_PIXELS
from wheatstone.viewer.panels.lessons.facts.subject import (
    Fact,
    FactSubject,
    Unknown,
    cores,
    machine,
)
from wheatstone.viewer.words import in_words


def _parameter(about: FactSubject, name: str) -> str:
    if name not in controls(about.pipeline.params):
        raise Unknown(f"({about.pipeline.name} has no {name})")
    value = about.slot.params.values()[name]
    return ",".join(map(str, value)) if isinstance(value, tuple) else in_words(value)


def spaced(count: int) -> str:
    """Format a count with spaces between thousands."""
    return f"{count:,}".replace(",", " ")


def written(value: float) -> str:
    """Format a number for a lesson: integers without decimals, others with about three digits."""
    if float(value).is_integer():
        return f"{int(value)}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _value(about: FactSubject, name: str) -> str:
    image, (row, column) = about.image(name), about.place
    value = image[row, column]
    labels = about.pipeline.image(name).labels
    return labels[int(value)] if labels else written(float(value))


def _of_label(about: FactSubject, name: str, *label: str) -> int:
    image, labels = about.image(name), about.pipeline.image(name).labels
    word = " ".join(label)
    if labels:
        if word not in labels:
            raise Unknown(f"({name} has no label {word!r})")
        return int(np.count_nonzero(image == labels.index(word)))
    if not word.isdecimal():
        raise Unknown(f"({name} has no labels)")
    return int(np.count_nonzero(image == int(word)))


def _percent(about: FactSubject, name: str, *label: str) -> str:
    return f"{100 * _of_label(about, name, *label) / about.grey.size:.1f} %"


GENERAL: Mapping[str, Fact] = {
    "width": Fact("columns of the picture", lambda about: about.size[1]),
    "height": Fact("rows of the picture", lambda about: about.size[0]),
    "pixels": Fact("pixels of the picture", lambda about: spaced(about.grey.size)),
    "x": Fact("column of the pixel chosen", lambda about: about.place[1]),
    "y": Fact("row of the pixel chosen", lambda about: about.place[0]),
    "cores": Fact("cores of this machine's CPU", lambda about: cores()),
    "machine": Fact("device that computes on this machine", lambda about: machine(about.absent)),
    "param": Fact("value of a parameter of the pipeline", _parameter, ("PARAMETER",)),
    "value": Fact("value of an image at the pixel chosen, or its label", _value, ("IMAGE",)),
    "count": Fact(
        "pixels of an image that have a label, or a value", _of_label, ("IMAGE", "LABEL")
    ),
    "percent": Fact("the same, in percent of all pixels", _percent, ("IMAGE", "LABEL")),
}


def _window_sum(about: FactSubject) -> int:
    """Sum the mean filter's window at the pixel. Raises ``Unknown`` at the image's border."""
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


def _match_count(about: FactSubject) -> str:
    peaks = about.image("peaks") if about.pipeline.name == "ncc" else np.zeros((0, 4))
    return f"{int(np.count_nonzero(peaks[:, 3]))}"


FILTERS: Mapping[str, Fact] = {
    "window_sum": Fact("sum of the mean filter's window", _window_sum),
    "template_size": Fact(
        "columns and rows of the template", lambda about: " x ".join(map(str, _template(about)[2:]))
    ),
    "template_pixels": Fact("pixels of the template", lambda about: prod(_template(about)[2:])),
    "constant_pixels": Fact(
        "most pixels of a template in constant memory", lambda about: CONSTANT_PIXELS
    ),
    "found": Fact("matches found", _match_count),
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


def _word(about: FactSubject, side: str) -> str:
    """Format the census word of the pixel or of its match as bits, in groups of eight."""
    left, right = about.words
    row, column = about.place
    if side == "right":
        column = _partner(about)
    word = int((left if side == "left" else right)[row, column])
    bits = f"{word:0{about.curves.parts.bits}b}"
    return " ".join(bits[i : i + 8] for i in range(0, len(bits), 8))


def _partner(about: FactSubject) -> int:
    """Return the column of the pixel's match. Raises ``Unknown`` outside the right view."""
    partner = about.verdict.partner
    if not 0 <= partner < about.size[1]:
        raise Unknown("(outside the right view)")
    return partner


def _cheapest(about: FactSubject) -> list[int]:
    curves = about.curves
    lowest = np.flatnonzero(curves.costs == curves.costs.min())
    return [curves.first + int(index) for index in lowest]


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:6]))
    return f"{shown} and {len(numbers) - 6} more" if len(numbers) > 6 else shown


def _path(about: FactSubject, number: str, disparity: int) -> int:
    curves = about.curves
    if not 1 <= int(number) <= len(curves.path_costs):
        raise Unknown(f"(there are {len(curves.path_costs)} paths)")
    return int(curves.path_costs[int(number) - 1, disparity])


def _fit(about: FactSubject) -> Any:
    fit = about.curves.fit
    if fit is None:
        raise Unknown("(nothing is fitted here)")
    return fit


def _right_winner(about: FactSubject) -> str:
    winner = about.verdict.right_winner
    if winner is None:
        raise Unknown("(not checked)")
    return f"{about.curves.first + winner}"


STEREO: Mapping[str, Fact] = {
    "word": Fact("bits of the census word of the pixel, or of its match", _word, ("SIDE",)),
    "bits": Fact("bits of a census word", lambda about: about.curves.parts.bits),
    "winner": Fact(
        "disparity that wins at the pixel, in integer pixels",
        lambda about: about.curves.first + about.curves.winner,
    ),
    "rival": Fact(
        "second best disparity, not adjacent to the winner",
        lambda about: about.curves.first + about.curves.rival,
    ),
    "partner": Fact("column of the match in the right view", _partner),
    "cost": Fact(
        "matching cost of the winner", lambda about: about.curves.costs[about.curves.winner]
    ),
    "rival_cost": Fact(
        "matching cost of the second", lambda about: about.curves.costs[about.curves.rival]
    ),
    "costs": Fact(
        "matching costs of the whole picture",
        lambda about: spaced(about.grey.size * len(about.curves.costs)),
    ),
    "lowest_cost": Fact("lowest matching cost", lambda about: about.curves.costs.min()),
    "cheapest": Fact(
        "disparities of the lowest matching cost", lambda about: _listed(_cheapest(about))
    ),
    "ties": Fact(
        "number of disparities with the lowest matching cost", lambda about: len(_cheapest(about))
    ),
    "paths": Fact("paths summed", lambda about: len(about.curves.path_costs)),
    "path": Fact(
        "path cost of the winner on a path, from 1",
        lambda about, number: _path(about, number, about.curves.winner),
        ("NUMBER",),
    ),
    "rival_path": Fact(
        "path cost of the second on a path, from 1",
        lambda about, number: _path(about, number, about.curves.rival),
        ("NUMBER",),
    ),
    "sum": Fact("sum of the winner", lambda about: about.curves.sums[about.curves.winner]),
    "rival_sum": Fact("sum of the second", lambda about: about.curves.sums[about.curves.rival]),
    "margin": Fact(
        "margin of the winner's sum below the second's, in percent",
        lambda about: f"{about.curves.percent:.1f} %",
    ),
    "sum_below": Fact("sum one disparity below the winner", lambda about: _fit(about).sums[0]),
    "sum_above": Fact("sum one disparity above the winner", lambda about: _fit(about).sums[2]),
    "vertex": Fact(
        "disparity at the minimum of the fitted curve",
        lambda about: f"{about.curves.first + _fit(about).vertex[0]:.3f}",
    ),
    "disparity": Fact(
        "disparity in sixteenths, as a number of pixels", lambda about: written(about.curves.pixels)
    ),
    "smoothed": Fact("the same after the median", lambda about: written(about.verdict.pixels)),
    "right_winner": Fact("disparity that wins at the match in the right view", _right_winner),
    "rejected": Fact(
        "why the pixel is rejected", lambda about: about.verdict.rejected or "not rejected"
    ),
}
