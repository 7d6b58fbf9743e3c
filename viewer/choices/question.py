"""A question that the window asks before it does something: plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question that Enter answers by yes, and Esc by no.

    Attributes:
        asks: what is asked, one line.
        about: what it is about, a line each.
        note: what the user should know before answering.
        errand: what the program does after a yes: a name in ``viewer.errands`` and its words.
    """

    asks: str
    about: tuple[str, ...]
    note: str
    errand: tuple[str, ...]
