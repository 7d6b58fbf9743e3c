"""The options of ``model``."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.options import choice_option, flag_option, path_option


@dataclass(frozen=True, kw_only=True)
class ModelRequest(VerbRequest):
    """The options of ``model``, which determines a network's input and output conventions."""

    verb: ClassVar[str] = "model"
    usage: ClassVar[str] = "wheatstone model probe FILE.onnx [--replace]"
    epilog: ClassVar[str] = """\
It writes FILE.onnx.toml, which `--variant onnx:FILE.onnx` of every other verb needs. Check it:
if two conventions fit equally well, the more common one is written."""
    action: str = choice_option(
        ("probe",),
        "try the known conventions of stereo networks",
        "probe",
        positional=True,
        required=True,
    )
    file: Path = path_option("file of the network", "FILE.onnx", positional=True, required=True)
    replace: bool = flag_option("replace an existing description")
