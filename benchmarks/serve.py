"""Measure the cost of serving the window: frame rate, latency, traffic and time in the loop.

The program runs in this process with all arguments that are not options, as ``wheatstone serve``
takes them, and plays. A viewer in another thread acknowledges every frame when it arrives, and
presses a key from time to time. ``shown/s`` is the number of frames per second that it receives,
``latency`` the time from sending a key to receiving the first frame with its effect, ``loop`` the
time per frame that serving adds to the thread of the frame loop. The viewer does not decode frames,
so that decoding takes no time from the program. After ``jpeg``, the table names the encoder: nvJPEG
where it works, unless ``--opencv`` is given.
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
WARMS = 2.0  # seconds before measuring begins
EVERY = 0.25  # seconds from one key to the next


HEADER = ("size", "codec", "shown/s", "latency ms", "p95 ms", "Mbit/s", "loop ms")


def main(
    *words: str,
    sizes: tuple[Size, ...] = SIZES,
    codecs: Annotated[tuple[str, ...], ("jpeg", "h264", "png")] = CODECS,
    opencv: Annotated[bool, "encode JPEG by OpenCV instead of the GPU"] = False,
    seconds: Annotated[float, "seconds of measuring for each row"] = 10.0,
) -> bool:
    """Measure every size and codec and print a table."""
    words = words or WORDS
    with offscreen() as context, tempfile.TemporaryDirectory() as folder:
        print(f"{' '.join(words)}; drawn on {context.device}\n", flush=True)
        rows = []
        from tests.serving import serving

        with serving(*words, "--fresh", root=Path(folder)) as there:
            spent, encoder = _time_swaps(there), there.served.encoder
            encoder.on_gpu = encoder.on_gpu and not opencv
            for size, codec in product(sizes, codecs):
                there.app.state.paused = False
                cells = there.run(partial(measure, there, size, codec, seconds, spent))
                name = f"jpeg, {encoder.jpeg_by}" if codec == "jpeg" else codec
                rows.append((f"{size[0]}x{size[1]}", name, *cells))
    print(markdown(HEADER, rows))
    return True


def _time_swaps(there: "Serving") -> list[float]:
    """Time the buffer swaps of the program; return the list to which their seconds are added."""
    spent: list[float] = []
    swap = there.window.swap

    def timed() -> None:
        """Swap the buffers, which serves the picture, and append the time."""
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
    """View the program and press keys; return the measurements as cells of the table.

    Args:
        spent: list to which the program appends the seconds that each frame adds to the loop.
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
