"""Layout of the panels and the picture in a window, as pure arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wheatstone.viewer.panels.panel import Area, Panel

SIDE_WIDTH = 340  # of the panels left and right of the picture, in units of an unscaled screen
BELOW_HEIGHT = 220
FOOT_HEIGHT = 108
LARGEST_SHARE = 0.3  # of a window that one side may take
BESIDE_SHARE = 0.6  # of the picture's width that a panel beside it takes


@dataclass(frozen=True)
class Places:
    """The areas of a window: the picture's, and each panel's by its name."""

    picture: Area
    panels: dict[str, Area]


def arrange(panels: Sequence[Panel], width: int, height: int, scale: float) -> Places:
    """Lay out a window: a row of panels below, columns left and right, the picture in between.

    A panel with place ``beside`` takes most of the width that remains for the picture. Each panel
    with place ``foot`` takes the whole width at the bottom.

    Args:
        panels: the open ones, in their order of declaration.
        width, height: of the window without its status line, in pixels.
        scale: screen pixels per unscaled unit.
    """
    feet = [p for p in panels if p.place == "foot"]
    foot_height = min(round(FOOT_HEIGHT * scale), int(height * LARGEST_SHARE))
    height = max(height - foot_height * len(feet), 1)
    areas = {
        p.name: Area(0, height + number * foot_height, width, foot_height)
        for number, p in enumerate(feet)
    }
    sides = {side: [p for p in panels if p.place == side] for side in ("left", "right", "below")}
    side_width = min(round(SIDE_WIDTH * scale), int(width * LARGEST_SHARE))
    left, right = (side_width if sides[side] else 0 for side in ("left", "right"))
    below_height = (
        min(round(BELOW_HEIGHT * scale), int(height * LARGEST_SHARE)) if sides["below"] else 0
    )
    picture = Area(left, 0, max(width - left - right, 1), max(height - below_height, 1))
    for side, x, each in (("left", 0, left), ("right", width - right, right)):
        for p, (begin, length) in _lengths(sides[side], picture.height):
            areas[p.name] = Area(x, begin, each, length)
    for p, (begin, length) in _lengths(sides["below"], width):
        areas[p.name] = Area(begin, picture.height, length, below_height)
    if beside := [p for p in panels if p.place == "beside"]:
        taken = round(picture.width * BESIDE_SHARE)
        picture = replace(picture, width=max(picture.width - taken, 1))
        x = picture.x + picture.width
        for p, (begin, length) in _lengths(beside, picture.height):
            areas[p.name] = Area(x, begin, max(width - right - x, 1), length)
    return Places(picture, areas)


def lowered(places: Places, by: int) -> Places:
    """Move all areas of a window down by some pixels, to make room above them."""
    if not by:
        return places
    panels = {name: replace(area, y=area.y + by) for name, area in places.panels.items()}
    return Places(replace(places.picture, y=places.picture.y + by), panels)


def _lengths(panels: Sequence[Panel], length: int) -> list[tuple[Panel, tuple[int, int]]]:
    """Divide a side's length among its panels by their shares; return each begin and length."""
    total, placed, begin = sum(p.share for p in panels), [], 0
    for number, p in enumerate(panels, 1):
        end = round(length * sum(q.share for q in panels[:number]) / total)
        placed.append((p, (begin, end - begin)))
        begin = end
    return placed
