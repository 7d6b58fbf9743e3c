"""Checks that a picture can be drawn: its images are uploaded and have matching sizes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from wheatstone.viewer.colormaps import ROWS
from wheatstone.viewer.display.picture.panes import MOST_BOXES, Cloud, Pane, Picture

if TYPE_CHECKING:  # OpenGL is imported when there is a context, not before
    from wheatstone.viewer.display.screen.texture import GLTexture

Sizes = tuple[tuple[int, int], ...]  # heights and widths


def check(picture: Picture, images: Mapping[str, "GLTexture"]) -> None:
    """Raise ``ValueError`` if a picture cannot be drawn from the uploaded images."""
    pictures = [picture] + ([picture.second] if picture.second else [])
    for part in pictures:
        _check_part(part, images)
    if picture.second and (not picture.mix or picture.mix.way != "side-by-side"):
        first, second = (sizes(part, images) for part in pictures)
        if first != second or picture.anaglyph or picture.second.anaglyph:
            raise ValueError(f"only panes of one size can be mixed (got {first} and {second})")


def _check_part(picture: Picture, images: Mapping[str, "GLTexture"]) -> None:
    """Raise ``ValueError`` if one of two mixed pictures, or a single one, cannot be drawn."""
    colors = [picture.cloud.color] if picture.cloud else []
    for name in (*(pane.image for pane in (*picture.panes, *colors)), *picture.marks):
        if name not in images:
            raise ValueError(f"there is no image {name!r} to show")
    for colormap in (pane.colormap for pane in (*picture.panes, *colors)):
        if colormap and colormap not in ROWS:
            raise ValueError(f"there is no colour map {colormap!r}; there is {', '.join(ROWS)}")
    if picture.cloud:
        _check_cloud(picture, picture.cloud, images)
    for pane in picture.panes:
        if pane.truth:
            _check_truth(pane, images)
    shown = sizes(picture, images)
    if picture.anaglyph and (len(shown) != 2 or shown[0] != shown[1]):
        raise ValueError(f"an anaglyph takes two images of one size (got {shown})")
    if picture.overlay:
        _check_overlay(picture.overlay, images[picture.overlay], shown)
    if picture.boxes:
        _check_boxes(picture.boxes, images[picture.boxes])


def _check_cloud(picture: Picture, cloud: Cloud, images: Mapping[str, "GLTexture"]) -> None:
    """Raise ``ValueError`` unless a cloud has one disparity image and colours of its size."""
    names = [pane.image for pane in picture.panes]
    if len(names) != 1 or images[names[0]].dtype != np.int16:
        raise ValueError(f"a cloud is made of one disparity image, int16 (got {', '.join(names)})")
    disparity, color = images[names[0]], images[cloud.color.image]
    if color.shape[:2] != disparity.shape or color.dtype == np.float32:
        raise ValueError(
            f"the colours {cloud.color.image!r} of a cloud must be integers and of its size "
            f"{disparity.shape} (got {color.dtype} {color.shape})"
        )


def _check_truth(pane: Pane, images: Mapping[str, "GLTexture"]) -> None:
    if pane.truth not in images:
        raise ValueError(f"there is no image {pane.truth!r} to compare with")
    truth, shown = images[pane.truth], images[pane.image]
    if truth.dtype != np.float32 or truth.shape != shown.shape:
        raise ValueError(
            f"the truth of {pane.image!r} must be float32 and of its size {shown.shape} "
            f"(got {truth.dtype} {truth.shape})"
        )


def sizes(picture: Picture, images: Mapping[str, "GLTexture"]) -> Sizes:
    """List height and width of every image of a picture."""
    shapes = [images[pane.image].shape for pane in picture.panes]
    return tuple((shape[0], shape[1]) for shape in shapes)


def _check_overlay(name: str, overlay: "GLTexture", shown: Sizes) -> None:
    if overlay.dtype != np.uint8 or {*shown} != {overlay.shape}:
        raise ValueError(
            f"overlay {name!r} must be uint8 and of the panes' size {shown[0]} "
            f"(got {overlay.dtype} {overlay.shape})"
        )


def _check_boxes(name: str, boxes: "GLTexture") -> None:
    if boxes.dtype != np.int32 or boxes.shape[1:] != (4,) or boxes.shape[0] > MOST_BOXES:
        raise ValueError(
            f"boxes {name!r} must be int32 of shape (N, 4), N <= {MOST_BOXES} "
            f"(got {boxes.dtype} {boxes.shape})"
        )
