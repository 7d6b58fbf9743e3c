"""Measure the quality of semi-global matching on pairs with ground truth.

DATA is a folder with ``pairs.json`` and a folder of images for each pair; ``docs/quality.md``,
``docs/quality.json`` and ``docs/images/sparsification.svg`` are written by this benchmark.
"""

import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps, loads
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks import sparsification
from benchmarks.runner import WrongInput, say
from wheatstone.gpu.analysis.conventions import WHEATSTONE, measures
from wheatstone.gpu.analysis.metrics import in_pixels, not_covered, seen_by_both
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.documented_tables import preset_table
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.sources.images import read_image

BORDER = WHEATSTONE.border
VARIANTS = [variant.name for variant in SGM.variants if not variant.peer]
MEASURES = {
    "bad-1": "Bad by more than 1 pixel, per cent",
    "bad-2": "Bad by more than 2 pixels, per cent",
    "average error": "Average error of the pixels with a result, in pixels",
    "density": "Density: pixels with a result, per cent",
}
CONVENTION = f"""\
A pixel of the left view is judged if its true disparity is known, if the right view sees it as
well, and if it lies at least {BORDER} pixels away from every edge of the image. A judged pixel is
*bad* if its disparity is wrong by more than the threshold, **or if it has no result**: a matcher
gains nothing by rejecting pixels. The *average error* is that of the judged pixels with a result,
and the *density* is their share. In means over the pairs, every pair has the same weight.

The right view sees a pixel if the right view's truth at the matching pixel (rounded to the nearest
column) agrees within 1 pixel. Pairs marked * have no truth for the right view. There, a pixel
counts as seen unless the left truth assigns the same matching pixel to another pixel whose
disparity is larger by more than 1 pixel.

Colour is converted to grey by `cv2.cvtColor`. The range of disparities that is searched is the
data set's own `disparity_range`, rounded up to a multiple of 16; `min_disparity` is 0."""


@dataclass(frozen=True)
class Pair:
    """A stereo pair with its ground truth, in pixels, and a mask of the judged pixels."""

    name: str
    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    truth: NDArray[np.float32]
    mask: NDArray[np.bool_]
    cross_checked: bool
    disparities: int


def main(
    data: Annotated[Path, "folder with pairs.json"],
    *,
    variant: Annotated[str, VARIANTS] = "cpu",
    out: Annotated[Path | None, "Markdown page to write"] = None,
    json: Annotated[Path | None, "JSON file of the figures to write"] = None,
    plot: Annotated[Path | None, "plot to write, which the page shows"] = None,
) -> bool:
    """Judge every preset and external program; write the page, the figures and the plot."""
    if plot:
        sparsification.require_matplotlib()
    try:
        record = judge_all(read_pairs(data), variant)
        if plot:
            sparsification.plot(next(iter(record["sparsification"].values())), plot)
        files = {"out": out, "json": json, "plot": plot}
        words = [f"--{name} {path.as_posix()}" for name, path in files.items() if path]
        command = " ".join(["python -m benchmarks quality DATA --variant", variant, *words])
        _write(out, page(record, command, _link(plot, out)))
        _write(json, dumps(record, indent=1) + "\n")
    except (OSError, ValueError) as error:
        raise WrongInput(error) from None
    return True


def _link(plot: Path | None, page: Path | None) -> str:
    """Return the address of the plot relative to the page; empty if one of them is missing."""
    return Path(os.path.relpath(plot, page.parent)).as_posix() if plot and page else ""


def _write(path: Path | None, text: str) -> None:
    if path is None:
        return
    with whole_file(path) as unfinished:
        unfinished.write_text(text)


def read_pairs(folder: Path) -> list[Pair]:
    """Read the pairs of a folder that have ground truth.

    Raises:
        OSError: the folder, its ``pairs.json`` or a file named there is missing.
        ValueError: a file cannot be understood, or no pair has ground truth.
    """
    index = folder / "pairs.json"
    if not index.is_file():
        raise FileNotFoundError(f"{index} does not exist; DATA must be a folder of stereo pairs")
    entries = loads(index.read_text())
    pairs = [read_pair(folder / entry["name"], entry) for entry in entries if entry["gt"]]
    if not pairs:
        raise ValueError(f"{index} names no pair with ground truth")
    return pairs


def read_pair(folder: Path, entry: dict[str, Any]) -> Pair:
    """Read a pair from a folder, as its entry in ``pairs.json`` describes it."""
    truth = read_truth(folder / entry["gt"], entry)
    if entry["gt_right"]:
        seen = seen_by_both(truth, read_truth(folder / entry["gt_right"], entry))
    else:
        seen = not_covered(truth)
    return Pair(
        name=entry["name"],
        left=read_grey(folder / entry["left"]),
        right=read_grey(folder / entry["right"]),
        truth=truth,
        mask=WHEATSTONE.judged(truth, seen),
        cross_checked=bool(entry["gt_right"]),
        disparities=16 * math.ceil(entry["disparity_range"] / 16),
    )


def read_grey(path: Path) -> NDArray[np.uint8]:
    """Read an image as (H, W) grey levels."""
    pixels = read_image(path).pixels
    if pixels.ndim == 2:
        return pixels
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)


