"""Text from outside, made fit to be shown: what would steer a terminal or a page is spelled out."""

KEPT = "\u00a0"
"""Characters without a mark of their own that are shown as they are: the space that keeps words."""


def visible(text: str, kept: str = KEPT) -> str:
    r"""Spell out every character of a text that cannot be seen, such as ``\x1b`` for an escape.

    Args:
        kept: characters to leave as they are, though they cannot be seen.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode()
