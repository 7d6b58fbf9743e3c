"""Measure how fast a video is decoded, matched and uploaded to a texture.

A stereo video of a built-in scene that scrolls is encoded in H.264 and in HEVC, with both views
side by side; the size is that of one view. ``decode``: frames per second that the source decodes.
``played``: frames per second that are decoded, matched by ``sgm`` and copied to their texture.
``from decoded to texture``: milliseconds from a decoded frame until its disparities are in the
texture. Frames are decoded by the GPU, where they stay in its memory, and by the CPU.
"""

import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.runner import Count, Size
from wheatstone.gpu.device import gpu_number, why_unavailable
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.io.sources.source_spec import DECODING, SourceSpec
from wheatstone.viewer.io.sources.video import VideoSource
from wheatstone.viewer.run.run import Run, default_variant

CODECS = {"H.264": "libx264", "HEVC": "libx265"}
OPTIONS = {"preset": "veryfast", "crf": "23", "x265-params": "log-level=none"}
RATE = 60
HEADER = ("Video", "Decoded by", "decode, fps", "played, fps", "from decoded to texture, ms")
PAN = 2  # rows by which the picture scrolls per frame


def make_video(path: Path, codec: str, pair: NDArray[np.uint8], frames: int) -> None:
    """Write a video in which a picture scrolls down and comes in again at the top."""
    import av

    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=RATE, options=OPTIONS)
        stream.height, stream.width = pair.shape[:2]
        stream.pix_fmt, stream.thread_type = "yuv420p", "AUTO"
        for number in range(frames):
            moved = np.roll(pair, PAN * number, axis=0)
            for packet in stream.encode(av.VideoFrame.from_ndarray(moved, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def decode_rate(spec: SourceSpec) -> float:
    """Return the frames per second that a source decodes, one after the other."""
    with closing(VideoSource(spec)) as source:
        source.frame(0)
        begin = time.perf_counter()
        for index in range(1, source.length):
            source.frame(index)
        return (source.length - 1) / (time.perf_counter() - begin)


def play(spec: SourceSpec, variant: str) -> tuple[float, float]:
    """Play a video; return frames per second, and milliseconds from decoded to texture."""
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.display.screen.display import Display

    with ExitStack() as stack:
        stack.enter_context(OffscreenContext(gpu_number() if SGM.variant(variant).on_gpu else None))
        source = VideoSource(spec)
        stack.enter_context(closing(source))
        params = SGM.params().changed(disparities=128)
        state = ViewerState(Run(SGM, variant, params), paused=True)
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display)))
        shown, took = [], []
        for index in range(source.length):
            state.frame = index
            source.frame(index)
            begin = time.perf_counter()
            session.compute()
            session.finish()
            shown.append(time.perf_counter())
            took.append(shown[-1] - begin)
        warm = len(shown) // 4
        rate = (len(shown) - 1 - warm) / (shown[-1] - shown[warm])
        return rate, 1e3 * median(took[warm:])


def main(*, size: Size = (1920, 1080), frames: Count = 240, variant: str = "") -> bool:
    """Make the videos, play them, and print a table."""
    absent = {"cuda": why_unavailable("cuda")}
    variant = variant or default_variant(SGM, absent)
    frame = Scene("corridor", 0, size).render(0)
    assert frame.right is not None
    pair = np.hstack([frame.left, frame.right])
    print(f"two views of {size[0]}x{size[1]} side by side, {frames} frames, {variant}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, codec in CODECS.items():
            path = Path(folder) / f"{codec}.mp4"
            make_video(path, codec, pair, frames)
            for decoding in DECODING:
                if decoding == "gpu" and absent["cuda"]:
                    continue
                spec = SourceSpec(str(path), layout="side-by-side", decoding=decoding)
                decoded = decode_rate(spec)
                rate, took = play(spec, variant)
                rows.append((name, decoding, f"{decoded:.0f}", f"{rate:.0f}", f"{took:.2f}"))
    print(markdown(HEADER, rows))
    return True
