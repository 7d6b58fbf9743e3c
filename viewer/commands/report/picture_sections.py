"""Make the report sections of pictures: pairs with a slider between them, and every view."""

from collections.abc import Mapping
from typing import Any

from wheatstone.viewer.commands.report.blocks import Gallery, PictureBlock, Section, SliderBlock

Content = Mapping[str, Any]


def _pictures(content: Content) -> dict[str, PictureBlock]:
    """List the pictures that were drawn, by name."""
    names = ("name", "title", "alt", "command", "width", "height")
    drawn = [one for one in content["pictures"] if "file" in one]
    return {one["name"]: PictureBlock(*(one[name] for name in names)) for one in drawn}


def before_after(content: Content) -> Section:
    """Make the section of pairs of pictures, each with a slider from one to the other."""
    found = _pictures(content)
    blocks = tuple(
        SliderBlock(one["title"], found[one["before"]], found[one["after"]])
        for one in content["sliders"]
        if {one["before"], one["after"]} <= found.keys()
    )
    text = ("Move the slider, or focus it and use the arrow keys.",)
    return Section("pictures", "Before and after", text, blocks)


def views(content: Content) -> Section:
    """Make the section with a picture of every view that has content of its own."""
    found = _pictures(content)
    shown = tuple(found[name] for name in content["views"] if name in found)
    caption = "Drawn by the program's own renderer, on the built-in scene."
    blocks = (Gallery(caption, shown),) if shown else ()
    return Section("views", "Views", tuple(_missing(content)), blocks)


def _missing(content: Content) -> list[str]:
    """List the reasons why pictures were not drawn, one sentence each."""
    reasons = {one["why"] for one in content["pictures"] if "why" in one}
    return [f"Not drawn here: {reason}" for reason in sorted(reasons)]
