"""Writing of a calibrated rig and the quality of its calibration as TOML."""

from pathlib import Path
from typing import Any

from wheatstone.viewer.io.cameras.boards import millimetres
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.io.files.output import whole_file

DIGITS = 4
"""Decimals of errors in pixels."""
EXACT = 9
"""Decimals of a rig's numbers: further ones change from run to run with OpenCV's threads."""


def write_rig(path: Path, found: StereoCalibration) -> None:
    """Write a calibrated rig, with the quality of the calibration in a section of its own."""
    import tomli_w

    document = {**rig_sections(found.rig, EXACT), "calibration": calibration_section(found)}
    with whole_file(path) as temporary:
        temporary.write_bytes(tomli_w.dumps(document).encode())


def calibration_section(found: StereoCalibration) -> dict[str, Any]:
    """Return the section with a calibration's input and quality; errors are in pixels."""
    board, rows = found.board, found.rows
    markers = {"marker": millimetres(board.marker), "dictionary": board.dictionary}
    return {
        "board": str(board),
        "square": millimetres(board.square),
        **(markers if board.dictionary else {}),
        "views": len(found.used),
        "corners": sum(len(one.view.common) for one in found.used),
        "rms": round(found.rms.stereo, DIGITS),
        "rows_median": round(rows.median, DIGITS),
        "rows_mean": round(rows.mean, DIGITS),
        "rows_p95": round(rows.p95, DIGITS),
        "rows_max": round(rows.largest, DIGITS),
    }
