"""Serve the window for minutes to viewers of every kind, and prove that nothing grows.

The program runs with all words that are no option, as ``wheatstone serve`` takes them, in this
process and plays. One viewer presses keys, turns the wheel and changes the size of its window; one
takes half a second over every frame; one looks for some seconds, goes without a word and comes
back; one sends what no page sends. The exit code is 1 if what the process holds grows, if somebody
gets no frames, or if keys took longer to be seen in the last quarter of the time than in the first.
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
COUNTS = 60  # of what the process holds
AT_HOME = 30  # passes with the first choices, before it is counted
BETWEEN = 0.2  # seconds from one key to the next
SLOWNESS = 0.5  # seconds that the slow viewer takes over a frame
VISIT = 5.0  # seconds of one who comes and goes
MESSAGES = 20  # that no page sends, before the connection is made anew
GROWN = 0.25  # seconds by which keys may take longer in the end: a busy machine


@dataclass
class SoakFindings:
    """What came of it.

    Attributes:
        frames: received, by the name of the viewer.
        latencies: of keys, in seconds.
        at, counts: pictures drawn, and what the process held then.
        messages: sent that no page sends.
    """

    frames: dict[str, int] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    counts: list[dict[str, float]] = field(default_factory=list)
    messages: int = 0

    def quarter(self, which: int) -> float:
        """Compute the median of the latencies in a quarter of the time, 0 to 3."""
        ends = [len(self.latencies) * n // 4 for n in range(5)]
        return median(self.latencies[ends[which] : ends[which + 1]] or [0.0])

    @property
    def growths(self) -> list[Any]:
        """Judge what was counted."""
        return growths(self.at, self.counts)

    @property
    def passed(self) -> bool:
        """Tell whether nothing grew and everybody was served."""
        served = len(self.frames) == len(VIEWERS) - 1 and all(self.frames.values())
        prompt = self.quarter(3) <= self.quarter(0) + GROWN
        return served and prompt and all(growth.flat for growth in self.growths)


@dataclass
class Crowd:
    """Viewers of one program, each at work until the time is over."""

    there: "Serving"
    session: "aiohttp.ClientSession"
    ends: float
    findings: SoakFindings

    @property
    def goes_on(self) -> bool:
        """Tell whether there is time left."""
        return time.monotonic() < self.ends

    def note(self, name: str, viewer: "Client") -> None:
        """Count a viewer's frames, and let it forget all but the last."""
        self.findings.frames[name] = self.findings.frames.get(name, 0) + len(viewer.frames)
        del viewer.frames[:-1], viewer.received[:-10]

    async def works(self) -> None:
        """Press keys, turn the wheel and change the size, one after the other."""
        async with await self.there.look(self.session) as viewer:
            await viewer.until(lambda: viewer.frames)
            pick = random.Random(1)
            while self.goes_on:
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

    async def is_slow(self) -> None:
        """Acknowledge frames late."""
        async with await self.there.look(self.session) as viewer:
            viewer.acknowledges = False
            while self.goes_on:
                await viewer.until(lambda: viewer.frames or not self.goes_on)
                await asyncio.sleep(SLOWNESS)
                for frame in viewer.frames:
                    await viewer.acknowledge(frame.number)
                self.note("is slow", viewer)
                viewer.frames.clear()

    async def comes_and_goes(self) -> None:
        """Look for a while, go without a word, and come back."""
        while self.goes_on:
            viewer = await self.there.look(self.session)
            async with viewer:
                await asyncio.sleep(min(VISIT, max(self.ends - time.monotonic(), 0.1)))
                self.note("comes and goes", viewer)

    async def sends_rubbish(self) -> None:
        """Send what no page sends; the program closes the connection, or bears it."""
        from tests.fuzz.messages import message

        pick = random.Random(2)
        while self.goes_on:
            async with await self.there.look(self.session) as viewer:
                for sent in filter(_takes_no_control, (message(pick) for _ in range(MESSAGES))):
                    with suppress(ConnectionError, UnicodeEncodeError):
                        await viewer.socket.send_str(sent)
                        self.findings.messages += 1
                    await asyncio.sleep(BETWEEN / 4)
                    viewer.frames.clear()


def _takes_no_control(sent: str) -> bool:
    """Tell whether a message leaves the control to whoever works, whose keys are waited for."""
    return "control" not in sent


VIEWERS = (Crowd.works, Crowd.is_slow, Crowd.comes_and_goes, Crowd.sends_rubbish)


def main(*words: str, minutes: float = 15.0) -> Findings:
    """Serve for so long; it fails if something grows or somebody is not served."""
    with own_folders() as folder, offscreen():
        from tests.serving import serving

        with serving(*(words or WORDS), "--fresh", root=folder / "shots") as there:
            there.app.state.paused = False
            findings, ends = SoakFindings(), time.monotonic() + minutes * 60
            Counter(there, findings, minutes * 60)

            async def crowd(session: "aiohttp.ClientSession") -> None:
                viewers = Crowd(there, session, ends, findings)
                await asyncio.gather(*(at_work(viewers) for at_work in VIEWERS))

            there.run(crowd)
    record = {
        "frames": findings.frames,
        "messages": findings.messages,
        "latency_s": [findings.quarter(0), findings.quarter(3)],
        "growth": [asdict(growth) for growth in findings.growths],
    }
    return Findings(record, table(findings), findings.passed)


class Counter:
    """Counts what the process holds, on the thread of OpenGL, whatever the viewers chose.

    Now and then what was chosen at first is chosen for some passes, in a window of the first size,
    and what the page did meanwhile waits: else what is shown just then would decide what there is.
    """

    def __init__(self, there: "Serving", findings: SoakFindings, seconds: float) -> None:
        from benchmarks.resources import GlCount

        self._there, self._findings, self._every = there, findings, seconds / COUNTS
        self._gl, self._counted = GlCount(), time.monotonic()
        self._first = undoing.values_of(there.app.state)
        self._chosen: Values | None = None  # by the viewers, while it is put aside
        self._size = there.window.size  # of theirs, likewise
        self._passes, self._waiting = 0, list[Any]()
        self._poll: Callable[[], list[Any]] = there.window.poll
        there.window.poll = self.poll

    def poll(self) -> list[Any]:
        """Take events as the window did, or put them aside while the first choices are shown."""
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
    """Say what was found."""
    yield "frames received by who ... " + ", ".join(f"{k} {n}" for k, n in findings.frames.items())
    yield f"messages that no page sends: {findings.messages}"
    early, late = findings.quarter(0) * 1e3, findings.quarter(3) * 1e3
    yield f"keys were seen after {early:.0f} ms in the first quarter, {late:.0f} ms in the last"
    yield from rows([asdict(growth) for growth in findings.growths])
    yield "nothing grows, all are served" if findings.passed else "SOMETHING IS WRONG"
