"""Writing of a calibrated rig and the quality of its calibration as TOML."""

import math
from pathlib import Path
from typing import Any

from wheatstone.viewer.io.cameras.boards import millimetres
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.cameras.stereo_calibration import Deviations, StereoCalibration
from wheatstone.viewer.io.files.output import whole_file

DIGITS = 4
"""Decimals of errors in pixels."""
EXACT = 9
"""Decimals of a rig's numbers: further ones change from run to run with OpenCV's threads."""


def write_rig(path: Path, calibration: StereoCalibration) -> None:
    """Write a calibrated rig as TOML, with the calibration's quality in a section of its own."""
    import tomli_w

    document = {
        **rig_sections(calibration.rig, EXACT),
        "calibration": calibration_section(calibration),
    }
    with whole_file(path) as temporary:
        temporary.write_bytes(tomli_w.dumps(document).encode())


def calibration_section(calibration: StereoCalibration) -> dict[str, Any]:
    """Return the TOML section on a calibration's input and quality; errors are in pixels."""
    board, rows = calibration.board, calibration.rows
    markers = {"marker": millimetres(board.marker), "dictionary": board.dictionary}
    return {
        "board": str(board),
        "square": millimetres(board.square),
        **(markers if board.dictionary else {}),
        "views": len(calibration.used),
        "views_dropped": len(calibration.dropped),
        "corners": sum(len(one.view.common) for one in calibration.used),
        "rms": round(calibration.rms.stereo, DIGITS),
        "rows_median": round(rows.median, DIGITS),
        "rows_mean": round(rows.mean, DIGITS),
        "rows_p95": round(rows.p95, DIGITS),
        "rows_max": round(rows.largest, DIGITS),
        "deviations": deviations_section(calibration.deviations),
    }


def deviations_section(known: Deviations) -> dict[str, Any]:
    """Return the standard deviations of a rig's parameters, in the units of the rig's sections.

    Those of the rotation are in degrees. Those that are not determined are omitted.
    """
    sides = {
        f"{side}_{name}": getattr(camera, name)
        for side, camera in (("left", known.left), ("right", known.right))
        for name in ("focal", "center", "distortion")
    }
    values = sides | {"rotation": known.rotation, "translation": known.translation}
    listed = {name: [round(n, EXACT) for n in each] for name, each in values.items()}
    together = {**listed, "baseline": [round(known.baseline, EXACT)]}
    finite = {name: each for name, each in together.items() if all(map(math.isfinite, each))}
    return {name: each[0] if name == "baseline" else each for name, each in finite.items()}
