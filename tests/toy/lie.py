"""A wrong result."""

from tests.toy.scores import scores
from wheatstone.gpu.pipeline import Array


def lie(left: Array, searched: Array, out: Array, template: tuple[int, int, int, int]) -> None:
    """Compute the scores, but one of them wrong: at row 2, column 5."""
    scores(left, searched, out, template)
    out[2, 5] += 0.25
