"""Draw the detected corners of a calibration board over the pictures."""

from collections.abc import Iterator

from wheatstone.viewer.display.picture.drawn_picture import DrawnPicture
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import number
from wheatstone.viewer.io.cameras.board_corners import Corners
from wheatstone.viewer.io.cameras.board_views import BoardView
from wheatstone.viewer.panels.marks import CASING, MarkedPane, clipped, place_of
from wheatstone.viewer.panels.panel import PanelContext

RADIUS = 4  # of a corner's ring, in units of an unscaled screen
FOUND = number("place")


def draw_corners(context: PanelContext, view: BoardView) -> None:
    """Draw the corners of a view in every pane that shows a picture as it was taken."""
    frame = context.session.frame_shown
    prefix = "raw_" if frame and frame.raw else ""
    for side, corners in (("left", view.left), ("right", view.right)):
        for pane in panes_of(context.session.display.drawn, f"{prefix}{side}"):
            with clipped(context, pane):
                _draw(context, pane, corners)


def panes_of(drawn: DrawnPicture, image: str) -> Iterator[MarkedPane]:
    """Yield the panes of a picture that show an image."""
    cells = zip(drawn.arrangement.cells, drawn.images, strict=True)
    for place, (cell, images) in enumerate(cells):
        names = (name.removeprefix("B ") for name in images)
        if not drawn.in_space(place) and image in names:
            box = cell.x, cell.y, cell.x + cell.width, cell.y + cell.height
            yield MarkedPane(place, box)


def _draw(context: PanelContext, pane: MarkedPane, corners: Corners) -> None:
    """Draw rings around corners, joined in the order of their numbers."""
    canvas, scale = imgui.get_background_draw_list(), context.scale
    places = [place_of(context, pane, row + 0.5, column + 0.5) for column, row in corners.places]
    for color, thick in ((CASING, 3 * scale), (FOUND, scale)):
        if len(places) > 1:
            canvas.add_polyline([imgui.ImVec2(*place) for place in places], color, thick, 0)
        for place in places:
            canvas.add_circle(place, RADIUS * scale, color, 0, thick)
