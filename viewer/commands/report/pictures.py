"""Draw the pictures of a report with the program's own renderer."""

from pathlib import Path
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.commands.report.document import Document
from wheatstone.viewer.commands.report.picture_files import FOLDER, file_name, read_picture
from wheatstone.viewer.commands.report.plan import ReportPlan, as_typed
from wheatstone.viewer.commands.report.planned_pictures import PlannedPicture
from wheatstone.viewer.files.folders import own_folder


def draw_all(document: Document, folder: Path, plan: ReportPlan) -> None:
    """Draw every picture of a plan that an earlier run did not draw.

    Raises:
        OSError: a file cannot be written.
    """
    found: dict[str, dict[str, Any]] = {}
    own_folder(folder / FOLDER)
    for one in plan.pictures:
        if one.name not in found:
            found[one.name] = _picture(document, folder, one)
            document.content["pictures"] = list(found.values())
            document.save()
    document.content["views"] = [view.name for view in plan.views]
    document.content["sliders"] = [
        {"title": one.title, "before": one.before.name, "after": one.after.name}
        for one in plan.sliders
    ]


def _picture(document: Document, folder: Path, one: PlannedPicture) -> dict[str, Any]:
    """Draw a picture unless it exists, and describe it for the document.

    The entry of a picture that cannot be drawn here gives the reason.
    """
    file = file_name(one.name)
    path, words = folder / FOLDER / file, [*one.words, "--out", file]
    entry = {"name": one.name, "title": one.title, "alt": one.alt, "command": as_typed(words)}
    before = document.find("pictures", as_typed(words))
    if not before or "file" not in before or not _is_picture(path):
        try:
            _render([*one.words, "--out", str(path)])
        except Unavailable as error:
            say(f"{one.name} is not drawn: {error}")
            return entry | {"why": str(error)}
    picture = read_picture(path)
    return entry | {"file": file, "width": picture.width, "height": picture.height}


def _is_picture(path: Path) -> bool:
    """Return whether a path holds a picture that can be shown."""
    try:
        read_picture(path)
    except (OSError, ValueError):
        return False
    return True


def _render(words: list[str]) -> None:
    """Run a command line of ``render``."""
    from wheatstone.viewer.commands.view_options import parse_render

    from wheatstone.viewer.commands.render import render

    render(parse_render(words[1:], ""))
