"""Present the results of a calibration as tables for the terminal and as a JSON document."""

import math
from collections.abc import Iterator
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.cameras.calibrating import RULE
from wheatstone.viewer.io.cameras.coverage import Coverage
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.cameras.stereo_calibration import GOOD_ROWS, StereoCalibration, UsedView
from wheatstone.viewer.io.files.rig_file import DIGITS, EXACT, calibration_section
from wheatstone.viewer.run.measuring.tables import Table
from wheatstone.viewer.words import plural

SCHEMA, SCHEMA_VERSION = "wheatstone-calibrate", 1
HEADER = ("view", "corners", "left, px", "right, px", "stereo, px", "verdict")
UNCERTAIN = 0.01
"""Fraction of a focal length; a larger standard deviation is mentioned."""


def tables(found: StereoCalibration) -> list[Table]:
    """Lay out tables of the views with their errors, and of the views that were left out."""
    rows = [_row(one) for one in found.views]
    alarming = frozenset(i for i, one in enumerate(found.views) if one.dropped)
    errors = (found.rms.left, found.rms.right, found.rms.stereo)
    corners = sum(len(one.view.common) for one in found.used)
    rows.append(("all used", str(corners), *(f"{error:.3f}" for error in errors), ""))
    title = f"{found.board}, {plural(len(found.used), 'view')} used, {len(found.dropped)} dropped"
    table = Table(title, HEADER, tuple(rows), alarming, tuple(notes(found)))
    return [table, *([_left_out(found)] if found.left_out else [])]


def _row(one: UsedView) -> tuple[str, ...]:
    errors = (one.errors.left, one.errors.right, one.errors.stereo)
    verdict = "DROPPED" if one.dropped else "used"
    count = str(len(one.view.common))
    return (one.view.name, count, *(f"{error:.3f}" for error in errors), verdict)


def _left_out(found: StereoCalibration) -> Table:
    title = f"left out: {len(found.left_out)}"
    return Table(title, ("view", "why"), found.left_out, frozenset(range(len(found.left_out))))


def notes(found: StereoCalibration) -> Iterator[str]:
    """Describe the rig, and the reliability of the calibration, one sentence a line."""
    rig, rows = found.rig, found.rows
    focal = [_focal(c.focal, s) for c, s in zip(rig.cameras, found.spreads, strict=True)]
    yield (
        f"Baseline {rig.baseline * 1e3:.2f} +- {found.deviations.baseline * 1e3:.2f} mm, axes "
        f"{rig.angle:.2f} degrees apart, focal length {focal[0]} px left, {focal[1]} px right; "
        f"{rig.left.model}."
    )
    yield _uncertainty(found)
    if found.limited:
        yield f"{found.limited} corners have large errors and therefore less weight."
    yield (
        f"Rows once rectified: median {rows.median:.3f}, mean {rows.mean:.3f}, p95 {rows.p95:.3f}, "
        f"max {rows.largest:.3f} px; median and mean are good up to {GOOD_ROWS:g} px."
    )
    for side, coverage in zip(("left", "right"), found.coverage, strict=True):
        yield _coverage(side, coverage)
    if found.dropped:
        yield RULE
    for side, camera, spread in zip(("left", "right"), rig.cameras, found.spreads, strict=True):
        if spread > UNCERTAIN * camera.focal:
            yield f"The {side} focal length is uncertain: tilt the board more, and show it nearer."


def _uncertainty(found: StereoCalibration) -> str:
    """Describe the standard deviations that are not in the sentence about the rig."""
    known = found.deviations
    centers = [" and ".join(f"{n:.2f}" for n in one.center) for one in (known.left, known.right)]
    turns = ", ".join(f"{angle:.3f}" for angle in known.rotation)
    return (
        f"Standard deviations (+-): principal point {centers[0]} px left, {centers[1]} px right; "
        f"rotation about X, Y, Z {turns} degrees."
    )


def _focal(focal: float, spread: float) -> str:
    return f"{focal:.1f}" if math.isnan(spread) else f"{focal:.1f} +- {spread:.1f}"


def _coverage(side: str, coverage: Coverage) -> str:
    said = f"Corners lie in {coverage.covered} of {coverage.cells} cells of the {side} image"
    return f"{said}; few: {', '.join(coverage.bare)}." if coverage.bare else f"{said}."


def to_document(found: StereoCalibration, source: str) -> dict[str, Any]:
    """Build the document that ``--json`` writes; errors are RMS in pixels.

    Args:
        source: the pairs, as the command line names them.
    """
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "source": source,
        **rig_sections(found.rig, EXACT),
        "calibration": calibration_section(found),
        "baseline": round(found.rig.baseline, EXACT),
        "angle": round(found.rig.angle, DIGITS),
        "focal_spread": [None if math.isnan(s) else round(s, DIGITS) for s in found.spreads],
        "coverage": {
            side: coverage.counts.tolist()
            for side, coverage in zip(("left", "right"), found.coverage, strict=True)
        },
        "views": [_view(one) for one in found.views],
        "left_out": [{"view": name, "why": why} for name, why in found.left_out],
    }


def _view(one: UsedView) -> dict[str, Any]:
    counts = (len(one.view.left), len(one.view.right), len(one.view.common))
    return {
        "view": one.view.name,
        "corners": dict(zip(("left", "right", "common"), counts, strict=True)),
        "errors": {name: round(error, DIGITS) for name, error in vars(one.errors).items()},
        "dropped": one.dropped,
    }
