"""Writing of rigs in the program's own TOML format."""

from pathlib import Path

from wheatstone.viewer.cameras.formats.own import rig_text
from wheatstone.viewer.cameras.rig import Rig
from wheatstone.viewer.files.output import whole_file


def write_rig(path: Path, rig: Rig) -> None:
    """Write a rig as TOML that ``--calibration`` can read.

    Raises:
        ValueError: the rig's size is not known.
        OSError: the file cannot be written.
    """
    text = rig_text(rig)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
