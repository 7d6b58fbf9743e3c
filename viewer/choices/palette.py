"""What the user types into the palette, as plain data."""

from dataclasses import dataclass, replace
from typing import Self

LONGEST = 200  # characters


@dataclass(frozen=True)
class Palette:
    """The palette while it is open.

    Attributes:
        query: what was typed.
        chosen: number of the entry that Enter takes, among those that fit.
        asks: the name of the entry that wants a word or a number; empty while one is looked for.
    """

    query: str = ""
    chosen: int = 0
    asks: str = ""

    def typed(self, text: str) -> Self:
        """With more characters; those that cannot be shown are left out."""
        shown = "".join(character for character in text if character.isprintable())
        return replace(self, query=(self.query + shown)[:LONGEST], chosen=0)

    def erased(self) -> Self:
        """Without the last character."""
        return replace(self, query=self.query[:-1], chosen=0)

    def moved(self, steps: int, entries: int) -> Self:
        """With another entry chosen; after the last comes the first."""
        return replace(self, chosen=(self.chosen + steps) % max(entries, 1))
