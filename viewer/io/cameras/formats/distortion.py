"""Choice of a camera's distortion model by the name in a file or the number of coefficients."""

import re

from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model
from wheatstone.viewer.io.reading.typed_values import shown

FISHEYE = ("equidistant", "fisheye", "kannalabrandt", "kannalabrandt4", "kb", "kb4")
PINHOLE = ("", "none", "plumbbob", "radtan", "radialtangential", "brownconrady", "brown", "pinhole")
RATIONAL = ("rational", "rationalpolynomial")
PLAIN = 5  # coefficients at most of a plumb-bob


def camera_of(matrix: Matrix, distortion: Matrix, said: str = "") -> Camera:
    """Make a camera from the matrix, distortion and model name in a file.

    Args:
        said: the file's name of the model; empty: the number of coefficients determines it.

    Raises:
        ValueError: the model is not known.
    """
    coefficients = tuple(distortion.tolist())
    word = re.sub(r"[^a-z0-9]", "", said.lower())
    if word in FISHEYE:
        return Camera(matrix, coefficients, "fisheye")
    if word not in PINHOLE + RATIONAL:
        raise ValueError(
            f"distortion model {shown(repr(said))} is not known; "
            "known are plumb_bob (radtan), rational_polynomial and equidistant (fisheye)"
        )
    if word == "none" and not coefficients:
        coefficients = (0.0,) * 4
    model: Model = "plumb-bob" if len(coefficients) <= PLAIN else "rational"
    return Camera(matrix, coefficients, model)
