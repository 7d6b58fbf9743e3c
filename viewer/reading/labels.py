"""Words from outside as labels: what is shown of them can neither break a line nor hide itself."""

LONGEST = 100  # characters of a label
UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Put what cannot be printed on one line, such as control characters, as a mark or a space."""
    if text.isprintable():
        return text
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    return letter if letter.isprintable() else " " if letter.isspace() else UNPRINTABLE


def label(text: str) -> str:
    """Make a label of a text: printable, and shortened."""
    found = printable(text)
    return found if len(found) <= LONGEST else f"{found[:LONGEST]}..."
