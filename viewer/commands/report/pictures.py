"""Draw the pictures of a report by the program's own renderer."""

from pathlib import Path
from typing import Any

from gpu import Unavailable
from viewer.commands.messages import say
from viewer.commands.report.document import Document
from viewer.commands.report.plan import ReportPlan, as_typed
from viewer.commands.report.planned_pictures import PlannedPicture

FOLDER = "pictures"


def draw_all(document: Document, folder: Path, plan: ReportPlan) -> None:
    """Draw every picture of a plan that an earlier run did not draw.

    Raises:
        OSError: a file cannot be written.
    """
    found: dict[str, dict[str, Any]] = {}
    (folder / FOLDER).mkdir(exist_ok=True)
    both = [picture for one in plan.sliders for picture in (one.before, one.after)]
    for one in (*plan.views, *both):
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
    """Draw a picture unless it is there, and describe it for the document.

    The entry of a picture that cannot be drawn here says why.
    """
    file = f"{one.name}.png"
    words = [*one.words, "--out", file]
    before = document.find("pictures", as_typed(words))
    if before and (folder / FOLDER / before.get("file", "")).is_file():
        return before
    entry = {"name": one.name, "title": one.title, "alt": one.alt, "command": as_typed(words)}
    try:
        _render([*one.words, "--out", str(folder / FOLDER / file)])
    except Unavailable as error:
        say(f"{one.name} is not drawn: {error}")
        return entry | {"why": str(error)}
    from PIL import Image

    with Image.open(folder / FOLDER / file) as picture:
        return entry | {"file": file, "width": picture.width, "height": picture.height}


def _render(words: list[str]) -> None:
    """Run a command line of ``render``."""
    from viewer.commands.render import render
    from viewer.commands.view_options import parse_render

    render(parse_render(words[1:], ""))
