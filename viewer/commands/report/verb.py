"""``report``: run the plan into a document, and make pages of the document."""

import argparse
import sys
from pathlib import Path
from typing import Any

from viewer.commands.report.document import NAME, Document, read
from viewer.commands.report.options import DEFAULT
from viewer.commands.report.pages import write_pages
from viewer.commands.report.pictures import FOLDER
from viewer.commands.report.plan import full, quick, spoken


def report(options: argparse.Namespace) -> int:
    """Make the report that a command line asks for; returns the exit code."""
    if options.source:
        return _rendered(options)
    from viewer.commands.report.measuring import run

    for path in options.data:
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such folder or manifest; check the path")
    folder: Path = options.out or DEFAULT
    folder.mkdir(exist_ok=True)
    document = Document(folder / NAME, spoken(options.words), renew=options.renew)
    if document.other_machine:
        _say(f"{folder / NAME} is of another machine or program: everything is measured anew")
    plan = (quick if options.quick else full)(options.data)
    try:
        run(document, folder, plan)
    except KeyboardInterrupt:
        _say(f"interrupted; the same command goes on from {folder / NAME}")
        raise
    if document.reused:
        _say(f"{document.reused} parts were there before; --renew makes them anew")
    return _written(document.content, folder, folder)


def _rendered(options: argparse.Namespace) -> int:
    content = read(options.source)
    if not content["complete"]:
        raise ValueError(f"{options.source}: incomplete; `{content['command']}` goes on with it")
    target: Path = options.out or options.source.parent
    target.mkdir(exist_ok=True)
    return _written(_with_pictures(content, options.source.parent), options.source.parent, target)


def _with_pictures(content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Copy a document without the pictures that do not lie beside it, and say so."""
    pictures = content["pictures"]
    kept = [p for p in pictures if "file" not in p or (folder / FOLDER / p["file"]).is_file()]
    if gone := len(pictures) - len(kept):
        _say(f"{gone} pictures do not lie in {folder / FOLDER}: the pages go without them")
    return content | {"pictures": kept}


def _written(content: dict[str, Any], source: Path, target: Path) -> int:
    for path in write_pages(content, source, target):
        _say(f"wrote {path}")
    failed = content["summary"]["different"] + sum(len(q["failed"]) for q in content["quality"])
    return 1 if failed else 0


def _say(text: str) -> None:
    print(f"wheatstone: {text}", file=sys.stderr)
