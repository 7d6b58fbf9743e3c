"""How a fact is declared: what it tells, and which words name what it is about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES

Tell = Callable[..., str]
"""Tells a fact of a ``Subject``, from the words behind its name; raises ``Unknown``."""


@dataclass(frozen=True)
class Fact:
    """A fact that texts of lessons can name.

    Attributes:
        help: what it is, for those who write lessons.
        tell: finds it out.
        takes: what its words are, such as ``VARIANT``.
        runs: whether it runs the variants that it names, each on its own device.
    """

    help: str
    tell: Tell
    takes: tuple[str, ...] = ()
    runs: bool = False


def _known() -> Mapping[str, frozenset[str]]:
    """List the words that each kind of word may be."""
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
"""The words that each kind of word may be; a ``NUMBER`` is from 0 to 99, a ``LABEL`` anything."""


def check_word(kind: str, word: str) -> None:
    """Raise ``ValueError`` unless a word is of a kind."""
    if kind == "NUMBER" and not (word.isascii() and word.isdecimal() and len(word) <= 2):
        raise ValueError(f"a whole number from 0 to 99 is wanted (got {word!r})")
    if kind in KNOWN and word not in KNOWN[kind]:
        raise ValueError(f"there is no {kind.lower()} {word!r}")
