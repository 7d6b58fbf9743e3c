"""Count the operations in the definition of each stage; see ``Stage.operations``.

Functions are named by their stage.
"""

from wheatstone.gpu.pipelines.ncc.params import NccParams


def template_statistics(params: NccParams, height: int, width: int) -> int:
    """Count a square per pixel of the template, and two sums."""
    _, _, columns, rows = params.template
    return 3 * columns * rows - 2


def correlation(params: NccParams, height: int, width: int) -> int:
    """Count two products per pixel of the window, three sums, and ten for the coefficient."""
    _, _, columns, rows = params.template
    return height * width * (5 * columns * rows - 3 + 10)


def find_peaks(params: NccParams, height: int, width: int) -> int:
    """Count the threshold, eight neighbours, and a search for the highest score per peak."""
    return height * width * (9 + params.peaks)
