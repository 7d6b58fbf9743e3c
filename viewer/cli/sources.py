"""``wheatstone sources``: list the cameras of this machine, and examples of live sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from wheatstone.gpu import Unavailable
from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.io.footage.cameras import CameraDevice, cameras
from wheatstone.viewer.io.footage.media import check_player

if TYPE_CHECKING:
    from rich.table import Table

EXAMPLES = (
    ("wheatstone view /dev/video0 --video-size 2560x720", "a camera that sends both views"),
    ("wheatstone view /dev/video0 /dev/video2", "two cameras, paired by their times"),
    ("wheatstone view rtsp://camera.local/stream", "a network camera that sends both views"),
    ("wheatstone view udp://0.0.0.0:5000", "a stream sent to this port, such as MPEG-TS"),
    ("... -f mpegts - | wheatstone view -", "a pipe"),
    ("wheatstone view canny lavfi:testsrc2=size=1280x720:rate=30", "a moving test image of FFmpeg"),
    (
        "wheatstone view 'lavfi:testsrc2=size=672x480:rate=30,split[a][b];[a]crop=640:480:16:0[l];"
        "[b]crop=640:480:32:0[r];[l][r]hstack' --layout side-by-side",
        "a test pair, 16 px apart",
    ),
)
"""Command lines that show live sources, each with a description."""


@dataclass(frozen=True, kw_only=True)
class SourcesRequest(VerbRequest):
    """The options of ``sources``, which lists the cameras."""

    verb: ClassVar[str] = "sources"


def sources(request: SourcesRequest) -> int:
    """Run ``wheatstone sources``: print cameras and examples of live sources; return 0."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, soft_wrap=True)
    devices = cameras()
    if devices:
        console.print(listed(devices))
    else:
        console.print("no camera: no /dev/video* device captures images")
    console.print("\nexamples:")
    for line, shown in EXAMPLES:
        console.print(f"  {line}\n      {shown}")
    try:
        check_player()
    except Unavailable as error:
        console.print(f"\n{error}")
    return 0


def listed(devices: Sequence[CameraDevice]) -> "Table":
    """Build a table of cameras with one row for every format and size."""
    from rich.table import Table
    from rich.text import Text

    table = Table("camera", "name", "--input-format", "--video-size", "--frame-rate")
    for camera in devices:
        path, name = camera.path, camera.name or camera.why_not
        for mode in camera.modes:
            rates = ", ".join(f"{rate:.4g}" for rate in mode.rates)
            table.add_row(path, Text(name), Text(mode.format), mode.size, rates)
            path = name = ""
        if path:
            table.add_row(path, Text(name), "", "", "")
    return table
