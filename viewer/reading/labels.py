"""Words from outside as labels, which can neither break a line nor fill a page."""

from viewer.reading.visible import visible

LONGEST = 100  # characters of a label


def label(text: str) -> str:
    """Make a label of a text: all of it visible, on one line, and shortened."""
    found = visible(text)
    return found if len(found) <= LONGEST else f"{found[:LONGEST]}..."
