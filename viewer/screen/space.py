"""Painter of 3D views into cells of a framebuffer: point clouds and their guides.

Import after OpenGL is bound.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from OpenGL import GL

from wheatstone.viewer.picture.layout import Cell
from wheatstone.viewer.picture.panes import CASING, CHOSEN, SEAMS, Cloud, Mix, Picture
from wheatstone.viewer.picture.space import Viewport
from wheatstone.viewer.screen.clouds import CloudPainter, Points
from wheatstone.viewer.screen.framebuffer import Framebuffer
from wheatstone.viewer.screen.guide_lines import GuideLines
from wheatstone.viewer.screen.opengl import on_cpu
from wheatstone.viewer.screen.painter import Box, part_of, within
from wheatstone.viewer.screen.texture import GLTexture

_RIMS = ((2, CASING), (1, CHOSEN))  # of a seam: pixels to both sides, colour


class Space:
    """Draws the 3D views of pictures.

    Attributes:
        software: whether the CPU draws, so that fewer points are drawn while the view moves.
    """

    def __init__(self, framebuffer: Framebuffer) -> None:
        self._framebuffer = framebuffer
        self._clouds, self._guides = CloudPainter(), GuideLines()
        self.software = on_cpu()

    def draw(self, picture: Picture, images: Mapping[str, GLTexture], viewport: Viewport) -> None:
        """Draw the cloud of a picture into a cell, and of a wipe's second picture beyond the seam.

        Args:
            images: the textures, by image name.
        """
        cell, bottom = viewport.cell, viewport.bottom
        mix = picture.mix if picture.second and picture.mix and picture.mix.way in SEAMS else None
        parts = (picture, picture.second) if mix else (picture,)
        for second, part in enumerate(parts):
            if part and part.cloud:
                with within(part_of(mix, cell, bottom, bool(second))):
                    self._draw_part(part, part.cloud, images, viewport)
        if mix:
            _draw_seam(mix, cell, bottom)

    def _draw_part(
        self, part: Picture, cloud: Cloud, images: Mapping[str, GLTexture], viewport: Viewport
    ) -> None:
        """Draw a cloud, its guides and its pin inside the scissor box."""
        points = Points(images[part.panes[0].image], images[cloud.color.image])
        height, width = points.disparities.shape[:2]
        scene = cloud.scene(part.panes[0], height, width)
        place = viewport.cell.x, viewport.bottom, viewport.cell.width, viewport.cell.height
        GL.glViewport(*place)
        with self._with_depths():
            self._clouds.draw(part, points, scene, viewport)
        if cloud.guides:
            self._guides.draw(scene, viewport)
            GL.glViewport(*place)
        if cloud.pin and cloud.pin[0] < height and cloud.pin[1] < width:
            self._clouds.mark(cloud.pin, viewport.text)

    @contextmanager
    def _with_depths(self) -> Iterator[None]:
        """Clear depths and texel numbers, and draw them with the colours in the block."""
        self._framebuffer.begin_space()
        try:
            self._framebuffer.clear_space()
            yield
        finally:
            self._framebuffer.end_space()

    def close(self) -> None:
        """Delete shader programs and textures."""
        self._clouds.close()
        self._guides.close()


def _draw_seam(mix: Mix, cell: Cell, bottom: int) -> None:
    """Draw the seam of a wipe as in 2D pictures."""
    x, y, width, height = part_of(mix, cell, bottom, True)
    for reach, color in _RIMS:
        box: Box = (x - reach, y, 2 * reach, height)
        if mix.way == "wipe-down":
            box = (x, y + height - reach, width, 2 * reach)
        with within(_shared(box, (cell.x, bottom, cell.width, cell.height))):
            GL.glClearColor(*(level / 255 for level in color), 1.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)


def _shared(one: Box, other: Box) -> Box:
    """Return the intersection of two boxes."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right = min(one[0] + one[2], other[0] + other[2])
    top = min(one[1] + one[3], other[1] + other[3])
    return left, bottom, max(right - left, 0), max(top - bottom, 0)
