"""Name settings of semi-global matching."""

from typing import Any

_CHECKED = {"uniqueness": 5, "lr_check": 1, "subpixel": "parabola", "median": True}
_UNFILLED = {"speckle_size": 0, "speckle_range": 1, "fill_holes": False}
_FILLED = {"speckle_size": 100, "speckle_range": 1, "fill_holes": True}


def _preset(
    cost: str, paths: int, p1: int, p2: int, adaptation: str, **after: Any
) -> dict[str, Any]:
    weights = {"cost": cost, "paths": paths, "p1": p1, "p2": p2, "p2_adaptation": adaptation}
    return weights | _CHECKED | _FILLED | after


PRESETS = {
    "balanced": _preset("census-mean", 8, 20, 100, "soft"),
    "indoor": _preset("census-mean", 8, 15, 80, "soft"),
    "driving": _preset("census-symmetric", 4, 20, 150, "soft"),
    "fast": _preset("census-mean", 4, 15, 80, "soft"),
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
