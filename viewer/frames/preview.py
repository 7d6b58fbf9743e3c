"""A preview: the left view of a frame until its first result is available."""

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.footage.planes import AnyView, Planes
from wheatstone.viewer.picture.panes import Pane, Picture
from wheatstone.viewer.screen.display import Display
from wheatstone.viewer.sources.frame import Frame, Pixels

TEXTURE = "left view, as taken"  # no image has this name


class Preview:
    """Makes a picture of a frame's left view; an OpenGL context must be current.

    The original view is shown, and only the brightness of a decoded video: rectifying it or
    converting its colours would delay the preview.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._frame: Frame | None = None
        self._colored = False

    def picture(self, frame: Frame, state: ViewerState) -> Picture:
        """Make the picture, with the state's zoom and centre."""
        if frame is not self._frame:
            pixels = _at_once(frame.taken[0])
            self._display.upload_image(TEXTURE, pixels)
            self._frame, self._colored = frame, pixels.ndim > 2
        pane = Pane(TEXTURE, colored=self._colored)
        return Picture((pane,), zoom=state.zoom, center=state.center)

    def close(self) -> None:
        """Release the texture."""
        if self._frame:
            self._display.remove(TEXTURE)
            self._frame = None


def _at_once(view: AnyView) -> Pixels:
    """Return the pixels of a view that need no computation."""
    return view.host[0] if isinstance(view, Planes) else view
