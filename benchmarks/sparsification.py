"""Sparsification curves, which show how well confidence predicts errors, on the quality page."""

import statistics
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.metrics import Mask
from wheatstone.gpu.image import Float64
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.files.output import whole_file

STEPS = 20  # entries of a curve: 0, 5, ... 95 per cent of the pixels removed
THRESHOLD = 1  # largest error in pixels that is not wrong
COLORS = {"random": "#999999", "confidence": "#d55e00", "optimal": "#0072b2"}
EXPLANATION = """\
## Confidence

Of the judged pixels with a result, the least confident are removed, 5 per cent at a time. The curve
shows how many of the remaining pixels are bad by more than 1 pixel. Removing pixels at random gives
a flat line; removing them by their true error, the largest first, gives the optimal curve. The area
under the curve (AUC, the mean of its 20 entries) lies between those of these two; *gained* is the
share of the distance from random to optimal that `confidence` covers."""

Curves = Mapping[str, list[float]]


def sparsification(wrong: Mask, confidence: NDArray[Any], steps: int = 20) -> Float64:
    """Return the per cent of wrong pixels that remain as the least confident are removed.

    Entry i covers the most confident 1 - i / ``steps`` of the pixels, at least one. Pixels of
    equal confidence count as if shuffled: each is as wrong as all of them are on average.

    Args:
        wrong: (N,) whether each pixel is wrong; N is at least 1.
        confidence: (N,) larger is better.
        steps: entries of the curve.
    """
    order = np.argsort(confidence, kind="stable")[::-1]
    _, group, count = np.unique(confidence[order], return_inverse=True, return_counts=True)
    expected = (np.bincount(group, wrong[order]) / count)[group]
    remaining = np.maximum(np.arange(steps, 0, -1) * len(order) // steps, 1)
    return np.asarray(100 * np.cumsum(expected)[remaining - 1] / remaining, np.float64)


def area_under(curve: NDArray[np.floating[Any]]) -> float:
    """Compute the area under a curve of evenly spaced entries, as their mean."""
    return float(np.mean(curve, dtype=np.float64))


def curves(
    error: NDArray[np.floating[Any]], confidence: NDArray[Any], mask: NDArray[np.bool_]
) -> dict[str, list[float]]:
    """Return the curves of wrong pixels for removal by confidence and by true error.

    Args:
        error: (H, W) in pixels; NaN where there is no result: such pixels are ignored.
        confidence: (H, W) larger is better.
        mask: (H, W) the pixels judged.
    """
    judged = mask & np.isfinite(error)
    wrong = error[judged] > THRESHOLD
    orders = {"confidence": confidence[judged], "optimal": -error[judged]}
    by_name = {name: sparsification(wrong, order, STEPS) for name, order in orders.items()}
    return {name: [round(float(share), 4) for share in curve] for name, curve in by_name.items()}


def areas(curve: Curves) -> dict[str, float]:
    """Return the areas under the curves, and the gain of confidence, in per cent."""
    random = curve["confidence"][0]
    ours, best = (area_under(np.array(curve[name])) for name in ("confidence", "optimal"))
    gained = 100 * (random - ours) / (random - best) if random > best else 100.0
    return {"random": random, "confidence": ours, "optimal": best, "gained": gained}


def sections(curves_by_pair: Mapping[str, Mapping[str, Curves]], picture: str) -> list[str]:
    """Return the Markdown sections on confidence: all presets, then the first in detail.

    Args:
        picture: link to the plot; empty: none.
    """
    preset, pairs = next(iter(curves_by_pair.items()))
    by_preset = [
        (f"`{name}`", *_row(list(curves.values()))) for name, curves in curves_by_pair.items()
    ]
    by_pair = [(name, *_row([curve])) for name, curve in pairs.items()]
    header = ("random", "by confidence", "optimal", "gained, per cent")
    removed = [
        (100 * i // STEPS, *(f"{curve['confidence'][i]:.2f}" for curve in pairs.values()))
        for i in range(STEPS)
    ]
    return [
        EXPLANATION,
        f"AUC, mean over the pairs:\n\n{markdown(('Preset', *header), by_preset)}",
        f"AUC with `{preset}`:\n\n{markdown(('Pair', *header), by_pair)}",
        *([f"![Sparsification curves of every pair]({picture})"] if picture else []),
        f"Bad by more than {THRESHOLD} pixel, per cent, with `{preset}`, by per cent removed:\n\n"
        + markdown(("Removed", *pairs), removed),
    ]


def _row(row_curves: list[Curves]) -> list[str]:
    measures = [areas(curve) for curve in row_curves]
    return [f"{statistics.mean(m[key] for m in measures):.2f}" for key in measures[0]]


def require_matplotlib() -> None:
    """Check that ``plot`` can draw, before anything is computed.

    Raises:
        Unavailable: Matplotlib is missing.
    """
    if find_spec("matplotlib") is None:
        raise Unavailable("a plot needs Matplotlib, which comes with the extra `plots`")


def plot(pairs: Mapping[str, Curves], path: Path) -> None:
    """Draw the curves of every pair and their mean into a file.

    Raises:
        ImportError: Matplotlib is missing.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    mean = {
        name: np.mean([curve[name] for curve in pairs.values()], axis=0).tolist()
        for name in ("confidence", "optimal")
    }
    shown = {**pairs, "mean": mean}
    columns = 4
    rows = -(-len(shown) // columns)
    # Reproducible bytes, and text that is not converted to outlines.
    with rc_context({"svg.hashsalt": "wheatstone", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(2.4 * columns, 2.1 * rows + 0.5), layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
        for axes, (name, curve) in zip(grid, shown.items(), strict=False):
            _draw(axes, name, curve)
        for axes in grid[len(shown) :]:
            axes.set_axis_off()
        figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        figure.supxlabel("least confident pixels left out, per cent")
        figure.supylabel("bad by more than 1 pixel, per cent")
        with whole_file(path) as unfinished:
            metadata = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(unfinished, format=path.suffix[1:], metadata=metadata, dpi=150)


def _draw(axes: Any, name: str, curve: Curves) -> None:
    """Draw the curves of one pair."""
    removed = [100 * i / STEPS for i in range(STEPS)]
    lines = {"random": [curve["confidence"][0]] * STEPS, **curve}
    for kind, style in (("random", ":"), ("confidence", "-"), ("optimal", "--")):
        axes.plot(removed, lines[kind], style, color=COLORS[kind], label=kind, linewidth=1.6)
    axes.set_title(name, fontsize=9)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, max(1.15 * max(curve["confidence"]), 1))
    axes.set_xticks([0, 50, 100])
    axes.grid(alpha=0.25, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
