"""Dialogs of the window as plain data: questions, command palette, tour, recent sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from wheatstone.viewer.findings import Button, Effect
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.words import spoken


@dataclass(frozen=True)
class Recent:
    """A source in the list of those that were shown before, to open it again.

    Attributes:
        spec: opens the source again.
        thumbnail: a small PNG of its left view; None if it has none.
        seal: shows that this user's program wrote the entry; see ``viewer.settings.trust``.
    """

    title: str
    spec: SourceSpec
    thumbnail: Path | None
    seal: str = ""

    @property
    def options(self) -> str:
        """Describe the options that open the source, such as "calibration rig.toml", if any."""
        known = self.spec.to_dict()
        named = {name: known[name] for name in known if name not in PATHS}
        return ", ".join(f"{spoken(name)} {_short(value)}" for name, value in named.items())


PATHS = ("left", "right", "calibration_sha256")
"""The fields of a source that the title and the place of a recent one stand for."""


def _short(value: object) -> str:
    """Format the value of a source option; of a path, only the file's name."""
    return label(Path(value).name) if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Tour:
    """The guided tour in progress: the step shown, and the settings to restore at its end.

    Attributes:
        before: all settings as they were when it began; its end restores them.
        step: which of its steps is shown, from 0.
    """

    before: Mapping[str, Any]
    step: int = 0


LONGEST = 1000  # characters


@dataclass(frozen=True)
class Palette:
    """The open command palette (search of commands): the typed query, and the selected entry.

    Attributes:
        chosen: number of the entry that Enter takes, among those that match the query.
        asks: name of the entry whose word or number is being typed; empty while the user searches.
        first: the path of the left view, while that of the right one is being typed.
        marked: whether all the text is marked; the next text typed replaces it.
    """

    query: str = ""
    chosen: int = 0
    asks: str = ""
    first: str = ""
    marked: bool = False

    def typed(self, text: str) -> Self:
        """Copy the command palette with text added to the query, without unprintable characters."""
        shown = "".join(character for character in text if character.isprintable())
        before = "" if self.marked else self.query
        return replace(self, query=(before + shown)[:LONGEST], chosen=0, marked=False)

    def erased(self) -> Self:
        """Copy the command palette without the query's last character, or all of it if marked."""
        kept = "" if self.marked else self.query[:-1]
        return replace(self, query=kept, chosen=0, marked=False)

    def moved(self, steps: int, entries: int) -> Self:
        """Copy the command palette with the selection moved by some steps, cyclically."""
        return replace(self, chosen=(self.chosen + steps) % max(entries, 1))


@dataclass(frozen=True)
class Question:
    """A question to the user in the window, answered yes by Enter and no by Esc.

    Attributes:
        about: its subjects, a line each.
        effect: the effect after a yes: a name in ``viewer.window.effects`` and its words.
        yes: the text of the button for it.
        others: other answers than yes and no.
        no: the text of the button for a no.
        code: the rows of a QR code, with ``#`` where it is dark; empty: none is shown.
    """

    asks: str
    about: tuple[str, ...]
    note: str
    effect: Effect
    yes: str = "Open"
    others: tuple[Button, ...] = ()
    code: tuple[str, ...] = ()
    no: str = "Leave it"
