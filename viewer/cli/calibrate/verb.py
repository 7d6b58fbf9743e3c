"""``wheatstone calibrate``: detect the board in every pair, calibrate, and write results."""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.calibrate.options import CalibrateRequest
from wheatstone.viewer.cli.calibrate.picture import picture
from wheatstone.viewer.cli.calibrate.printing import print_board
from wheatstone.viewer.io.cameras.board_views import BoardView, Coverage, GreyPair, find_boards
from wheatstone.viewer.io.cameras.boards import board_of
from wheatstone.viewer.io.cameras.calibrating import RULE, Calibrator
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.cameras.stereo_calibration import GOOD_ROWS, StereoCalibration, UsedView
from wheatstone.viewer.io.files.output import check_outputs, write_png
from wheatstone.viewer.io.files.rig_file import DIGITS, EXACT, calibration_section, write_rig
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.bags.opening import is_bag
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.result_files import write_json
from wheatstone.viewer.run.measuring.tables import Table
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.words import plural

MOST_OF_VIDEO = 60  # frames of a video: neighbours show the board alike
HINT = "take more views, sharp and held still, and show the board in every part of both images"


def calibrate(request: CalibrateRequest) -> int:
    """Run ``wheatstone calibrate``: calibrate a rig, or print a board; return the exit code."""
    board = board_of(request.board, request.square, request.marker, request.dictionary)
    files = request.out, request.json, request.picture, request.print
    if not request.left:
        assert request.print  # as the request has checked
        check_outputs(files)
        print_board(request.print, board, request.paper)
        return 0
    # What a recording says of its cameras does not matter here, and may be wrong.
    rectify = "off" if is_bag(request.left) else None
    spec = SourceSpec(request.left, request.right, topics=request.topics, rectify=rectify)
    with closing(open_source(spec)) as source:
        check_outputs(files)
        if request.print:
            print_board(request.print, board, request.paper)
        for note in source.notes:
            say(note)
        calibration = calibrated(source, Calibrator(board, request.model))
    print_tables(tables(calibration))
    _write(request, calibration)
    if calibration.rows.why_bad:
        say(f"{calibration.rows.why_bad}; {HINT}")
    return 1 if calibration.rows.why_bad else 0


def calibrated(source: Source, calibrator: Calibrator) -> StereoCalibration:
    """Calibrate a rig with the board in all frames of a source, and show the progress.

    Raises:
        ValueError: the source has no pairs, or too few.
    """
    chosen = frames_to_search(source)
    with ProgressBar(len(chosen)) as progress:
        progress.begin(f"looking for {calibrator.board} in {source.name}")
        pairs = _pairs(source, chosen, calibrator, progress)
        for view in find_boards(calibrator.board, pairs):
            calibrator.take(view)
            progress.done(view.name, _corner_counts(view))
        return calibrator.result(lambda text: progress.begin(f"calibrating: {text}"))


def frames_to_search(source: Source) -> list[int]:
    """List the frames to search for the board: all, or a number evenly spread over a video."""
    if source.times is None or source.length <= MOST_OF_VIDEO:
        return list(range(source.length))
    last = source.length - 1
    return [round(number * last / (MOST_OF_VIDEO - 1)) for number in range(MOST_OF_VIDEO)]


def _pairs(
    source: Source, chosen: Sequence[int], calibrator: Calibrator, progress: ProgressBar
) -> Iterator[GreyPair]:
    """Yield the unrectified pairs of a source as grey levels; skip those that are unreadable."""
    for index in chosen:
        name = source.frame_name(index)
        try:
            frame = source.frame(index)
        except (OSError, ValueError) as error:
            calibrator.skip(name, visible(str(error)))
            progress.done(name, "cannot be read")
            continue
        taken = frame.raw or frame
        if taken.right is None:
            raise ValueError(f"{source.name} is a single image; pairs are needed")
        yield name, grey_levels(taken.left), grey_levels(taken.right)


def _corner_counts(view: BoardView) -> str:
    counts = f"{len(view.left)} corners left, {len(view.right)} right, {len(view.common)} in both"
    return f"skipped, {view.why}" if view.why else counts


def _write(request: CalibrateRequest, calibration: StereoCalibration) -> None:
    assert request.out  # as the request has checked
    write_rig(request.out, calibration)
    if request.json:
        words = (request.left, request.right)
        write_json(request.json, to_document(calibration, " ".join(word for word in words if word)))
    if request.picture:
        write_png(request.picture, picture(calibration))


SCHEMA, SCHEMA_VERSION = "wheatstone-calibrate", 1
HEADER = ("view", "corners", "left, px", "right, px", "stereo, px", "verdict")
UNCERTAIN = 0.01
"""Fraction of a focal length; a larger standard deviation is mentioned."""


