"""Search in the command palette: typing filters entries, keys select one, Enter runs it."""

from collections.abc import Sequence
from dataclasses import replace

from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.choices.file_choices import OPEN_PATH, choice_asking
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.reading.paths import expanded, paths_in
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry, entries
from wheatstone.viewer.panels.keys.palette.paths import (
    completed,
    folder_of,
    last_path_in,
    path_entries,
    typed_path,
)

PAGE = 8  # entries that PageUp and PageDown walk
BY_SYNONYM = 2.0  # how well a word fits that begins another word for the same
LOOSEST = 6  # letters at most that a fitting name has between the letters typed
STEPS = {"Up": -1, "Down": 1, "PageUp": -PAGE, "PageDown": PAGE}


def likeness(word: str, text: str) -> float:
    """Rate how well a word matches a text, both in lower case; 0 if it does not match."""
    if (place := f" {text}".find(f" {word}")) >= 0:
        return 4.0 - place / 1000
    if word in text:
        return 3.0
    place, gaps = -1, 0
    for letter in word:
        next_place = text.find(letter, place + 1)
        if next_place < 0:
            return 0.0
        gaps += next_place - place - 1 if place >= 0 else 0
        place = next_place
    return 1 / (1 + gaps) if gaps <= LOOSEST else 0.0


def matching(candidates: Sequence[PaletteEntry], query: str) -> list[PaletteEntry]:
    """Return the entries that match every word of a query, best first; all for an empty query."""
    words = query.lower().replace(":", " ").split()
    ranked = []
    for place, entry in enumerate(candidates):
        name, also = entry.name.lower().replace(":", " "), f" {entry.also}"
        each = [max(likeness(word, name), BY_SYNONYM * (f" {word}" in also)) for word in words]
        if all(each):
            ranked.append((-sum(each), place, entry))
    return [entry for *_, entry in sorted(ranked, key=lambda item: item[:2])]


def offered(state: ViewerState) -> list[PaletteEntry]:
    """Return the entries that the palette shows: matches, or the one that asks for a text."""
    palette = state.palette or Palette()
    every = entries(state)
    if files := choice_asking(palette.asks):
        return path_entries(palette, files, state.bounds) or [typed_path(palette, files)]
    if palette.asks:
        return [entry for entry in every if entry.name == palette.asks]
    return matching(every, palette.query)


def feed(state: ViewerState, event: Event) -> None:
    """Handle typed or pasted text and keys while the command palette is open."""
    pasted = event.kind == "key" and event.key == "Ctrl+V"
    if state.palette and (pasted or event.kind == "text"):
        palette = state.palette.typed(event.text)
        if choice_asking(palette.asks):
            palette = replace(palette, query=last_path_in(palette.query))
        state.palette = palette
    elif event.kind == "key":
        press(state, event.key)


def begin_path(state: ViewerState, event: Event) -> None:
    """Open a pasted path that exists; otherwise open the command palette to complete it."""
    paths = paths_in(event.text) if event.kind == "key" else ()
    known = [path for path in paths if state.bounds.holds(path) and expanded(path).exists()]
    if known and known == [*paths]:
        state.request("open", *paths)
    else:
        state.palette = Palette(event.text, asks=OPEN_PATH)


def press(state: ViewerState, key: str) -> None:
    """Handle a key while the command palette is open; most keys do nothing."""
    palette = state.palette
    if not palette:
        return
    if key in ("Esc", "Ctrl+Shift+P"):
        state.palette, state.rig = None, ""
    elif key == "Backspace":
        state.palette = palette.erased()
    elif key == "Ctrl+Backspace":
        state.palette = replace(palette, query="", chosen=0, marked=False)
    elif key == "Ctrl+A":
        state.palette = replace(palette, marked=bool(palette.query))
    elif key in ("Tab", "Ctrl+Enter") and choice_asking(palette.asks):
        _go_on(state, palette, key)
    elif key in STEPS:
        state.palette = palette.moved(STEPS[key], len(offered(state)))
    elif key == "Enter" and (listed := offered(state)):
        take(state, listed[min(palette.chosen, len(listed) - 1)])


def _go_on(state: ViewerState, palette: Palette, key: str) -> None:
    """Complete the typed path, or store the chosen file as the left view of a pair."""
    listed = offered(state)
    chosen = listed[min(palette.chosen, len(listed) - 1)]
    if key == "Tab":
        whole = completed(palette.query, state.bounds)
        state.palette = replace(palette, query=whole, chosen=0, marked=False)
    elif chosen.begin and not palette.first:
        folder = folder_of(palette.query)
        state.palette = replace(palette, query=folder, chosen=0, first=chosen.begin, marked=False)


def take(state: ViewerState, entry: PaletteEntry) -> None:
    """Run a palette entry, or let it ask for a text first, or report why it cannot run."""
    palette = state.palette or Palette()
    if entry.why_not:
        state.report_error(entry.why_not)
    elif entry.take and not palette.asks:
        state.palette = Palette(entry.begin, asks=entry.name)
    elif entry.take:
        state.palette = None
        if palette.query.strip():
            entry.take(state, palette.query)
    else:
        state.palette = None
        entry.run(state)
