"""``wheatstone report``: run a plan into a document, and make pages of the document."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.commands.report.document import NAME, Document, read
from wheatstone.viewer.commands.report.options import DEFAULT
from wheatstone.viewer.commands.report.pages import PLOTS, write_pages
from wheatstone.viewer.commands.report.picture_files import FOLDER, read_pictures, told
from wheatstone.viewer.commands.report.plan import as_typed, full, quick
from wheatstone.viewer.commands.report.sections import identity_told
from wheatstone.viewer.files.folders import own_folder
from wheatstone.viewer.files.output import remove_unfinished
from wheatstone.viewer.reading.plain_text import visible
from wheatstone.viewer.reading.typed_values import shown


def report(options: argparse.Namespace) -> int:
    """Make the report that a command line asks for; return the exit code."""
    if options.source:
        return _pages_of_earlier(options)
    from wheatstone.viewer.commands.report.measuring import run

    for path in options.data:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such folder or manifest; check the path")
    folder: Path = options.out or DEFAULT
    own_folder(folder, links=True)
    remove_unfinished((folder, folder / FOLDER, folder / PLOTS))
    document = Document(folder / NAME, as_typed(options.words), renew=options.renew)
    if document.note:
        say(document.note)
    if document.other_machine:
        say(f"{folder / NAME} is of another machine or program: everything is measured anew")
    plan = (quick if options.quick else full)(options.data)
    try:
        run(document, folder, plan)
    except KeyboardInterrupt:
        say(f"interrupted; the same command goes on from {folder / NAME}")
        raise
    if document.reused:
        say(f"{document.reused} parts were there before; --renew makes them anew")
    return _write_pages(document.content, folder, folder)


def _pages_of_earlier(options: argparse.Namespace) -> int:
    """Make the pages of an earlier report, without measuring; return the exit code."""
    content = read(options.source)
    if not content["complete"]:
        command = shown(visible(content["command"]))
        raise ValueError(f"{options.source}: incomplete; `{command}` goes on with it")
    folder = options.source.parent
    target = own_folder(options.out or folder, links=True)
    return _write_pages(content, folder, target)


def _write_pages(content: Mapping[str, Any], source: Path, target: Path) -> int:
    """Write the pages of a document; return the exit code, 1 if a result or a pair failed.

    Args:
        source: the folder that holds the document and its pictures.
    """
    pictures = read_pictures(content, source / FOLDER)
    for sentence in told(source / FOLDER, pictures):
        say(sentence)
    for path in write_pages(content, pictures, target):
        say(f"wrote {path}")
    say(in_short(content))
    failed = content["summary"]["different"] + sum(len(q["failed"]) for q in content["quality"])
    return 1 if failed else 0


def in_short(content: Mapping[str, Any]) -> str:
    """Sum a report up: how many results are right, which variants are fastest, what failed."""
    fastest = [f"{one['pipeline']} {one['fastest']}" for one in content["glance"] if one["fastest"]]
    wrong = len({one["pair"] for quality in content["quality"] for one in quality["failed"]})
    parts = [
        identity_told(content),
        f"fastest of these: {', '.join(dict.fromkeys(fastest))}" if fastest else "",
        f"{wrong} pair{'s'[: wrong > 1]} could not be judged" if wrong else "",
    ]
    return f"in short: {'; '.join(filter(None, parts))}"
