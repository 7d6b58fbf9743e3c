"""The texts of the panel that calibrates a rig."""

from pathlib import Path

from wheatstone.viewer.cameras.stereo_calibration import StereoCalibration

ADVICE = (
    "Show the board to both cameras, near and far, tilted, and in every part of both images; hold "
    "it still until its view is taken. About 20 views make a good calibration. "
    "wheatstone calibrate --print board.pdf makes a board."
)
NO_PAIR = "A rig has two cameras: open a pair, or a camera that sends both views."


def lines_of(found: StereoCalibration) -> list[tuple[str, str, str]]:
    """List the results of a calibration: name, value and explanation of each."""
    rig, rows = found.rig, found.rows
    baseline = float((rig.translation**2).sum() ** 0.5)
    return [
        ("views", f"{len(found.used)} used, {len(found.dropped)} dropped", "Outliers are dropped."),
        ("stereo error", f"{found.rms.stereo:.3f} px", "Of all corners, root mean square."),
        ("rows, median", f"{rows.median:.3f} px", "How far rows are apart after rectification."),
        ("rows, largest", f"{rows.largest:.3f} px", "Anywhere in the image."),
        (
            "focal lengths",
            f"{rig.left.matrix[0, 0]:.1f} and {rig.right.matrix[0, 0]:.1f} px",
            "Left, right.",
        ),
        ("baseline", f"{baseline:.4f} m", "From one camera to the other."),
    ]


def unused_rig(folder: Path) -> Path:
    """Return a path for a rig file that does not exist yet: rig.toml, else with a number."""
    names = (folder / f"rig{f'-{n}' if n else ''}.toml" for n in range(10_000))
    return next(path for path in names if not path.exists())
