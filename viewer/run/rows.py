"""Fill a frame's table row with its measurements."""

import math
import time
from typing import Any

import numpy as np

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rows import measure_rows
from wheatstone.viewer.io.reading.plain_text import label, visible
from wheatstone.viewer.io.sources.disparity_survey import (
    empty_warning,
    pair_warnings,
    survey_disparities,
)
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.inputs import reads_both_views
from wheatstone.viewer.run.result import CONFIDENCE, Result
from wheatstone.viewer.run.run_job import Row, RunJob

DIGITS, FIGURE_DIGITS = 3, 4  # after the point, of measurements and of figures


def enter_frame(row: Row, job: RunJob, frame: Frame, begin: float) -> tuple[str, ...]:
    """Write a frame's size and reading time to its table row; return warnings about the pair.

    The disparities are surveyed of a source's first frame only.

    Args:
        begin: the time of ``time.perf_counter`` at which reading began.
    """
    row["height"], row["width"] = frame.shape
    searched, rows, survey = job.run.searched, None, None
    every = job.measures.rows
    chosen = every and (job.first or job.number % every == 0)
    if chosen and frame.is_pair and reads_both_views(job.run.pipeline):
        grey = grey_views(frame)
        rows = measure_rows(grey["left"], grey["right"], calibrated=frame.is_rectified_by_rig)
        row["rows_off"] = rounded(rows.median)
        if job.first and searched:
            survey = survey_disparities(grey["left"], grey["right"])
    findings = pair_warnings(rows, survey, searched, frame.exchange, frame.truth)
    row["read_ms"] = milliseconds_since(begin)
    return findings


def check_truth(row: Row, job: RunJob, frame: Frame) -> str:
    """Write the percentage of judged pixels to a table row; return why a frame cannot be judged.

    Raises:
        ValueError: the frame cannot be judged, though it is required.
    """
    if not job.judging:
        return ""
    place = job.ref.truth.truth if job.ref.truth else job.name
    if frame.truth is None or frame.occluded is None:
        why = f"{place}: not the truth of these views, which are rectified by their features"
    else:
        convention = CONVENTIONS[job.judging.convention]
        mask = convention.judged(frame.truth, ~frame.occluded, job.judging.region)
        if mask.any():
            row["judged"] = round(100 * float(np.mean(mask)), FIGURE_DIGITS)
            return ""
        why = f"{place}: no pixel is judged; scale and unknown may be wrong"
    if job.judging.required:
        raise ValueError(why)
    return f"not judged: {why}" if frame.truth is not None else ""


def enter_result(
    row: Row, job: RunJob, result: Result, notes: tuple[str, ...], findings: tuple[str, ...]
) -> dict[str, str]:
    """Write a result's figures and warnings to a table row; return serious ones (alarms) by kind.

    Args:
        notes, findings: those about the frame, which was read before.
    """
    row["compute_ms"] = round(result.milliseconds, DIGITS)
    row["device"] = "" if job.existing else label(shared_engine().device_name(job.run))
    row["density"] = rounded(density := result.density)
    if CONFIDENCE in result.stored and job.measures.confidence:
        row["confidence"] = rounded(result.mean_confidence)
    if (judging := job.judging) and "judged" in row:
        rules: dict[str, Any] = {"region": judging.region, "own": bool(judging.data_set)}
        if job.existing:
            rules["largest"] = job.existing.largest
        figures = result.judge(judging.convention, **rules)
        row["convention"] = judging.convention
        row["figures"] = {name: rounded(figures[name], FIGURE_DIGITS) for name in judging.measures}
    if job.run.output.disparity and not findings:
        findings = (empty_warning(density / 100, job.run.declaration),)
    division = f"computed {result.division}" if result.division else ""
    row["warnings"] = joined(*notes, division.partition(",")[0], *findings)
    alarms = {each.name: visible(each) for each in findings if isinstance(each, Finding)}
    return alarms | ({"bands": division} if division else {})


def joined(*warnings: str) -> str:
    """Join the non-empty warnings for a table."""
    return visible("; ".join(filter(None, warnings)))


def rounded(value: float, digits: int = DIGITS) -> float | None:
    """Round a number for a table; None for an unknown one."""
    return round(value, digits) if math.isfinite(value) else None


def milliseconds_since(begin: float) -> float:
    """Return the milliseconds since a time of ``time.perf_counter``, rounded for a table."""
    return round((time.perf_counter() - begin) * 1e3, DIGITS)
