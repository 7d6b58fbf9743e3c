"""Conversion of untrusted text, such as file names, to safe text for terminals and documents.

A file's name is bytes. Python converts bytes that are not UTF-8 to lone surrogates, which cannot be
encoded: here they are shown as ``\\xff``.
"""

import re
import shlex
from collections.abc import Iterable, Sequence

LONGEST = 900  # characters of a message; a longer one hides what it says
LONGEST_LABEL = 100  # characters
KEPT = "\u00a0"
"""Invisible characters that are shown as they are: the non-breaking space."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTES = range(0xDC80, 0xDD00)  # surrogates that stand for a byte


def encodable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode by escapes, such as ``\\xff`` for a byte."""
    return _SURROGATE.sub(lambda match: _escaped(match[0]), text)


def one_line(text: object, longest: int = LONGEST) -> str:
    """Convert a message to one line that is safe for terminals.

    Control and other non-printing characters become escapes. A text longer than ``longest`` loses
    its middle, because file names and reasons are at its ends.
    """
    return cut(visible(cut(str(text), longest)), longest)


def label(text: str) -> str:
    """Convert an untrusted name to a short, one-line label whose characters are all visible."""
    return one_line(text, LONGEST_LABEL)


def visible(text: str, kept: str = KEPT) -> str:
    r"""Replace invisible characters of a text by escapes, such as ``\x1b`` for Escape.

    Args:
        kept: invisible characters that are not replaced.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else _escaped(c) for c in text)


def cut(text: str, longest: int) -> str:
    """Remove the middle of a text that is longer than ``longest`` characters."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    return f"{text[:head]} ... {text[len(text) - (longest - head - 5) :]}"


def some(names: Sequence[str], most: int = 10) -> str:
    """Join the first names of a list, with an ellipsis for the others."""
    return ", ".join([*names[:most], *["..."][: len(names) > most]])


def in_shell(words: Iterable[str]) -> str:
    """Format words as a shell command line that reproduces them, byte for byte."""
    return " ".join(shlex.quote(word) if word.isprintable() else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    """Quote a word with non-printing characters as ``$'\\377'``, for bash, zsh and ksh."""
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
