"""Store the path costs that an aggregation in bands of rows passes from band to band."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wheatstone.gpu.image import Array
from wheatstone.gpu.steps import Setup

DOWN = -1  # in place of a band's number: paths down need the newest band only


class HandedRows:
    """The path costs that pass from band to band: per direction, those of the row before a band.

    Those of the paths up come from a first pass, from the last band to the first; those of the
    paths down from a second one. The rows are allocated in the first frame.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int, int], Array] = {}  # by band and direction

    @staticmethod
    def shape(name: str, shape: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        """Return the shape of an image in an aggregation by bands: the declared one, unchanged."""
        return shape

    @staticmethod
    def itemsize(setup: Setup) -> int:
        """Return how many bytes store one path cost."""
        return np.dtype(setup.dtype("path_costs")).itemsize

    @classmethod
    def nbytes(cls, setup: Setup, count: int) -> int:
        """Compute the bytes of the path costs that bands of rows hand over to their neighbours."""
        params: Any = setup.params
        up, down = (sum(dy == sign for _, dy in params.directions) for sign in (-1, 1))
        row: int = setup.width * params.disparities * cls.itemsize(setup)
        return int(up * (count - 1) + down) * row

    def walk(
        self, path_costs: Array, dx: int, dy: int, band: int, compute: Callable[[Any], None]
    ) -> None:
        """Compute the path costs of a band in one direction, and store those of its last row.

        Args:
            path_costs: written by ``compute``; rows come first.
            band: its number, from the top.
            compute: takes the path costs of the row before; None: the image begins there.
        """
        before = {1: (DOWN, dx, dy) if band else None, -1: (band + 1, dx, dy)}.get(dy)
        compute(self._rows.get(before) if before else None)
        if dy > 0:
            self._keep((DOWN, dx, dy), path_costs[-1])
        elif dy < 0 and band:
            self._keep((band, dx, dy), path_costs[0])

    def _keep(self, key: tuple[int, int, int], row: Array) -> None:
        if key in self._rows:
            self._rows[key][...] = row
        else:
            self._rows[key] = row.copy()


class HandedDirections(HandedRows):
    """Aggregation of costs in bands of rows, one direction per call; same results as undivided.

    It takes the place of a stage that is called once for each direction.

    Attributes:
        go: writes L(p, d) of a band: takes its images, the (W, D) path costs of the row before it
            or None, its first row, and the rules.
    """

    go: Callable[..., None]

    def aggregate(
        self,
        left: Array,
        cost: Array,
        path_costs: Array,
        *rules: Any,
        band: int,
        first: int,
    ) -> None:
        """Write the path costs L(p, d) of a band in a direction, after the previous band's.

        Args:
            left: (H, W) grey levels of the whole image.
            cost, path_costs: (rows, W, D) of the band.
            rules: the parameters of ``path_aggregation``; dx, dy and sweep are the last.
            band: its number, from the top.
            first: its first row.
        """
        *_, dx, dy, _ = rules
        images = left, cost, path_costs
        self.walk(path_costs, dx, dy, band, lambda before: self.go(*images, before, first, *rules))

    def go_up(self, *images_and_rules: Any, band: int, first: int) -> None:
        """Aggregate a band after the band below it, if the path runs upwards.

        Arguments as for ``aggregate``.
        """
        if images_and_rules[-2] < 0:
            self.aggregate(*images_and_rules, band=band, first=first)
