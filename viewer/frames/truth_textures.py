"""Textures of ground truth: each is filled once for a frame and a choice."""

from typing import TYPE_CHECKING

from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.picture.truth import TEXTURE, truth_texels
from wheatstone.viewer.sources.frame import Frame

if TYPE_CHECKING:  # they know of truth themselves
    from wheatstone.viewer.picture.shown import Shown
    from wheatstone.viewer.screen.display import Display


class TruthTextures:
    """The textures of ground truth: each is filled once for a frame and a choice."""

    def __init__(self, display: "Display") -> None:
        self._display = display
        self._filled: dict[str, tuple[Frame, TruthChoice, float]] = {}

    def show(self, shown: "Shown", frame: Frame) -> None:
        """Upload the ground truth to the texture of a view, if the view shows it."""
        if not shown.judged:
            return
        pipeline, texture = shown.slot.pipeline, shown.texture(TEXTURE)
        scale = pipeline.image(pipeline.output).scale
        known = self._filled.get(texture)
        if not known or known[0] is not frame or known[1:] != (shown.judged, scale):
            self._display.upload_image(texture, truth_texels(frame, shown.judged, scale))
            self._filled[texture] = (frame, shown.judged, scale)

    def close(self) -> None:
        """Delete the textures."""
        for texture in self._filled:
            self._display.remove(texture)
        self._filled.clear()