def read_truth(path: Path, entry: dict[str, Any]) -> NDArray[np.float32]:
    """Read ground truth in pixels; it is NaN or infinite where it is unknown."""
    if path.suffix == ".npy":
        return np.load(path).astype(np.float32)  # type: ignore[no-any-return]
    return in_pixels(read_image(path).pixels, 1 / entry["gt_scale"], entry["unknown"])


def settings(variant: str) -> dict[str, tuple[str, Params]]:
    """Return the settings to judge, by name: presets in one variant, and the peers.

    A setting is a variant and its parameters. Each preset is judged with full search and, if the
    variant supports it, with hierarchical search. A peer is an external program.
    """
    judged = {}
    for name in SGM.presets:
        full = SGM.preset(name)
        hierarchical = full.changed(search="hierarchical")
        judged[name] = variant, full
        if not SGM.variant(variant).refuses(hierarchical, 1, 1):
            judged[f"{name} hierarchical"] = variant, hierarchical
    return judged | {v.name: (v.name, SGM.params()) for v in SGM.variants if v.peer}


def judge_all(pairs: Sequence[Pair], variant: str) -> dict[str, Any]:
    """Judge all settings on all pairs; return the record with all figures and their means."""
    results, confidence = {}, {}
    for name, (judged, params) in settings(variant).items():
        judged_pairs = {pair.name: judge(pair, judged, params) for pair in pairs}
        results[name] = {pair: figures for pair, (figures, _) in judged_pairs.items()}
        if not SGM.variant(judged).peer:
            confidence[name] = {pair: curves for pair, (_, curves) in judged_pairs.items()}
        say(f"{name} ({judged}): {_means(results[name])}")
    return {
        "version": VERSION,
        "variant": variant,
        "pairs": {pair.name: facts(pair) for pair in pairs},
        "results": results,
        "means": {name: _means(figures) for name, figures in results.items()},
        "sparsification": confidence,
    }


def judge(
    pair: Pair, variant: str, params: Params
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Judge the result for a pair; return its measures and its sparsification curves.

    There are no curves for a peer, which has no confidence.
    """
    params = params.adjusted("disparities", pair.disparities)
    height, width = pair.left.shape
    execution = prepare(SGM, variant, params, height, width, ["confidence"])
    execution.upload(left=pair.left, right=pair.right)
    execution.run()
    output = SGM.image(SGM.output)
    assert output.invalid is not None
    disparity = in_pixels(execution.download(output.name), output.scale, output.invalid(params))
    largest = pair.disparities - 1
    figures = measures(WHEATSTONE, disparity, pair.truth, pair.mask, largest)
    curves = {}
    if execution.keeps("confidence"):
        confidence, error = execution.download("confidence"), np.abs(disparity - pair.truth)
        curves = sparsification.curves(error, confidence, pair.mask)
    return {measure: round(figures[measure], 4) for measure in MEASURES}, curves


def facts(pair: Pair) -> dict[str, Any]:
    """Return the facts about a pair for the record: size, disparities and judged pixels."""
    height, width = pair.truth.shape
    return {
        "width": width,
        "height": height,
        "disparities": pair.disparities,
        "judged": round(100 * float(pair.mask.mean()), 2),
        "cross-checked": pair.cross_checked,
    }


def _means(figures: dict[str, dict[str, float]]) -> dict[str, float]:
    return {m: round(statistics.mean(f[m] for f in figures.values()), 4) for m in MEASURES}


def page(record: dict[str, Any], command: str, plot: str = "") -> str:
    """Return a record as a Markdown page.

    Args:
        command: command line that made the record.
        plot: link to the plot of the curves; empty: none.
    """
    pairs = record["pairs"].items()
    parts = [
        "# Quality of semi-global matching",
        f"Wheatstone {record['version']}, variant `{record['variant']}`, made by `{command}`. All "
        "variants that are not peers give the same bits, so the figures hold for each.",
        CONVENTION,
        markdown(
            ("Pair", "Size", "Disparities searched", "Judged, per cent of all pixels"),
            [
                (_title(k, f), f"{f['width']}x{f['height']}", f["disparities"], f["judged"])
                for k, f in pairs
            ],
        ),
        *(f"## {title}\n\n{measure_table(record, key)}" for key, title in MEASURES.items()),
        *sparsification.sections(record["sparsification"], plot),
        "## The presets",
        preset_table(SGM),
        *(
            f"`{v.name}` is a peer, an external program: {v.help}"
            for v in SGM.variants
            if v.peer and v.name in record["results"]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def measure_table(record: dict[str, Any], measure: str) -> str:
    """Return the table of one measure, with a row per preset and a column per pair."""
    header = ("Preset", "Mean", *(_title(name, f) for name, f in record["pairs"].items()))
    rows = [
        (
            f"`{name}`",
            f"**{record['means'][name][measure]:.2f}**",
            *(f"{figures[measure]:.2f}" for figures in pairs.values()),
        )
        for name, pairs in record["results"].items()
    ]
    return markdown(header, rows)


def _title(name: str, pair: dict[str, Any]) -> str:
    return name if pair["cross-checked"] else f"{name} *"
