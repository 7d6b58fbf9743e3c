"""Serve the window to several kinds of viewers for minutes, and check that no resource grows.

The program runs in this process with all arguments that are not options, as ``wheatstone serve``
takes them, and plays. One viewer presses keys, turns the wheel and resizes its window; one takes
half a second for every frame; one disconnects every few seconds without notice and connects again;
one sends malformed messages. The exit code is 1 if a resource of the process grows, if a viewer
gets no frames, or if keys took longer in the last quarter of the time than in the first.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.growth import growths, rows
from benchmarks.programs import offscreen
from benchmarks.runner import Findings
from benchmarks.serve import WORDS
from benchmarks.soak import own_folders
from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.history import Values

if TYPE_CHECKING:
    import aiohttp

    from tests.serving import Client, Serving

SIZES = ((640, 400), (480, 320))
KEYS = (("m", "KeyM"), ("v", "KeyV"), ("i", "KeyI"), ("g", "KeyG"), ("1", "Digit1"), ("+", "Equal"))
COUNTS = 60  # counts of the resources of the process
AT_HOME = 30  # passes with the initial settings before a count
BETWEEN = 0.2  # seconds from one key to the next
SLOWNESS = 0.5  # seconds that the slow viewer takes for a frame
VISIT = 5.0  # seconds between connecting and disconnecting
MESSAGES = 20  # malformed messages per connection
GROWN = 0.25  # seconds by which keys may take longer at the end, as on a busy machine


@dataclass
class SoakFindings:
    """The measurements of a soak.

    Attributes:
        frames: number of frames received, by the name of the viewer.
        latencies: seconds that keys took.
        at, counts: number of pictures drawn at each count, and the resources counted.
        messages: number of malformed messages sent.
    """

    frames: dict[str, int] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    counts: list[dict[str, float]] = field(default_factory=list)
    messages: int = 0

    def quarter(self, which: int) -> float:
        """Return the median latency in a quarter of the time (0 to 3), in seconds."""
        ends = [len(self.latencies) * n // 4 for n in range(5)]
        return median(self.latencies[ends[which] : ends[which + 1]] or [0.0])

    @property
    def growths(self) -> list[Any]:
        """Return the growth of each resource."""
        return growths(self.at, self.counts)

    @property
    def passed(self) -> bool:
        """Whether no resource grew and all viewers were served in time."""
        served = len(self.frames) == len(VIEWERS) - 1 and all(self.frames.values())
        prompt = self.quarter(3) <= self.quarter(0) + GROWN
        return served and prompt and all(growth.flat for growth in self.growths)


@dataclass
class Viewers:
    """The viewers of one program, each of which runs until the time is over."""

    there: "Serving"
    session: "aiohttp.ClientSession"
    ends: float
    findings: SoakFindings

    @property
    def is_running(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.ends

    def note(self, name: str, viewer: "Client") -> None:
        """Count the frames that a viewer has received, and delete all except the last."""
        self.findings.frames[name] = self.findings.frames.get(name, 0) + len(viewer.frames)
        del viewer.frames[:-1], viewer.received[:-10]

    async def press_keys(self) -> None:
        """Press keys, turn the wheel and change the size, one after the other."""
        async with await self.there.look(self.session) as viewer:
            await viewer.until(lambda: viewer.frames)
            pick = random.Random(1)
            while self.is_running:
                begin = time.perf_counter()
                number = await viewer.press(*pick.choice(KEYS))
                await viewer.until(lambda: viewer.frames[-1].seen >= number)  # noqa: B023
                self.findings.latencies.append(time.perf_counter() - begin)
                await viewer.say("wheel", x=100, y=90, dx=0, dy=pick.choice((-1, 1)))
                if pick.random() < 0.05:
                    width, height = pick.choice(SIZES)
                    await viewer.say("resize", width=width, height=height, scale=1)
                self.note("works", viewer)
                await asyncio.sleep(BETWEEN)

    async def acknowledge_late(self) -> None:
        """Acknowledge each frame after ``SLOWNESS`` seconds."""
        async with await self.there.look(self.session) as viewer:
            viewer.acknowledges = False
            while self.is_running:
                await viewer.until(lambda: viewer.frames or not self.is_running)
                await asyncio.sleep(SLOWNESS)
                for frame in viewer.frames:
                    await viewer.acknowledge(frame.number)
                self.note("is slow", viewer)
                viewer.frames.clear()

    async def reconnect(self) -> None:
        """View the program for a while, disconnect without notice, and connect again."""
        while self.is_running:
            viewer = await self.there.look(self.session)
            async with viewer:
                await asyncio.sleep(min(VISIT, max(self.ends - time.monotonic(), 0.1)))
                self.note("comes and goes", viewer)

    async def send_malformed(self) -> None:
        """Send malformed messages, which the program ignores or closes the connection for."""
        from tests.fuzz.messages import message

        pick = random.Random(2)
        while self.is_running:
            async with await self.there.look(self.session) as viewer:
                for sent in filter(_takes_no_control, (message(pick) for _ in range(MESSAGES))):
                    with suppress(ConnectionError, UnicodeEncodeError):
                        await viewer.socket.send_str(sent)
                        self.findings.messages += 1
                    await asyncio.sleep(BETWEEN / 4)
                    viewer.frames.clear()


def _takes_no_control(sent: str) -> bool:
    """Return whether a message does not take control from the viewer that presses keys."""
    return "control" not in sent


VIEWERS = (
    Viewers.press_keys,
    Viewers.acknowledge_late,
    Viewers.reconnect,
    Viewers.send_malformed,
)


def main(*words: str, minutes: float = 15.0) -> Findings:
    """Serve for some minutes; fail if a resource grows or a viewer is not served."""
    with own_folders() as folder, offscreen():
        from tests.serving import serving

        with serving(*(words or WORDS), "--fresh", root=folder / "shots") as there:
            there.app.state.paused = False
            findings, ends = SoakFindings(), time.monotonic() + minutes * 60
            ResourceCounter(there, findings, minutes * 60)

            async def view(session: "aiohttp.ClientSession") -> None:
                viewers = Viewers(there, session, ends, findings)
                await asyncio.gather(*(run(viewers) for run in VIEWERS))

            there.run(view)
    record = {
        "frames": findings.frames,
        "messages": findings.messages,
        "latency_s": [findings.quarter(0), findings.quarter(3)],
        "growth": [asdict(growth) for growth in findings.growths],
    }
    return Findings(record, table(findings), findings.passed)


class ResourceCounter:
    """A counter of the process's resources, which runs on the thread of OpenGL.

    Before each count, the initial settings and window size are restored for some passes, and events
    of the viewers wait, so that the counts do not depend on what the viewers have chosen to see.
    """

    def __init__(self, there: "Serving", findings: SoakFindings, seconds: float) -> None:
        from benchmarks.resources import GlCount

        self._there, self._findings, self._every = there, findings, seconds / COUNTS
        self._gl, self._counted = GlCount(), time.monotonic()
        self._first = undoing.values_of(there.app.state)
        self._chosen: Values | None = None  # the viewers' settings, during a count
        self._size = there.window.size  # the viewers' window size, during a count
        self._passes, self._waiting = 0, list[Any]()
        self._poll: Callable[[], list[Any]] = there.window.poll
        there.window.poll = self.poll

    def poll(self) -> list[Any]:
        """Return the window's events, or store them while the initial settings are shown."""
        state, window = self._there.app.state, self._there.window
        if self._chosen is None:
            if time.monotonic() - self._counted > self._every:
                self._chosen, self._size, self._passes = undoing.values_of(state), window.size, 0
                undoing.put_values(state, self._first)
                window.resize(*SIZES[0])
            return self._poll()
        self._waiting += self._poll()
        self._passes += 1
        if self._passes < AT_HOME:
            return []
        self._count()
        undoing.put_values(state, self._chosen)
        window.resize(*self._size)
        events, self._waiting, self._chosen = self._waiting, [], None
        return events

    def _count(self) -> None:
        from benchmarks.resources import resources

        self._counted = time.monotonic()
        self._findings.at.append(self._there.window.drawn)
        self._findings.counts.append(resources(self._gl))


def table(findings: SoakFindings) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "frames by viewer: " + ", ".join(f"{k} {n}" for k, n in findings.frames.items())
    yield f"malformed messages: {findings.messages}"
    early, late = findings.quarter(0) * 1e3, findings.quarter(3) * 1e3
    yield f"a key took {early:.0f} ms in the first quarter, {late:.0f} ms in the last (median)"
    yield from rows([asdict(growth) for growth in findings.growths])
    yield "passed: nothing grows, all viewers are served" if findings.passed else "FAILED"
