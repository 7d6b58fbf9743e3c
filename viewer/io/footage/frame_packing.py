"""Reading of the positions of the views in the pictures of stereo films.

FFmpeg attaches them to decoded frames: the frame packing of H.264 and HEVC, the ``StereoMode`` of
Matroska and WebM, the boxes ``st3d`` and ``vexu`` of MP4 and MOV.

Source: ITU-T H.264 (2019), D.2.26; FFmpeg, libavutil/stereo3d.h.
"""

import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

STEREO = struct.Struct("=Ii")
"""The first numbers of an ``AVStereo3D``: the kind of packing, and flags."""
SIDE_BY_SIDE, TOP_BOTTOM, OTHER_VIEW = 1, 2, 8
INVERTED = 1
HALF = 1.9
"""Pictures less wide, in heights, hold views side by side that are squeezed to half their width."""
NOT_READ = {
    3: "its frames are the left and the right view in turn",
    4: "its views are mixed as a checkerboard",
    5: "its views are side by side with every second pixel of a checkerboard",
    6: "its views are mixed line by line",
    7: "its views are mixed column by column",
}
"""The kinds of packing that are shown as they are."""
SPATIAL = "it is a spatial video (MV-HEVC): only its main view, usually the left one, is decoded"


@dataclass(frozen=True)
class FramePacking:
    """The positions of the views in the pictures of a stereo film.

    Attributes:
        layout: as for ``--layout``; None if it says none, or one that is not read.
        note: about one that is not read; empty: none.
    """

    layout: str | None = None
    note: str = ""


def frame_packing(frame: "VideoFrame") -> FramePacking:
    """Read the positions of the views from a decoded frame of a film."""
    from av.sidedata.sidedata import Type

    stereo = None
    with suppress(ValueError):  # PyAV refuses frames with data of kinds that it does not know
        stereo = frame.side_data.get(Type.STEREO3D)  # type: ignore[call-overload]
    if stereo is None or stereo.buffer_size < STEREO.size:
        return FramePacking()
    kind, flags = STEREO.unpack_from(bytes(stereo))
    inverted = bool(flags & INVERTED)
    if kind == SIDE_BY_SIDE:
        half = frame.width < HALF * frame.height
        first = "half-side-by-side" if half else "side-by-side"
        return FramePacking("swapped" if inverted else first)
    if kind == TOP_BOTTOM:
        below = "its right view is above the left one, which is not read: exchange the halves"
        return FramePacking(note=below) if inverted else FramePacking("top-bottom")
    if kind == OTHER_VIEW:
        return FramePacking(note=SPATIAL)
    found = NOT_READ.get(kind)
    return FramePacking(note=f"{found}: convert it to side by side" if found else "")
