"""Declare facts of lessons: their help, their function, and the words that they take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES

Tell = Callable[..., str]
"""Return a fact of a ``FactSubject``, from the words after its name; raises ``Unknown``."""


@dataclass(frozen=True)
class Fact:
    """A fact that texts of lessons can name.

    Attributes:
        help: a description for authors of lessons.
        tell: the function that computes it.
        takes: the kinds of its words, such as ``VARIANT``.
        runs: whether it runs the variants that it names, each on its own device.
    """

    help: str
    tell: Tell
    takes: tuple[str, ...] = ()
    runs: bool = False


def _known() -> Mapping[str, frozenset[str]]:
    """List the values that each kind of word may have."""
    every = list(PIPELINES.values())
    steps = {s.name for p in every for s in (*p.stages, *(f for v in p.variants for f in v.fused))}
    return {
        "VARIANT": frozenset(v.name for p in every for v in p.variants),
        "STAGE": frozenset(steps),
        "IMAGE": frozenset(image.name for p in every for image in p.images),
        "PARAMETER": frozenset(name for p in every for name in controls(p.params)),
        "SIDE": frozenset(("left", "right")),
    }


KNOWN = _known()
"""The values of each kind of word; a ``NUMBER`` is from 0 to 99, a ``LABEL`` is any word."""


def check_word(kind: str, word: str) -> None:
    """Raise ``ValueError`` unless a word is valid for its kind."""
    if kind == "NUMBER" and not (word.isascii() and word.isdecimal() and len(word) <= 2):
        raise ValueError(f"a whole number from 0 to 99 is wanted (got {word!r})")
    if kind in KNOWN and word not in KNOWN[kind]:
        raise ValueError(f"there is no {kind.lower()} {word!r}")