def tables(calibration: StereoCalibration) -> list[Table]:
    """Build tables of the board views used, with their errors, and of the skipped views."""
    rows = [_row(one) for one in calibration.views]
    alarming = frozenset(i for i, one in enumerate(calibration.views) if one.dropped)
    errors = (calibration.rms.left, calibration.rms.right, calibration.rms.stereo)
    corners = sum(len(one.view.common) for one in calibration.used)
    rows.append(("all used", str(corners), *(f"{error:.3f}" for error in errors), ""))
    used, dropped = plural(len(calibration.used), "view"), len(calibration.dropped)
    title = f"{calibration.board}, {used} used, {dropped} dropped"
    table = Table(title, HEADER, tuple(rows), alarming, tuple(notes(calibration)))
    return [table, *([_skipped(calibration)] if calibration.skipped else [])]


def _row(one: UsedView) -> tuple[str, ...]:
    errors = (one.errors.left, one.errors.right, one.errors.stereo)
    verdict = "DROPPED" if one.dropped else "used"
    count = str(len(one.view.common))
    return (one.view.name, count, *(f"{error:.3f}" for error in errors), verdict)


def _skipped(calibration: StereoCalibration) -> Table:
    title = f"skipped: {len(calibration.skipped)}"
    return Table(
        title, ("view", "why"), calibration.skipped, frozenset(range(len(calibration.skipped)))
    )


def notes(calibration: StereoCalibration) -> Iterator[str]:
    """Yield sentences about the rig and the reliability of the calibration."""
    rig, rows, deviations = calibration.rig, calibration.rows, calibration.deviations
    focal = [_focal(c.focal, s) for c, s in zip(rig.cameras, calibration.spreads, strict=True)]
    yield (
        f"Baseline {rig.baseline * 1e3:.2f} +- {deviations.baseline * 1e3:.2f} mm, axes "
        f"{rig.angle:.2f} degrees apart, focal length {focal[0]} px left, {focal[1]} px right; "
        f"{rig.left.model}."
    )
    yield _uncertainty(calibration)
    if calibration.limited:
        yield f"{calibration.limited} corners have large errors and therefore less weight."
    yield (
        f"Rows once rectified: median {rows.median:.3f}, mean {rows.mean:.3f}, p95 {rows.p95:.3f}, "
        f"max {rows.largest:.3f} px; median and mean are good up to {GOOD_ROWS:g} px."
    )
    for side, coverage in zip(("left", "right"), calibration.coverage, strict=True):
        yield _coverage(side, coverage)
    if calibration.dropped:
        yield RULE
    for side, camera, spread in zip(
        ("left", "right"), rig.cameras, calibration.spreads, strict=True
    ):
        if spread > UNCERTAIN * camera.focal:
            yield f"The {side} focal length is uncertain: tilt the board more, and show it nearer."


def _uncertainty(calibration: StereoCalibration) -> str:
    """Describe the standard deviations of principal points and rotation."""
    known = calibration.deviations
    centers = [" and ".join(f"{n:.2f}" for n in one.center) for one in (known.left, known.right)]
    turns = ", ".join(f"{angle:.3f}" for angle in known.rotation)
    return (
        f"Standard deviations (+-): principal point {centers[0]} px left, {centers[1]} px right; "
        f"rotation about X, Y, Z {turns} degrees."
    )


def _focal(focal: float, spread: float) -> str:
    return f"{focal:.1f}" if math.isnan(spread) else f"{focal:.1f} +- {spread:.1f}"


def _coverage(side: str, coverage: Coverage) -> str:
    text = f"Corners lie in {coverage.covered} of {coverage.cells} cells of the {side} image"
    return f"{text}; few: {', '.join(coverage.bare)}." if coverage.bare else f"{text}."


def to_document(calibration: StereoCalibration, source: str) -> dict[str, Any]:
    """Build the document that ``--json`` writes; errors are RMS in pixels.

    Args:
        source: the pairs, as the command line names them.
    """
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "wheatstone": VERSION,
        "source": source,
        **rig_sections(calibration.rig, EXACT),
        "calibration": calibration_section(calibration),
        "baseline": round(calibration.rig.baseline, EXACT),
        "angle": round(calibration.rig.angle, DIGITS),
        "focal_spread": [None if math.isnan(s) else round(s, DIGITS) for s in calibration.spreads],
        "coverage": {
            side: coverage.counts.tolist()
            for side, coverage in zip(("left", "right"), calibration.coverage, strict=True)
        },
        "views": [_view(one) for one in calibration.views],
        "left_out": [{"view": name, "why": why} for name, why in calibration.skipped],
    }


def _view(one: UsedView) -> dict[str, Any]:
    counts = (len(one.view.left), len(one.view.right), len(one.view.common))
    return {
        "view": one.view.name,
        "corners": dict(zip(("left", "right", "common"), counts, strict=True)),
        "errors": {name: round(error, DIGITS) for name, error in vars(one.errors).items()},
        "dropped": one.dropped,
    }
