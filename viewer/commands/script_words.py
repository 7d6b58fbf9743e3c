"""Check the words of scripts that name keys or picture files."""

from functools import cache
from itertools import product
from pathlib import Path

from wheatstone.gpu.likeness import did_you_mean
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.keys.actions import actions
from wheatstone.viewer.reading.plain_text import cut
from wheatstone.viewer.settings.screenshot import check_png

MODIFIERS = ("", "Shift+", "Ctrl+", "Ctrl+Shift+")
EDITING = (
    *("Enter", "Tab", "Backspace", "Delete", "Insert", "Left", "Right", "Up", "Down"),
    *("Home", "End", "PageUp", "PageDown"),
)
"""Keys that text fields and lists accept, with or without modifiers."""
LONGEST = 80  # characters of a word in a message


@cache
def known_keys() -> frozenset[str]:
    """Return the keys with a function in any pipeline, in the palette or in text fields."""
    pressed = {k for p in PIPELINES.values() for action in actions(p) for k in action.keys}
    editing = {"".join(parts) for parts in product(MODIFIERS, EDITING)}
    return frozenset(pressed | editing | {f"Ctrl+{letter}" for letter in "ACVXZ"})


def check_key(word: str) -> None:
    """Raise ``ValueError``, which suggests a similar key, unless a word names a key."""
    if word not in known_keys():
        said = f"no key is called {cut(repr(word), LONGEST)}{did_you_mean(word, known_keys())}"
        raise ValueError(f"{said}; docs/keys.md lists them")


def check_shot(word: str) -> None:
    """Raise ``ValueError`` unless a word names a PNG file in the folder where the script is played.

    Subfolders are allowed.
    """
    path = Path(word)
    check_png(Path(cut(word, LONGEST)))
    if path.is_absolute() or ".." in path.parts:
        said = cut(repr(word), LONGEST)
        raise ValueError(f"a shot goes into the folder where the script is played (got {said})")
