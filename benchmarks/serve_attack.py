"""Attack a served window for a minute by TLS, and print memory and what an honest viewer receives.

The program runs as ``wheatstone serve --tls``, with all words that are no option, in a process of
its own at 127.0.0.1, and plays. Another process attacks it: connections that stay silent or stop
within the handshake, bodies and headers of a byte a second, malformed messages, and uploads that
are refused. Meanwhile this process is an honest viewer, which counts its pictures and measures how
long a key takes. All attacks are limited in rate and in time. The exit code is 1 if memory grows by
more than ``GROWN`` in the second half of the attack, or a key of the honest viewer takes longer
than ``LONGEST``.
"""

import asyncio
import multiprocessing
import random
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from benchmarks.resources import resident
from benchmarks.runner import Findings
from benchmarks.serve import WORDS

if TYPE_CHECKING:
    import aiohttp

    from tests.serving import Client

HELLO = b"\x16\x03\x01\x02\x00"  # the beginning of TLS's first record, which goes on for 512 bytes
PAUSE = 0.004  # seconds between two connections of a kind
OPEN = 300  # connections of a kind that the attackers hold
SLOW = 4  # bodies and headers of a byte a second, at a time
EVERY = 0.5  # seconds between two keys, and two looks at memory
GROWN = 16 * 2**20  # bytes
LONGEST = 5.0  # seconds


@dataclass(frozen=True)
class Target:
    """A program that is served.

    Attributes:
        trust: its certificate.
        seconds: how long the attack takes.
        viewer: the name of the honest viewer, which is in control.
        ends: when it ends, by the clock ``time.monotonic``; 0 before it begins.
    """

    port: int
    token: str
    trust: str
    seconds: float
    viewer: str = ""
    ends: float = 0.0

    def begun(self) -> "Target":
        """Begin the attack now."""
        return replace(self, ends=time.monotonic() + self.seconds)

    @property
    def address(self) -> str:
        """Name the page."""
        return f"https://localhost:{self.port}"

    @property
    def goes_on(self) -> bool:
        """Tell whether the attack goes on."""
        return time.monotonic() < self.ends

    @property
    def headers(self) -> dict[str, str]:
        """List what the page in control sends with an upload."""
        known = {"Authorization": f"Bearer {self.token}", "Origin": self.address}
        return known | {"X-Viewer": self.viewer}

    def session(self) -> "aiohttp.ClientSession":
        """Begin a session that trusts the certificate."""
        import aiohttp

        trusted = ssl.create_default_context(cafile=self.trust)
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted, limit=0))

    async def look(self, session: "aiohttp.ClientSession") -> "Client":
        """Look as the page does."""
        from tests.serving import Client
        from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL

        protocols = (SUBPROTOCOL, self.token)
        socket = await session.ws_connect(
            f"{self.address}/ws", protocols=protocols, origin=self.address, max_msg_size=0
        )
        return Client(socket)


async def _stays_silent(target: Target, counts: Counter[str], first: bytes, name: str) -> None:
    """Open connections that send some bytes and then nothing, and hold the last ones."""
    loop, held = asyncio.get_running_loop(), deque[socket.socket]()
    while target.goes_on:
        held.append(connection := socket.socket())
        connection.setblocking(False)
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2.0):
                await loop.sock_connect(connection, ("127.0.0.1", target.port))
                await loop.sock_sendall(connection, first)
                counts[name] += 1
        if len(held) > OPEN:
            held.popleft().close()
        await asyncio.sleep(PAUSE)
    for connection in held:
        connection.close()


async def _sends_slowly(target: Target, counts: Counter[str], head: str, name: str) -> None:
    """Send a request a byte a second, again and again."""
    trusted = ssl.create_default_context(cafile=target.trust)
    headers = "".join(f"{key}: {value}\r\n" for key, value in target.headers.items())
    while target.goes_on:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("localhost", target.port, ssl=trusted)
            counts[name] += 1
            with closing(writer):
                writer.write(head.format(host=f"localhost:{target.port}", headers=headers).encode())
                while target.goes_on and not writer.is_closing():
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(1.0)


BODY = "POST /upload?name=a.png HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: 90000\r\n\r\n"
HEAD = "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: "


async def _sends_rubbish(target: Target, counts: Counter[str]) -> None:
    """Send messages that no page sends, except those that take control."""
    from tests.fuzz.messages import message

    pick = random.Random(1)
    async with target.session() as session:
        while target.goes_on:
            with suppress(OSError, Exception):
                async with await target.look(session) as viewer:
                    while target.goes_on and not viewer.socket.closed:
                        if "control" not in (sent := message(pick)):
                            await viewer.socket.send_str(sent)
                            counts["messages"] += 1
                        await asyncio.sleep(0.02)
                        viewer.frames.clear()
            await asyncio.sleep(0.05)


async def _is_refused(target: Target, counts: Counter[str]) -> None:
    """Upload files that are refused for their names."""
    async with target.session() as session:
        while target.goes_on:
            with suppress(OSError, Exception):
                answer = await session.post(
                    f"{target.address}/upload",
                    params={"name": "../a"},
                    data=b"x" * 1000,
                    headers=target.headers,
                )
                counts[f"uploads ({answer.status})"] += 1
            await asyncio.sleep(0.02)


