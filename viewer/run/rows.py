"""Fill a frame's table row with its measurements."""

import math
import os
import time
from typing import Any

import numpy as np

from wheatstone.gpu.analysis.conventions import CONVENTIONS
from wheatstone.gpu.compilations import loadings
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


def read_frame(row: Row, job: RunJob) -> tuple[Frame, tuple[str, ...]]:
    """Read a job's frame, and write the reading time to its row; return it with notes.

    A first frame, for which decoders are compiled or loaded, is read twice: the time is that of the
    second.

    Raises:
        OSError, ValueError, Unavailable: as ``FrameRef.read``.
    """
    loaded, begin = loadings(), time.perf_counter()
    frame, notes = job.ref.read(job.options, truth=job.truth)
    if loadings() > loaded:
        begin = time.perf_counter()
        frame, _ = job.ref.read(job.options, truth=job.truth)  # notes are given once
    row["read_ms"] = milliseconds_since(begin)
    return frame, notes


def enter_frame(row: Row, job: RunJob, frame: Frame) -> tuple[str, ...]:
    """Write a frame's size and calibration to its row; return warnings about the image pair.

    The disparities are surveyed of a source's first frame only.
    """
    row["height"], row["width"] = frame.shape
    if frame.calibration_files:
        row["calibration"] = visible(", ".join(map(os.path.abspath, frame.calibration_files)))
    searched, rows, survey = job.run.searched, None, None
    every = job.measures.rows
    chosen = every and (job.first or job.number % every == 0)
    if chosen and frame.is_pair and reads_both_views(job.run.pipeline):
        grey = grey_views(frame)
        rows = measure_rows(grey["left"], grey["right"], calibrated=frame.is_rectified_by_rig)
        row["rows_off"] = rounded(rows.median)
        if job.first and searched:
            survey = survey_disparities(grey["left"], grey["right"])
    return pair_warnings(rows, survey, searched, frame.exchange, frame.truth)


def check_truth(row: Row, job: RunJob, frame: Frame) -> str:
    """Write the share of pixels judged to a row; return why the frame cannot be judged, or empty.

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
    """Write a result's figures and warnings to a row; return the serious ones (alarms) by kind.

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
