"""A question that the window asks before an action, as plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question to the user: Enter means yes, Esc means no.

    Attributes:
        asks: the question, one line.
        about: its subjects, a line each.
        note: information for the user before answering.
        effect: the effect after a yes: a name in ``viewer.effects`` and its words.
    """

    asks: str
    about: tuple[str, ...]
    note: str
    effect: tuple[str, ...]
