"""Declare the images of rectification."""

from wheatstone.gpu.image import Image

CHANNELS = 4  # red, green, blue, and whether the pixel is there: a word a pixel
FRACTION = 32  # steps of a pixel that displacements are counted in
OUTSIDE = -(2**15)  # a displacement that leads out of the image

INPUTS = ("raw_left", "raw_right", "left_map", "right_map")


def _view(name: str, help: str) -> Image:
    return Image(name, "uint8", help, ("height", "width", CHANNELS), colormap="grey")


def _map(name: str, help: str) -> Image:
    return Image(name, "int16", help, ("height", "width", 2), scale=1 / FRACTION, unit="px")


IMAGES = (
    _view("raw_left", "Left view as it was taken: red, green, blue, 255."),
    _view("raw_right", "Right view as it was taken."),
    _map(
        "left_map",
        "Where a pixel of the rectified left view lies in the raw one: columns, then rows, from "
        "the same place, in 1/32 pixel; the smallest number: outside.",
    ),
    _map("right_map", "The same for the right view."),
    _view("rectified_left", "Left view, rectified; the fourth channel is 255 where all is inside."),
    _view("rectified_right", "Right view, rectified."),
    Image("left", "uint8", "Left view, rectified.", unit="grey level", colormap="grey"),
    Image("right", "uint8", "Right view, rectified.", unit="grey level", colormap="grey"),
)
