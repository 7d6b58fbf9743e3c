"""Convert decoded video to colours on all cores, as gpu.reference.colour_conversion."""

import cv2
import numpy as np

from wheatstone.gpu.cpu.grey_conversion import Integers, Pixels, by_rows
from wheatstone.gpu.pipelines.nv12.images import CHANNELS
from wheatstone.gpu.reference.colour_conversion import colour_rows


def colour_conversion(
    left_luma: Pixels,
    left_chroma: Pixels,
    right_luma: Pixels,
    right_chroma: Pixels,
    coefficients: Integers,
    decoded_left: Pixels,
    decoded_right: Pixels,
) -> None:
    """Write red, green, blue and 255 for each pixel of both views."""
    left = left_luma, left_chroma, coefficients, decoded_left
    by_rows(colour_rows, left, (right_luma, right_chroma, coefficients, decoded_right))


def colours_of(luma: Pixels, chroma: Pixels, coefficients: Integers) -> Pixels:
    """Convert one view to (H, W, 3) RGB; the arguments are those of ``colour_conversion``."""
    colours = np.empty((*luma.shape, CHANNELS), np.uint8)
    by_rows(colour_rows, (luma, chroma, coefficients, colours))
    return np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGBA2RGB), np.uint8)
