"""Define presets: named settings of semi-global matching."""

from typing import Any

_PLAIN = {"gradient": False, "outside": -1, "guided_median": 0}
_CHECKED = {"uniqueness": 5, "lr_check": 1, "subpixel": "parabola", "median": True}
_UNFILLED = {"speckle_size": 0, "speckle_range": 1, "fill_holes": False}
_FILLED = {"speckle_size": 100, "speckle_range": 1, "fill_holes": True}


def _preset(
    cost: str, paths: int | str, p1: int, p2: int, adaptation: str, **after: Any
) -> dict[str, Any]:
    weights = {"cost": cost, "paths": paths, "p1": p1, "p2": p2, "p2_adaptation": adaptation}
    return weights | _PLAIN | _CHECKED | _FILLED | after


def _guided(cost: str, paths: int | str, p1: int, p2: int) -> dict[str, Any]:
    """Return settings that also compare gradients, and smooth by the guided median."""
    after = {"gradient": True, "outside": 12, "guided_median": 20, "subpixel": "equiangular"}
    return _preset(cost, paths, p1, p2, "divide", **after)


PRESETS = {
    "balanced": _guided("census-ring-symmetric", 4, 35, 200),
    "indoor": _guided("census-ring-symmetric", "sweeps", 25, 150),
    "driving": _guided("census-symmetric", 4, 50, 300),
    "fast": _guided("census-ring-symmetric", 4, 25, 150),
    "libsgm": _preset("census-symmetric", 8, 10, 120, "none", **_UNFILLED),
    "aveiro-2016": _preset(
        "absolute",
        4,
        15,
        100,
        "divide",
        uniqueness=0,
        lr_check=-1,
        subpixel="off",
        median=False,
        **_UNFILLED,
    ),
}

_OF_0_1_0 = {
    "balanced": _preset("census-mean", 8, 20, 100, "soft"),
    "indoor": _preset("census-mean", 8, 15, 80, "soft"),
    "driving": _preset("census-symmetric", 4, 20, 150, "soft"),
    "fast": _preset("census-mean", 4, 15, 80, "soft"),
}
FORMER = {f"{name} of 0.1.0": values for name, values in _OF_0_1_0.items()}
"""Settings of presets before they were changed, for users of an earlier version."""
