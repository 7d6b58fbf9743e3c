"""Suggest the known word that is most similar to an unknown one."""

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 80  # characters of a word that are looked at
LEAST = 0.5  # how alike words must be, from 0 to 1, as ``difflib`` counts


def nearest(word: str, known: Iterable[str], least: float = LEAST) -> str:
    """Return the known word most similar to another one, ignoring case; empty if none is."""
    by_letters = {name.casefold(): name for name in sorted(known)}
    found = get_close_matches(word[:LONGEST].casefold(), by_letters, 1, least)
    return by_letters[found[0]] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the known word most similar to another; empty if none is."""
    found = nearest(word, known)
    return f" (did you mean {found!r}?)" if found else ""
