"""Completion of a partly typed path with the names in its folder."""

import os
from dataclasses import replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path

from wheatstone.viewer.choices.bounds import EVERYWHERE, Bounds
from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.choices.file_choices import FileChoice
from wheatstone.viewer.io.reading.paths import expanded, paths_in
from wheatstone.viewer.panels.keys.action import calling, requesting
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry

MOST = 2000  # entries of a folder that are listed
FOLDER_HELP = "Enter opens this folder; Backspace returns."

Listed = tuple[tuple[str, bool], ...]


def completions(text: str, bounds: Bounds = EVERYWHERE) -> Listed:
    """List the completions of a path, folders first; hidden names only after a typed dot.

    Folders outside the bounds are treated as missing.

    Returns:
        Names within the folder that is typed already, and whether each is a folder; empty if
        there is no such folder.
    """
    begun = begin_of(text).casefold()
    listed = _of(folder_of(text)) if bounds.holds(full(folder_of(text))) else ()
    hidden = begun.startswith(".")
    return tuple(
        (name, is_folder)
        for name, is_folder in listed
        if name.casefold().startswith(begun) and (hidden or not name.startswith("."))
    )


def last_path_in(text: str) -> str:
    """Return the end of a text from its last absolute path or address; else the whole text.

    So a whole path can be typed or pasted behind the folder that is offered.
    """
    address = text.find("://")  # such as rtsp://camera
    if address >= 0:
        return text[text.rfind("/", 0, address) + 1 :]
    text = text[text.rfind("//") + 1 :]
    return text[text.rfind("/~/") + 1 :]


def folder_of(text: str) -> str:
    """Return the folder part of a path, up to its last slash; empty for a path without a slash."""
    return text[: text.rfind("/") + 1]


def begin_of(text: str) -> str:
    """Return the part of a path after its last slash, which the user has typed so far."""
    return text[text.rfind("/") + 1 :]


def completed(text: str, bounds: Bounds = EVERYWHERE) -> str:
    """Complete a path to the longest common prefix of its completions."""
    candidates = [name + "/" * is_folder for name, is_folder in completions(text, bounds)]
    first, last = (min(candidates), max(candidates)) if candidates else ("", "")
    agree = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    common, begun = "".join(letter for letter, _ in agree), begin_of(text)
    return folder_of(text) + (common if len(common) > len(begun) else begun)


def _of(folder: str) -> Listed:
    path = full(folder)
    try:
        return _read(path, os.stat(path).st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Listed:
    """List a folder: names, and whether each is a folder.

    Names with unprintable characters are skipped. The result is cached until the folder changes.
    """
    with os.scandir(path) as entries:
        listed = [(entry.name, entry.is_dir()) for entry in islice(entries, MOST)]
    names = [(name, folder) for name, folder in listed if name.isprintable()]
    return tuple(sorted(names, key=lambda entry: (not entry[1], entry[0].casefold())))


def full(text: str) -> str:
    """Return a path with the home folder in place of a leading tilde."""
    return str(expanded(text)) if text else "."


def path_entries(
    palette: Palette, files: FileChoice, bounds: Bounds = EVERYWHERE
) -> list[PaletteEntry]:
    """List palette entries for completions of the typed path: suitable files, folders, others.

    Choosing a folder continues inside it; one whose whole name is typed is opened.
    """
    folder, listed = folder_of(palette.query), completions(palette.query, bounds)
    names = [name for name, is_folder in listed if not is_folder]
    if palette.first:  # no picture is its own right view
        left = Path(full(palette.first)).absolute()
        names = [name for name in names if Path(full(folder), name).absolute() != left]
    fitting = [name for name in names if files.suffixes and files.fits(name)]
    others = [name for name in names if name not in fitting]
    typed = palette.query.removeprefix(folder)
    named = files.folders and (typed, True) in listed
    folders = [
        _folder(palette, f"{name}/", f"{folder}{name}/")
        for name, each in listed
        if each and not (named and name == typed)
    ]
    begin, above = [_opened(palette, files, f"{typed}/")] if named else [], []
    whole = Path(full(folder)).absolute()
    if folder and not typed and bounds.holds(whole) and whole.is_dir():
        if files.folders:
            begin = [_opened(palette, files, "./")]
        if whole.parent != whole and bounds.holds(whole.parent):
            above = [_folder(palette, "../", f"{whole.parent}/".replace("//", "/"))]
    first, last = (
        [_file(palette, files, folder, name) for name in part] for part in (fitting, others)
    )
    return [*begin, *first, *above, *folders, *last]


def typed_path(palette: Palette, files: FileChoice) -> PaletteEntry:
    """Return the palette entry that uses a path as it was typed."""
    effect = *files.effect, *filter(None, (palette.first,))
    return PaletteEntry(
        files.asks, files.help, take=lambda state, text: state.request(*effect, *paths_in(text))
    )


def _opened(palette: Palette, files: FileChoice, name: str) -> PaletteEntry:
    """Return the palette entry that opens the typed folder as a source."""
    paths = filter(None, (palette.first, full(palette.query)))
    help = "Opens this folder as a source; Tab lists its files."
    return PaletteEntry(name, help, requesting(*files.effect, *paths))


def _folder(palette: Palette, name: str, query: str) -> PaletteEntry:
    inside = replace(palette, query=query, chosen=0)
    return PaletteEntry(name, FOLDER_HELP, calling(setattr, "palette", inside))


def _file(palette: Palette, files: FileChoice, folder: str, name: str) -> PaletteEntry:
    path, pairs = full(folder + name), files.effect == ("open",)
    if palette.first:
        help = f"A click or Enter opens it as the right view of {Path(palette.first).name}."
    elif pairs:
        help = "A click or Enter opens it; Ctrl+Enter chooses its right view first."
    else:
        help = files.help
    run = requesting(*files.effect, *filter(None, (palette.first, path)))
    return PaletteEntry(name, help, run, begin=path * pairs, quiet=not files.fits(name))
