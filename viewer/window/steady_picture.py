"""Keep the image at its place in the window when panels are opened or closed."""

from wheatstone.viewer.choices.state import LARGEST_ZOOM, SMALLEST_ZOOM
from wheatstone.viewer.choices.zooming import fit_unmoved
from wheatstone.viewer.display.picture.layout import holding
from wheatstone.viewer.panels.panel import Area, PanelContext


def hold_picture(context: PanelContext, area: Area, *, steady: bool) -> None:
    """Set zoom and centre for a new area, so that a picture moved by the user stays in place.

    The image point under the cursor stays there; without one, that in the middle. A picture that
    the user neither zoomed nor moved is fitted, unless it is ``steady`` and under the cursor.
    A zoom or centre that was chosen since the last frame, or that a lesson chooses, is kept.

    Args:
        area: the new area; the context holds the old one.
        steady: whether only one panel was opened or closed.
    """
    session, state, old = context.session, context.state, context.area
    drawn = session.display.drawn
    if area == old or state.lesson or not drawn.picture.panes or drawn.in_space(0):
        return
    if (state.zoom, state.center) != (drawn.picture.zoom, drawn.picture.center):
        return
    x, y = context.cursor or (0.0, 0.0)
    points = context.hit is not None and area.holds(x, y)
    fits = state.fits
    if fits and not (steady and points and len(drawn.arrangement.cells) == 1):
        return fit_unmoved(state)
    if not points:
        cell = drawn.arrangement.cells[0]
        x, y = old.x + cell.x + cell.width / 2, old.y + cell.y + cell.height / 2
    hit = drawn.hit(x - old.x, y - old.y)
    if not hit:
        return
    new = session.display.rearranged(area.width, area.height)
    at = x - area.x, y - area.y
    under = new.hit(*at)
    panes = hit.pane, under.pane if under else hit.pane
    if new.sizes[panes[1]] != drawn.arrangement.sizes[panes[0]]:
        return
    zoom, center = holding(drawn.arrangement, new, panes, (hit.row, hit.column), at)
    state.zoom = min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)
    state.look_at(*center)
    if fits:
        state.held = state.zoom, state.center
