"""Measure the costs of serving the window: frames a second, latency, traffic, time of the loop.

The program runs with all words that are no option, as ``wheatstone serve`` takes them, in this
process and plays; a viewer in another thread acknowledges every frame once it is there, and presses
a key now and then. ``shown`` are its frames a second, ``latency`` is from a key sent to the first
frame received that includes it, ``loop`` the time that serving adds to the frame loop's thread for
a frame. Frames are not decoded here, so that decoding takes no time from the program. Beside
``jpeg`` stands what encoded it: nvJPEG where that works, unless ``--opencv`` is given.
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Annotated

from benchmarks.programs import offscreen
from benchmarks.runner import Size

if TYPE_CHECKING:
    import aiohttp

    from tests.serving import Client, Serving

WORDS = ("invert", "lavfi:testsrc2=size=640x480:rate=60")
SIZES = ((1280, 720), (1920, 1080))
CODECS = ("jpeg", "h264")
WARMS = 2.0  # seconds until it is measured
EVERY = 0.25  # seconds from one key to the next


@dataclass
class Measured:
    """What was measured at one size with one codec.

    Attributes:
        shown: frames received.
        seconds: in which they were.
        latencies: of keys, in seconds.
        spent: seconds that each frame added to the loop.
        size: bytes received.
    """

    shown: int
    seconds: float
    latencies: list[float]
    spent: list[float]
    size: int

    def row(self, size: tuple[int, int], codec: str) -> str:
        """Write a row of the table."""
        rate, traffic = self.shown / self.seconds, self.size * 8e-6 / self.seconds
        late = [each * 1e3 for each in self.latencies] or [float("nan")]
        worst = quantiles(late, n=20)[-1] if len(late) > 1 else late[0]
        loop = median(self.spent) * 1e3 if self.spent else float("nan")
        name = f"{size[0]}x{size[1]}"
        return (
            f"| {name:9} | {codec:12} | {rate:8.1f} | {median(late):10.1f} | {worst:7.1f} "
            f"| {traffic:6.1f} | {loop:7.2f} |"
        )


HEAD = """\
| size      | codec        | shown/s  | latency ms | p95 ms  | Mbit/s | loop ms |
| --------- | ------------ | -------- | ---------- | ------- | ------ | ------- |"""


def main(
    *words: str,
    sizes: tuple[Size, ...] = SIZES,
    codecs: Annotated[tuple[str, ...], ("jpeg", "h264", "png")] = CODECS,
    opencv: Annotated[bool, "JPEG by OpenCV, not by the GPU"] = False,
    seconds: Annotated[float, "for each row"] = 10.0,
) -> bool:
    """Measure, and print a table."""
    words = words or WORDS
    with offscreen() as context, tempfile.TemporaryDirectory() as folder:
        print(f"{' '.join(words)}; drawn on {context.device}\n\n{HEAD}", flush=True)
        from tests.serving import serving

        with serving(*words, "--fresh", root=Path(folder)) as there:
            spent, encoder = _watched(there), there.served.encoder
            encoder.on_gpu = encoder.on_gpu and not opencv
            for size, codec in product(sizes, codecs):
                there.app.state.paused = False
                measured = there.run(Look(there, size, codec, seconds, spent).measure)
                name = f"jpeg, {encoder.jpeg_by}" if codec == "jpeg" else codec
                print(measured.row(size, name), flush=True)
    return True


def _watched(there: "Serving") -> list[float]:
    """Have it noted how long the program takes to hand on each picture."""
    spent: list[float] = []
    swap = there.window.swap

    def timed() -> None:
        """Hand on a picture, and note how long that took."""
        begin = time.perf_counter()
        swap()
        spent.append(time.perf_counter() - begin)

    there.window.swap = timed
    return spent


@dataclass
class Look:
    """A viewer that measures.

    Attributes:
        spent: what each frame added to the loop, as it goes on.
    """

    there: "Serving"
    size: tuple[int, int]
    codec: str
    seconds: float
    spent: list[float]

    async def measure(self, session: "aiohttp.ClientSession") -> Measured:
        """Look on, and press keys."""
        width, height = self.size
        async with await self.there.look(session) as viewer:
            await viewer.say("codec", codec=self.codec)
            await viewer.say("resize", width=width, height=height, scale=1)
            await viewer.until(lambda: viewer.frames and viewer.frames[-1].width == width)
            await asyncio.sleep(WARMS)
            viewer.frames.clear()
            self.spent.clear()
            begin, latencies = time.perf_counter(), []
            while time.perf_counter() - begin < self.seconds:
                latencies.append(await _press(viewer))
                await asyncio.sleep(EVERY)
            size = sum(len(frame.content) for frame in viewer.frames)
            seconds = time.perf_counter() - begin
            return Measured(len(viewer.frames), seconds, latencies, list(self.spent), size)


async def _press(viewer: "Client") -> float:
    """Press a key; return the seconds until a frame includes it."""
    begin = time.perf_counter()
    number = await viewer.press("m", "KeyM")
    while not (viewer.frames and viewer.frames[-1].seen >= number):
        await asyncio.sleep(0.0005)
    return time.perf_counter() - begin
