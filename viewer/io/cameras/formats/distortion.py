"""Choice of a camera's distortion model by the name in a file or the number of coefficients."""

import re

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model
from wheatstone.viewer.io.reading.typed_values import shown

FISHEYE = (
    *("equidistant", "equi", "fisheye"),
    *("kannalabrandt", "kannalabrandt4", "kannalabrandt8", "kb", "kb4"),
)
PINHOLE = ("", "none", "plumbbob", "radtan", "radialtangential", "brownconrady", "brown", "pinhole")
RATIONAL = ("rational", "rationalpolynomial")
PLAIN = 5  # coefficients at most of a plumb-bob
NONE = (0.0,) * 4
"""Coefficients of a lens without distortion."""


def is_model(model: str) -> bool:
    """Return whether the name of a distortion model is known; an empty name counts as known."""
    return plain(model) in FISHEYE + PINHOLE + RATIONAL


def camera_of(matrix: Matrix, distortion: Matrix, name: str = "") -> Camera:
    """Make a camera from the matrix, distortion and model name in a file.

    Args:
        distortion: coefficients in OpenCV's order; empty: the lens has no distortion.
        name: the file's name of the model; empty: the number of coefficients determines it.

    Raises:
        ValueError: the model is not known.
    """
    coefficients = tuple(distortion.tolist()) or NONE
    if not is_model(name):
        raise ValueError(
            f"distortion model {shown(repr(name))} is not known; "
            "known are plumb_bob (radtan), rational_polynomial and equidistant (fisheye)"
        )
    if plain(name) in FISHEYE:
        if len(coefficients) > len(NONE) and not any(coefficients[len(NONE) :]):
            coefficients = coefficients[: len(NONE)]  # some writers fill up with zeros
        return Camera(matrix, coefficients, "fisheye")
    model: Model = "plumb-bob" if len(coefficients) <= PLAIN else "rational"
    return Camera(matrix, coefficients, model)


def assumed_lens(*cameras: Camera) -> tuple[str, ...]:
    """Return a remark if the lenses of a file without a model may be fisheye lenses.

    Four coefficients fit both models, plumb-bob and fisheye; more do not fit fisheye.
    """
    four = [camera.distortion for camera in cameras if len(camera.distortion) == len(NONE)]
    return (Finding("lens model", count=len(NONE)),) if any(map(any, four)) else ()


def plain(name: str) -> str:
    """Reduce a name to its letters and digits in lower case, for comparison."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
