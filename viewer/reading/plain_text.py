"""Text from outside, such as names of files, as text that a terminal or a document can hold.

A file's name is bytes. Python turns those that are no UTF-8 into lone surrogates, which no encoding
takes: here they are shown as ``\\xff``.
"""

import re
import shlex
from collections.abc import Iterable

LONGEST = 900  # characters of a message; a longer one hides what it says
LONGEST_LABEL = 100  # characters
KEPT = "\u00a0"
"""Characters without a mark of their own that are shown as they are: the space that keeps words."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTES = range(0xDC80, 0xDD00)  # surrogates that stand for a byte


def encodable(text: str) -> str:
    """Write what UTF-8 cannot hold as escapes: ``\\xff`` for a byte of a file's name."""
    return _SURROGATE.sub(lambda found: _escaped(found[0]), text)


def one_line(text: object, longest: int = LONGEST) -> str:
    """Write a message as one line that does nothing to a terminal but show.

    Control characters, and all that does not print, become escapes. What is longer than ``longest``
    loses its middle: names of files and what is wrong stand at the ends.
    """
    return cut(visible(cut(str(text), longest)), longest)


def label(text: str) -> str:
    """Write a name from outside as a label: short, and such that every character can be seen."""
    return one_line(text, LONGEST_LABEL)


def visible(text: str, kept: str = KEPT) -> str:
    r"""Spell out every character of a text that cannot be seen, such as ``\x1b`` for an escape.

    Args:
        kept: characters to leave as they are, though they cannot be seen.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else _escaped(c) for c in text)


def cut(text: str, longest: int) -> str:
    """Leave out the middle of a text that is longer than so many characters."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    return f"{text[:head]} ... {text[len(text) - (longest - head - 5) :]}"


def in_shell(words: Iterable[str]) -> str:
    """Write words as a line of the shell that gives them back, byte for byte."""
    return " ".join(shlex.quote(word) if word.isprintable() else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    """Quote a word that does not print as ``$'\\377'``, which bash, zsh and ksh read."""
    return f"$'{''.join(_in_quotes(character) for character in word)}'"


def _in_quotes(character: str) -> str:
    if character.isprintable():
        return f"\\{character}" if character in "\\'" else character
    code = ord(character)
    encoded = bytes([code - 0xDC00]) if code in _BYTES else character.encode(errors="surrogatepass")
    return "".join(f"\\{byte:03o}" for byte in encoded)  # never takes a digit that follows


def _escaped(character: str) -> str:
    code = ord(character)
    if code in _BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
