"""Show semi-global matching step by step: slices of its volumes, with a column per pixel."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.unfolding.asked import Asked, computed_until, copy_of
from wheatstone.gpu.analysis.unfolding.unfolded import NEVER, Boxes, Sheet, Unfolded, around, since
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.image import Image, Int32
from wheatstone.gpu.pipelines.sgm.params import SgmParams, is_full, largest_cost

AROUND = 4  # pixels from a pixel in work to the box around it
DOWN, ACROSS = {-1: "up", 0: "", 1: "down"}, {-1: "left", 0: "", 1: "right"}


def cost_slice(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of the matching costs in the requested pixel's row."""
    execution, row, first = computed_until(asked, "winner_takes_all"), asked.pixel[0], _first(asked)
    costs = execution.array("cost")[row].T.copy()
    chosen, width = copy_of(execution, "winner")[row], asked.width
    slice_ = _slice(asked, "cost", f"matching costs of row {row}", costs, chosen)
    view = _left(execution, lambda moment: ((0, row, moment, row), *_near(row, moment)))
    cheapest = costs.argmin(axis=0)

    def title(moment: int) -> str:
        """Describe a step of the slow motion: a pixel of the row, and its cheapest disparity."""
        best = int(cheapest[moment])
        return (
            f"row {row}, column {moment} of {width}: cheapest at disparity {first + best} "
            f"(cost {costs[best, moment]}); all paths together choose {first + chosen[moment]}"
        )

    return Unfolded(width, "pixel of the row", (view, slice_), title, stacked=True)


