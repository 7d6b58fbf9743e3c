"""What a path that is being typed may become: the entries of its folder."""

import os
from functools import lru_cache
from itertools import islice, takewhile

from wheatstone.viewer.choices.bounds import EVERYWHERE, Bounds
from wheatstone.viewer.reading.paths import expanded

MOST = 2000  # entries of a folder that are listed

Listed = tuple[tuple[str, bool], ...]


def completions(text: str, bounds: Bounds = EVERYWHERE) -> Listed:
    """List what a path typed so far may be: folders first, names that begin with a dot if asked.

    Folders that the bounds leave out are as if there were none.

    Returns:
        Names within the folder that is typed already, and whether each is a folder; nothing if
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
    """Cut off what stands before a path that begins anew: at the root, at home, or an address.

    So a whole path can be typed or pasted behind the folder that is offered.
    """
    address = text.find("://")  # such as rtsp://camera
    if address >= 0:
        return text[text.rfind("/", 0, address) + 1 :]
    text = text[text.rfind("//") + 1 :]
    return text[text.rfind("/~/") + 1 :]


def folder_of(text: str) -> str:
    """Cut a path after its last slash; empty for one without a slash."""
    return text[: text.rfind("/") + 1]


def begin_of(text: str) -> str:
    """Cut the folder off a path: what is typed of a name so far."""
    return text[text.rfind("/") + 1 :]


def completed(text: str, bounds: Bounds = EVERYWHERE) -> str:
    """Write a path as far as all that it may become agree."""
    found = [name + "/" * is_folder for name, is_folder in completions(text, bounds)]
    first, last = (min(found), max(found)) if found else ("", "")
    agree = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    common, begun = "".join(letter for letter, _ in agree), begin_of(text)
    return folder_of(text) + (common if len(common) > len(begun) else begun)


def _of(folder: str) -> Listed:
    """List a folder as it is now."""
    path = full(folder)
    try:
        return _read(path, os.stat(path).st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _read(path: str, changed: int) -> Listed:
    """List a folder, for as long as it is not changed; what is not UTF-8 cannot be typed."""
    with os.scandir(path) as found:
        listed = [(entry.name, entry.is_dir()) for entry in islice(found, MOST)]
    names = [(name, folder) for name, folder in listed if name.isprintable()]
    return tuple(sorted(names, key=lambda entry: (not entry[1], entry[0].casefold())))


def full(text: str) -> str:
    """Write a path with the home folder in place of a tilde."""
    return str(expanded(text)) if text else "."
