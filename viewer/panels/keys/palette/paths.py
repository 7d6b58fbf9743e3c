"""Complete a partly typed path with the entries of its folder."""

import os
from dataclasses import replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path

from wheatstone.viewer.choices.bounds import EVERYWHERE, Bounds
from wheatstone.viewer.choices.dialogs import Palette
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.panels.keys.action import calling, requesting
from wheatstone.viewer.panels.keys.palette.entries import PaletteEntry

MOST = 2000  # entries of a folder that are listed
FOLDER_HELP = "Enter goes into this folder; Backspace comes back."

Listed = tuple[tuple[str, bool], ...]


def completions(text: str, bounds: Bounds = EVERYWHERE) -> Listed:
    """List the completions of a path: folders first, hidden names only if a dot was typed.

    Folders outside the bounds are treated as missing.

    Returns:
        Names within the folder that is typed already, and whether each is a folder; empty if
        there is no such folder.
    """
    begun = begin_of(text).casefold()
    found = _of(folder_of(text)) if bounds.holds(full(folder_of(text))) else ()
    hidden = begun.startswith(".")
    return tuple(
        (name, is_folder)
        for name, is_folder in found
        if name.casefold().startswith(begun) and (hidden or not name.startswith("."))
    )


def begun_anew(text: str) -> str:
    """Remove the text before a path that begins again: at the root, at home, or an address.

    So a whole path can be typed or pasted behind the folder that is offered.
    """
    address = text.find("://")  # such as rtsp://camera
    if address >= 0:
        return text[text.rfind("/", 0, address) + 1 :]
    text = text[text.rfind("//") + 1 :]
    return text[text.rfind("/~/") + 1 :]


def folder_of(text: str) -> str:
    """Return a path up to its last slash; empty for one without a slash."""
    return text[: text.rfind("/") + 1]


def begin_of(text: str) -> str:
    """Return the part of a path after its last slash: the name typed so far."""
    return text[text.rfind("/") + 1 :]


def completed(text: str, bounds: Bounds = EVERYWHERE) -> str:
    """Complete a path to the longest common prefix of its candidates."""
    found = [name + "/" * is_folder for name, is_folder in completions(text, bounds)]
    first, last = (min(found), max(found)) if found else ("", "")
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
    """List a folder, cached until it changes; names with unprintable characters are left out."""
    with os.scandir(path) as found:
        listed = [(entry.name, entry.is_dir()) for entry in islice(found, MOST)]
    names = [(name, folder) for name, folder in listed if name.isprintable()]
    return tuple(sorted(names, key=lambda entry: (not entry[1], entry[0].casefold())))


def full(text: str) -> str:
    """Return a path with the home folder in place of a tilde."""
    return str(expanded(text)) if text else "."


def path_entries(palette: Palette, bounds: Bounds = EVERYWHERE) -> list[PaletteEntry]:
    """List the completions of the typed path; choosing a folder continues inside it."""
    folder = folder_of(palette.query)
    found = [
        PaletteEntry(
            f"{name}/",
            FOLDER_HELP,
            calling(setattr, "palette", replace(palette, query=f"{folder}{name}/", chosen=0)),
        )
        if is_folder
        else _file(palette, folder, name)
        for name, is_folder in completions(palette.query, bounds)
    ]
    whole = full(folder)
    if folder and folder == palette.query and bounds.holds(whole) and os.path.isdir(whole):
        run = requesting("open", *filter(None, (palette.first, whole)))
        found.insert(0, PaletteEntry("./", "Opens this folder as a source.", run))
    return found


def _file(palette: Palette, folder: str, name: str) -> PaletteEntry:
    path = full(folder + name)
    if palette.first:
        help = f"Enter opens it as the right view beside {Path(palette.first).name}."
    else:
        help = "Enter opens it; Ctrl+Enter takes it as the left view, and asks for the right one."
    run = requesting("open", *filter(None, (palette.first, path)))
    return PaletteEntry(name, help, run, begin=path)