def aggregation(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of costs aggregated on a path through the requested pixel."""
    params, first = _params(asked), _first(asked)
    number = min(asked.path, params.paths_summed) - 1
    stage = "path_aggregation" if is_full(params) else "sparse_aggregation"
    execution = computed_until(asked, stage, number)
    rows, columns = _path(asked, params.directions[number])
    carried = execution.array("path_costs")[rows, columns].T.copy()
    own = execution.array("cost")[rows, columns].T.copy()
    best, named = carried.argmin(axis=0), _path_name(params, number)
    backwards = params.directions[number][0] < 0  # columns lie as in the view above
    slice_ = _slice(asked, "path_costs", f"costs along {named}", carried, best, backwards=backwards)
    track = np.full((asked.height, asked.width), NEVER, np.int32)
    track[rows, columns] = np.arange(rows.size)
    view = _left(execution, lambda moment: _near(int(rows[moment]), int(columns[moment])))

    def title(moment: int) -> str:
        """Describe a step of the slow motion: a pixel of the path, and its cheapest disparity."""
        d = int(best[moment])
        return (
            f"{named}, pixel {moment + 1} of {rows.size}: disparity {first + d} costs least, "
            f"{carried[d, moment]} ({own[d, moment]} its own)"
        )

    sheets = replace(view, marks=since(track)), slice_
    return Unfolded(rows.size, "pixel of the path", sheets, title, stacked=True)


def winner(asked: Asked) -> Unfolded:
    """Prepare a step-by-step display of the choice of disparities by path sums, row by row."""
    execution, first = computed_until(asked, "winner_takes_all"), _first(asked)
    sums, chosen = execution.array("sums"), copy_of(execution, "winner")
    height, width, disparities = sums.shape
    image = asked.pipeline.image("winner")
    rows = np.broadcast_to(np.arange(height, dtype=np.int32)[:, None], (height, width))
    result = Sheet(
        "index of the winner", image, chosen, rows, lambda row: (around(0, row, width, 1),)
    )
    slice_ = Sheet(
        _titled(asked, "sums of the current row"),
        _with_limits(asked, "sums"),
        lambda row: sums[row].T,
        marks=lambda row: _line(chosen[row], disparities) < NEVER,
    )

    def title(row: int) -> str:
        """Describe a step of the slow motion: the range of disparities chosen in a row."""
        disparity = chosen[row]
        return (
            f"row {row} of {height}: the smallest sum of each pixel is chosen, at disparities "
            f"{first + disparity.min()} to {first + disparity.max()}"
        )

    return Unfolded(height, "row", (slice_, result), title, stacked=True)


def _params(asked: Asked) -> SgmParams:
    assert isinstance(asked.params, SgmParams)
    return asked.params


def _first(asked: Asked) -> int:
    return _params(asked).min_disparity


def _path_name(params: SgmParams, number: int) -> str:
    """Return the displayed name of path ``number``, from 0: ``path 3 of 8, up and left``."""
    dx, dy = params.directions[number]
    way = " and ".join(filter(None, (DOWN[dy], ACROSS[dx])))
    kind = "sweep" if params.sweeps and dy else "path"
    return f"{kind} {number + 1} of {params.paths_summed}, {way}"


def _path(asked: Asked, way: tuple[int, int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List rows and columns of the path through the requested pixel, from border to border."""
    (row, column), (dx, dy) = asked.pixel, way
    reach = max(asked.height, asked.width)
    steps = np.arange(-reach, reach + 1)
    rows, columns = row + dy * steps, column + dx * steps
    inside = (rows >= 0) & (rows < asked.height) & (columns >= 0) & (columns < asked.width)
    return rows[inside], columns[inside]


def _left(execution: Execution, boxes: Callable[[int], Boxes]) -> Sheet:
    image = execution.pipeline.image("left")
    return Sheet("left view", image, copy_of(execution, "left"), boxes=boxes)


def _slice(
    asked: Asked,
    name: str,
    title: str,
    values: NDArray[Any],
    line: NDArray[Any],
    *,
    backwards: bool = False,
) -> Sheet:
    """Create the image of a slice through a cost volume, whose columns appear one by one.

    Args:
        name: name of the volume.
        values: (D, N) values of the volume.
        line: (N,) the index of the disparity that is marked in each column.
        backwards: whether columns appear from right to left.
    """
    height, count = values.shape
    way = slice(None, None, -1 if backwards else 1)
    times = np.arange(count, dtype=np.int32)[way]
    return Sheet(
        _titled(asked, title),
        _with_limits(asked, name),
        np.ascontiguousarray(values[:, way]),
        np.broadcast_to(times, values.shape),
        lambda moment: (around(int(times[moment]), 0, 1, height),),
        since(_line(line[way], height, times)),
    )


def _titled(asked: Asked, title: str) -> str:
    first = _first(asked)
    return f"{title}, disparities {first} to {first + _params(asked).disparities - 1} downwards"


def _with_limits(asked: Asked, name: str) -> Image:
    """Return the declaration of a cost volume with its displayed range of values."""
    return replace(asked.pipeline.image(name), limits=LIMITS[name], chosen_by=())


def _cost_limits(params: SgmParams) -> tuple[float, float]:
    return 0, max(largest_cost(params.cost, params.gradient), params.outside)


def _path_limits(params: SgmParams) -> tuple[float, float]:
    return 0, _cost_limits(params)[1] + max(params.p2, 3 * params.p1 // 2)


def _sum_limits(params: SgmParams) -> tuple[float, float]:
    return 0, params.paths_summed * _path_limits(params)[1]


LIMITS = {"cost": _cost_limits, "path_costs": _path_limits, "sums": _sum_limits}
"""Functions that return the smallest and the largest value of a volume, by its name."""


def _line(indices: NDArray[Any], height: int, times: Int32 | None = None) -> Int32:
    """Return the step at which each column's marked pixel appears, else ``NEVER``: (height, W).

    Args:
        times: the step at which each column appears; None: one after the other.
    """
    line = np.full((height, indices.size), NEVER, np.int32)
    columns = np.arange(indices.size, dtype=np.int32)
    line[indices, columns] = columns if times is None else times
    return line


def _near(row: int, column: int) -> Boxes:
    return ((column - AROUND, row - AROUND, column + AROUND, row + AROUND),)
