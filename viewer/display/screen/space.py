"""Painter of 3D views into rectangles of a framebuffer: point clouds and their guides."""

from collections.abc import Mapping

import numpy as np
from OpenGL import GL

from wheatstone.viewer.colormaps import ROWS
from wheatstone.viewer.display.picture.layout import Cell
from wheatstone.viewer.display.picture.panes import CASING, CHOSEN, SEAMS, Cloud, Mix, Pane, Picture
from wheatstone.viewer.display.picture.space import CLOSEST, CloudScene, Viewport
from wheatstone.viewer.display.screen.framebuffer import Framebuffer
from wheatstone.viewer.display.screen.guide_lines import GuideLines
from wheatstone.viewer.display.screen.opengl import on_cpu
from wheatstone.viewer.display.screen.painter import Box, part_of, within
from wheatstone.viewer.display.screen.program import ShaderProgram
from wheatstone.viewer.display.screen.texture import COLOR, SIGNED, GLTexture

_DISPARITIES, _UNSIGNED, _SIGNED, _PALETTE = 1, 0, 4, 6  # texture units; the last is the painter's
_CORNERS = 6  # vertices of the mesh between four texels
_LARGEST = 64  # side of a point in texels' sizes at most
_MARK = 1.6  # side of a mark, in sizes of text
_RIMS = ((2, CASING), (1, CHOSEN))  # of a seam: pixels to both sides, colour


class CloudPainter:
    """A renderer of point clouds into the bound framebuffer, with depths and texel numbers."""

    def __init__(self) -> None:
        self._program = program = ShaderProgram("cloud.vert", "cloud.frag")
        program.use()
        program.set_all(disparities=_DISPARITIES, palette=_PALETTE)
        program.set_all(unsigned_colors=_UNSIGNED, signed_colors=_SIGNED)

    def draw(
        self,
        picture: Picture,
        images: Mapping[str, GLTexture],
        scene: CloudScene,
        viewport: Viewport,
    ) -> None:
        """Draw a picture's point cloud or mesh; a mesh with skipped points is drawn as points."""
        cloud, pane, stride = picture.cloud, picture.panes[0], viewport.stride
        assert cloud
        disparities = images[pane.image]
        height, width = disparities.shape[:2]
        self._program.use()
        self._set_places(scene, viewport)
        self._set_disparities(pane, disparities, scene)
        self._set_colors(cloud.color, images[cloud.color.image])
        # Points outside the region are dimmed.
        self._program.set("region", picture.region or (0, 0, 0, 0))
        mesh, jump = cloud.surface == "mesh" and stride == 1, round(cloud.jump / pane.scale)
        self._program.set_all(stride=stride, mesh=mesh, jump=jump, marker=0)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glEnable(GL.GL_PROGRAM_POINT_SIZE)
        if mesh:
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, _CORNERS * (width - 1) * (height - 1))
        else:
            GL.glDrawArrays(GL.GL_POINTS, 0, -(-width // stride) * -(-height // stride))
        GL.glDisable(GL.GL_DEPTH_TEST)

    def mark(self, pixel: tuple[int, int], size: int) -> None:
        """Draw a ring around a pixel's point in the cloud drawn last, even if it is hidden.

        Args:
            pixel: row and column.
            size: text size in pixels.
        """
        row, column = pixel
        self._program.use()
        self._program.set_all(stride=1, mesh=False, marker=round(_MARK * size))
        GL.glEnablei(GL.GL_BLEND, 0)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ZERO, GL.GL_ONE)
        GL.glColorMaski(1, False, False, False, False)  # a mark has no number of a texel
        GL.glDrawArrays(GL.GL_POINTS, row * self._columns + column, 1)
        GL.glColorMaski(1, True, True, True, True)
        GL.glDisablei(GL.GL_BLEND, 0)

    def _set_places(self, scene: CloudScene, viewport: Viewport) -> None:
        program, known, cell = self._program, scene.calibration, viewport.cell
        scale = viewport.axes(scene.size)[1].scale
        self._columns = scene.size[1]
        program.set_all(clip=scene.clip(viewport), turned=scene.turned, columns=self._columns)
        program.set_all(focal=known.focal, pivot=scene.pivot, closest=CLOSEST * scene.pivot)
        program.set_all(principal_x=known.principal[0], principal_y=known.principal[1])
        program.set_all(pane_width=float(cell.width), pane_height=float(cell.height))
        program.set_all(pixels=scale, largest=max(round(_LARGEST * scale), 1))

    def _set_disparities(self, pane: Pane, texture: GLTexture, scene: CloudScene) -> None:
        program, known = self._program, scene.calibration
        texture.bind(_DISPARITIES)
        program.set_all(has_invalid=pane.invalid is not None, invalid=int(pane.invalid or 0))
        program.set_all(scale=float(pane.scale), offset=float(known.offset))
        program.set("depth_one", float(known.baseline * known.focal))

    def _set_colors(self, pane: Pane, texture: GLTexture) -> None:
        program, (low, entries) = self._program, pane.ramp
        texture.bind(_SIGNED if texture.kind == SIGNED else _UNSIGNED)
        plain = pane.colormap is None and pane.invalid is None
        photo = plain and texture.dtype == np.uint8
        program.set_all(color_kind=texture.kind, photo=texture.kind == COLOR or photo)
        program.set_all(color_low=low, color_entries=entries)
        program.set_all(
            color_has_invalid=pane.invalid is not None, color_invalid=int(pane.invalid or 0)
        )
        program.set("colormap", ROWS.index(pane.colormap or "grey"))

    def close(self) -> None:
        self._program.close()


class Space:
    """A renderer of the 3D views of pictures into rectangles of a framebuffer."""

    def __init__(self, framebuffer: Framebuffer) -> None:
        self._framebuffer = framebuffer
        self._clouds, self._guides = CloudPainter(), GuideLines()
        self.software = on_cpu()

    def draw(self, picture: Picture, images: Mapping[str, GLTexture], viewport: Viewport) -> None:
        """Draw a picture's point cloud into a rectangle; in a wipe also the second picture's."""
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
        height, width = images[part.panes[0].image].shape[:2]
        scene = cloud.scene(part.panes[0], height, width)
        place = viewport.cell.x, viewport.bottom, viewport.cell.width, viewport.cell.height
        GL.glViewport(*place)
        with self._framebuffer.space():
            self._clouds.draw(part, images, scene, viewport)
        if cloud.guides:
            self._guides.draw(scene, viewport)
            GL.glViewport(*place)
        if cloud.pin and cloud.pin[0] < height and cloud.pin[1] < width:
            self._clouds.mark(cloud.pin, viewport.text)

    def close(self) -> None:
        self._clouds.close()
        self._guides.close()


def _draw_seam(mix: Mix, cell: Cell, bottom: int) -> None:
    x, y, width, height = part_of(mix, cell, bottom, True)
    for reach, color in _RIMS:
        box: Box = (x - reach, y, 2 * reach, height)
        if mix.way == "wipe-down":
            box = (x, y + height - reach, width, 2 * reach)
        with within(_shared(box, (cell.x, bottom, cell.width, cell.height))):
            GL.glClearColor(*(level / 255 for level in color), 1.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)


def _shared(one: Box, other: Box) -> Box:
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    right = min(one[0] + one[2], other[0] + other[2])
    top = min(one[1] + one[3], other[1] + other[3])
    return left, bottom, max(right - left, 0), max(top - bottom, 0)