def attack(target: Target, results: Any) -> None:
    """Attack until the time is over, and send the counts."""
    counts: Counter[str] = Counter()

    async def all_at_once() -> None:
        """Attack in every way."""
        ways: list[Coroutine[Any, Any, None]] = [
            _stays_silent(target, counts, b"", "silent connections"),
            _stays_silent(target, counts, HELLO, "half handshakes"),
            _sends_rubbish(target, counts),
            _is_refused(target, counts),
            *(_sends_slowly(target, counts, BODY, "slow bodies") for _ in range(SLOW)),
            *(_sends_slowly(target, counts, HEAD, "slow headers") for _ in range(SLOW)),
        ]
        await asyncio.gather(*ways)

    from tests.fuzz import messages  # noqa: F401  # takes long to import

    results.put("ready")
    target = target.begun()
    asyncio.run(all_at_once())
    results.put(dict(counts))


@dataclass
class AttackFindings:
    """What came of it.

    Attributes:
        attacks: how many there were of every kind.
        frames: that the honest viewer received, by what went on meanwhile: ``quiet``, ``attack``.
        latencies: of its keys, in seconds, likewise.
        seconds: how long each took.
        memory: of the program, in bytes, during the attack.
    """

    attacks: dict[str, int] = field(default_factory=dict)
    frames: dict[str, int] = field(default_factory=dict)
    latencies: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)

    @property
    def growth(self) -> int:
        """Compute by how many bytes memory grew in the second half of the attack."""
        half = len(self.memory) // 2
        return max(self.memory[half:], default=0) - max(self.memory[:half], default=0)

    @property
    def passed(self) -> bool:
        """Tell whether memory is flat and the viewer was served."""
        served = all(self.latencies.values()) and max(map(max, self.latencies.values())) < LONGEST
        return served and self.growth < GROWN

    def lines(self) -> list[str]:
        """Write the results, a line each."""
        attacks = ", ".join(f"{count} {name}" for name, count in sorted(self.attacks.items()))
        lines = [f"attacks: {attacks}"]
        for name, frames in self.frames.items():
            seconds = self.seconds[name]
            late = [second * 1e3 for second in self.latencies[name]]
            lines.append(
                f"honest viewer, {name}: {frames / seconds:.1f} pictures/s for {seconds:.0f} s; "
                f"a key takes {median(late):.0f} ms (median), {max(late):.0f} ms at most"
            )
        mib = [value / 2**20 for value in self.memory]
        lines.append(
            f"memory: {mib[0]:.0f} MiB when the attack begins, {max(mib):.0f} at most, "
            f"{mib[-1]:.0f} at the end; grown by {self.growth / 2**20:.1f} in its second half"
        )
        return [*lines, "flat, and all is served" if self.passed else "SOMETHING IS WRONG"]


async def _honest(findings: AttackFindings, target: Target, memory: Callable[[], int]) -> None:
    """Look and press keys, a while before the attack and then as long as it goes on."""
    async with target.session() as session, await target.look(session) as viewer:
        await viewer.until(lambda: viewer.frames)
        target = replace(target, viewer=viewer.received[0]["viewer"])
        await _look(findings, "quiet", viewer, time.monotonic() + 10.0, memory)
        findings.memory.clear()
        context = multiprocessing.get_context("spawn")
        results = context.Queue()
        attackers = context.Process(target=attack, args=(target, results), daemon=True)
        attackers.start()
        await asyncio.to_thread(results.get, True, 60.0)
        await _look(findings, "attack", viewer, target.begun().ends, memory)
        findings.attacks = await asyncio.to_thread(results.get, True, 60.0)
        await asyncio.to_thread(attackers.join, 60.0)


async def _look(
    findings: AttackFindings, name: str, viewer: "Client", ends: float, memory: Callable[[], int]
) -> None:
    """Count pictures and time keys until some time."""
    begin, late = time.monotonic(), findings.latencies.setdefault(name, [])
    findings.frames[name] = 0
    while time.monotonic() < ends:
        pressed = time.perf_counter()
        number = await viewer.press("m", "KeyM")
        await viewer.until(lambda: viewer.frames[-1].seen >= number)  # noqa: B023
        late.append(time.perf_counter() - pressed)
        await asyncio.sleep(EVERY)
        findings.frames[name] += len(viewer.frames) - 1
        del viewer.frames[:-1], viewer.received[:-10]
        findings.memory.append(memory())
    findings.seconds[name] = time.monotonic() - begin


def main(*words: str, seconds: Annotated[float, "at most 600"] = 60.0) -> Findings:
    """Serve and attack; it fails if memory grows or the honest viewer has to wait."""
    from tests.programs import environment
    from tests.served_alone import certificate

    words = words or (*WORDS, "--size", "640x400")
    findings = AttackFindings()
    with tempfile.TemporaryDirectory() as folder:
        files = certificate(Path(folder))
        options = ("--tls", *map(str, files), "--root", folder, "--fresh", "--host", "127.0.0.1")
        command = [sys.executable, "-m", "wheatstone", "serve", *words, *options]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment(XDG_CONFIG_HOME=folder)
        ) as program:
            assert program.stdout
            address, _, token = program.stdout.readline().strip().partition("/#")
            target = Target(
                int(address.rpartition(":")[2]), token, str(files[0]), min(seconds, 600.0)
            )
            try:
                asyncio.run(_honest(findings, target, lambda: resident(program.pid)))
            finally:
                program.send_signal(signal.SIGINT)
    return Findings(vars(findings), findings.lines(), findings.passed)
