"""``wheatstone report``: run a plan into a document, and make pages of the document."""

import argparse
from pathlib import Path
from typing import Any

from viewer.commands.messages import say
from viewer.commands.report.document import NAME, Document, read
from viewer.commands.report.options import DEFAULT
from viewer.commands.report.pages import write_pages
from viewer.commands.report.pictures import FOLDER
from viewer.commands.report.plan import as_typed, full, quick


def report(options: argparse.Namespace) -> int:
    """Make the report that a command line asks for; return the exit code."""
    if options.source:
        return _pages_of_earlier(options)
    from viewer.commands.report.measuring import run

    for path in options.data:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such folder or manifest; check the path")
    folder: Path = options.out or DEFAULT
    folder.mkdir(exist_ok=True)
    document = Document(folder / NAME, as_typed(options.words), renew=options.renew)
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
        raise ValueError(f"{options.source}: incomplete; `{content['command']}` goes on with it")
    target: Path = options.out or options.source.parent
    target.mkdir(exist_ok=True)
    folder = options.source.parent
    return _write_pages(_with_pictures(content, folder), folder, target)


def _with_pictures(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Copy a document without the pictures that do not lie beside it, and say so."""
    pictures = content["pictures"]
    kept = [p for p in pictures if "file" not in p or (folder / FOLDER / p["file"]).is_file()]
    if gone := len(pictures) - len(kept):
        say(f"{gone} pictures do not lie in {folder / FOLDER}: the pages go without them")
    return content | {"pictures": kept}


def _write_pages(content: dict[str, Any], source: Path, target: Path) -> int:
    """Write the pages of a document; return the exit code, 1 if a result or a pair failed."""
    for path in write_pages(content, source, target):
        say(f"wrote {path}")
    failed = content["summary"]["different"] + sum(len(q["failed"]) for q in content["quality"])
    return 1 if failed else 0
