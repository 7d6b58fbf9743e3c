"""Declare how a pipeline is shown and measured: views, terms of a sum, work and sweeps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wheatstone.gpu.parameters import Params


def megapixels(params: Params, height: int, width: int) -> float:
    """Return the number of pixels of an image in millions."""
    return height * width / 1e6


@dataclass(frozen=True)
class Terms:
    """Declare the two parameters that select terms of a sum, to show the part of each term.

    Attributes:
        noun: the word for a term, in the singular.
        names: returns the names of the terms with given parameters, in their order, as short as a
            symbol.
        first, last: the parameters: numbers of the first and of the last term summed, from 1; one
            beyond the terms there are means the last.
    """

    noun: str
    names: Callable[[Any], tuple[str, ...]]
    first: str
    last: str

    def count(self, params: Params) -> int:
        """Return the number of terms with given parameters."""
        return len(self.names(params))

    def summed(self, params: Params) -> tuple[int, int]:
        """Return the numbers of the first and of the last term summed with given parameters."""
        count, values = self.count(params), params.values()
        return min(values[self.first], count), min(values[self.last], count)


@dataclass(frozen=True)
class View:
    """Declare one way to show a pipeline's images.

    Attributes:
        panes: images shown side by side, left to right.
        anaglyph: show the two panes on top of each other, the first red, the second cyan.
        wipe: show the second pane beyond a seam that the mouse moves, the first before it.
        row_lines: draw lines along rows over every pane, by which rows of two views are compared.
        overlay: an image drawn in one colour over every pane, where it is not 0; one of another
            pipeline with that one's name before it, such as ``canny.edges``.
        boxes: an (N, 4) int32 image of rectangles (x0, y0, x1, y1), both ends included, whose
            outlines are drawn over every pane; one with x1 < x0 is left out.
        region: the parameter whose rectangle is drawn over every pane and dragged with the mouse.
        cloud: show the only pane, a disparity, as a 3-D point cloud that can be turned.
        colors: images that may give the points of a cloud their colours, in addition to the pane;
            one that is not of the source is computed while it is used.
    """

    name: str
    panes: tuple[str, ...]
    help: str
    anaglyph: bool = False
    wipe: bool = False
    row_lines: bool = False
    overlay: str = ""
    boxes: str = ""
    region: str = ""
    cloud: bool = False
    colors: tuple[str, ...] = ()

    @property
    def one_cell(self) -> bool:
        """Return whether the view's two panes share one cell of the picture."""
        return self.anaglyph or self.wipe

    @property
    def images(self) -> tuple[str, ...]:
        """List every image the view shows, panes first."""
        return self.panes + tuple(name for name in (self.overlay, self.boxes) if name)


@dataclass(frozen=True)
class Work:
    """Declare the work of one frame, so that speeds at different sizes and parameters compare.

    Attributes:
        unit: unit of the work, such as ``Mpx``, millions of pixels.
        amount: how much of it a frame has with these parameters at this height and width.
    """

    unit: str = "Mpx"
    amount: Callable[[Any, int, int], float] = megapixels


def as_it_is(params: Params, value: Any) -> Any:
    """Return a place on an axis unchanged, as the parameter's value."""
    return value


@dataclass(frozen=True)
class Sweep:
    """Declare the parameter over which variants are timed and plotted.

    Attributes:
        label: of the axis, without ``unit``.
        places: on the axis, ascending.
        value: the parameter's value at a place, given the other parameters.
    """

    parameter: str
    label: str
    unit: str
    places: tuple[float, ...]
    value: Callable[[Any, Any], Any] = as_it_is

    def at(self, params: Params, place: float) -> Params:
        """Set the parameter to a place of the axis. Raises ``ValueError`` if out of bounds."""
        return params.adjusted(self.parameter, self.value(params, place))
