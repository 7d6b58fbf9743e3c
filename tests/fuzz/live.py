"""Hostile streams, through a pipe, and hostile drivers of cameras."""

import os
import tempfile
import threading
from contextlib import closing, suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated

FORMS = {"mpegts": "mpeg4", "mjpeg": "mjpeg", "matroska": "mpeg4"}
"""Containers and what the pictures in them are coded by."""


@cache
def good(container: str) -> bytes:
    """Make a short stream of a container."""
    import av

    file = BytesIO()
    with av.open(file, "w", format=container) as output:
        stream: Any = output.add_stream(FORMS[container], rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        if container == "mjpeg":
            stream.pix_fmt = "yuvj420p"
        for number in range(8):
            picture = np.full((48, 64, 3), number * 20, np.uint8)
            output.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        output.mux(stream.encode())
    return file.getvalue()


def make_stream(random: Random, folder: Path) -> None:
    """Write a damaged stream."""
    content = good(random.choice(list(FORMS)))
    for _ in range(random.randrange(4)):
        content = mutated(random, content)
    (folder / "stream").write_bytes(content)


def read_stream(folder: Path) -> object:
    """Send a stream through a pipe, and show its first frame."""
    from wheatstone.viewer.io.sources.opening import open_source
    from wheatstone.viewer.io.sources.source_spec import SourceSpec

    with tempfile.TemporaryDirectory() as name:
        pipe = Path(name) / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=_send, args=(pipe, (folder / "stream").read_bytes()))
        writer.start()
        try:
            with closing(open_source(SourceSpec(str(pipe)))) as source:
                return source.frame(0).left
        finally:
            writer.join()


def _send(pipe: Path, content: bytes) -> None:
    with suppress(OSError):  # whoever reads has had enough
        pipe.write_bytes(content)


def make_driver(random: Random, folder: Path) -> None:
    """Write what a driver may answer."""
    (folder / "answers").write_bytes(random.randbytes(random.choice((0, 104, 5000, 50_000))))


def read_driver(folder: Path) -> object:
    """Ask a driver that answers anything; it refuses at its end."""
    from wheatstone.viewer.io.footage.cameras import camera_of

    answers = BytesIO((folder / "answers").read_bytes())

    def ask(request: int, argument: bytes) -> bytes:
        answer = answers.read(len(argument))
        if len(answer) < len(argument):
            raise OSError("the list is at its end")
        return answer

    return camera_of("/dev/video0", ask)


KINDS = (
    FuzzKind("stream", make_stream, read_stream, weight=0.2),
    FuzzKind("driver", make_driver, read_driver, weight=0.2),
)
