"""Check the first word of a command line, which is a verb, a pipeline, an option or a file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from wheatstone.gpu.likeness import nearest
from wheatstone.viewer.reading.plain_text import label

MARKS_OF_PATHS = "./\\:%"
"""Characters that occur in file names and addresses, but in no verb or pipeline."""

LEAST = 0.6  # how alike a name must be: most words that come first are names of files
ALMOST = 0.85  # how alike an option must be: a verb's own parser may know the word


def check_first(words: Sequence[str], known: Iterable[str], kind: str) -> None:
    """Raise an error for a first word that is not a file, but similar to a known name.

    Args:
        known: the names that the word may be.
        kind: the kind of such a name, for the message.

    Raises:
        ValueError: the word is misspelled; the message suggests the most similar name.
    """
    word, names = words[0] if words else "", list(known)
    alone = [name for name in names if name[:1] == "-" and list(words) == [word]]
    if word[:2] == "--" and (meant := nearest(word, alone, ALMOST)):
        raise ValueError(f"no such option '{label(word)}': did you mean {meant}?")
    if word in names or not _is_bare(word) or Path(word).exists():
        return
    if meant := nearest(word, names, LEAST):
        raise ValueError(f"no such file or {kind} '{label(word)}': did you mean {meant}?")


def _is_bare(word: str) -> bool:
    """Return whether a word could be a verb or pipeline: neither option, path nor address."""
    return bool(word) and word[0] != "-" and not set(word) & set(MARKS_OF_PATHS)
