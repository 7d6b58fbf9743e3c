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
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Annotated

from benchmarks.programs import offscreen
from benchmarks.runner import Size
from wheatstone.viewer.io.files.markdown import markdown

if TYPE_CHECKING:
    import aiohttp

    from tests.serving import Client, Serving

WORDS = ("invert", "lavfi:testsrc2=size=640x480:rate=60")
SIZES = ((1280, 720), (1920, 1080))
CODECS = ("jpeg", "h264")
WARMS = 2.0  # seconds until it is measured
EVERY = 0.25  # seconds from one key to the next


HEADER = ("size", "codec", "shown/s", "latency ms", "p95 ms", "Mbit/s", "loop ms")


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
        print(f"{' '.join(words)}; drawn on {context.device}\n", flush=True)
        rows = []
        from tests.serving import serving

        with serving(*words, "--fresh", root=Path(folder)) as there:
            spent, encoder = _watched(there), there.served.encoder
            encoder.on_gpu = encoder.on_gpu and not opencv
            for size, codec in product(sizes, codecs):
                there.app.state.paused = False
                cells = there.run(partial(measure, there, size, codec, seconds, spent))
                name = f"jpeg, {encoder.jpeg_by}" if codec == "jpeg" else codec
                rows.append((f"{size[0]}x{size[1]}", name, *cells))
    print(markdown(HEADER, rows))
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


async def measure(
    there: "Serving",
    size: tuple[int, int],
    codec: str,
    seconds: float,
    spent: list[float],
    session: "aiohttp.ClientSession",
) -> list[str]:
    """Watch and press keys; return the measurements as cells of the table.

    Args:
        spent: seconds that each frame added to the loop, which go on meanwhile.
    """
    width, height = size
    async with await there.look(session) as viewer:
        await viewer.say("codec", codec=codec)
        await viewer.say("resize", width=width, height=height, scale=1)
        await viewer.until(lambda: viewer.frames and viewer.frames[-1].width == width)
        await asyncio.sleep(WARMS)
        viewer.frames.clear()
        spent.clear()
        begin, late = time.perf_counter(), []
        while time.perf_counter() - begin < seconds:
            late.append(1e3 * await _press(viewer))
            await asyncio.sleep(EVERY)
        took = time.perf_counter() - begin
        traffic = sum(len(frame.content) for frame in viewer.frames) * 8e-6 / took
        worst = quantiles(late, n=20)[-1] if len(late) > 1 else late[0]
        loop = median(spent) * 1e3 if spent else float("nan")
        numbers = len(viewer.frames) / took, median(late), worst, traffic
        return [*(f"{number:.1f}" for number in numbers), f"{loop:.2f}"]


async def _press(viewer: "Client") -> float:
    """Press a key; return the seconds until a frame includes it."""
    begin = time.perf_counter()
    number = await viewer.press("m", "KeyM")
    while not (viewer.frames and viewer.frames[-1].seen >= number):
        await asyncio.sleep(0.0005)
    return time.perf_counter() - begin
