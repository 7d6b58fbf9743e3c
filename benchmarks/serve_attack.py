"""Attack a served window over TLS; measure its memory and the service for an honest viewer.

The program runs as ``wheatstone serve --tls`` at 127.0.0.1 in a new process, with all arguments
that are not options, and plays. Another process attacks it: by connections that stay silent or stop
within the handshake, by request bodies and headers of one byte per second, by malformed messages,
and by uploads that are refused. Meanwhile this process is an honest viewer, which counts its
pictures and measures how long a key takes. All attacks are limited in rate and in time. The exit
code is 1 if memory grows by more than ``GROWN`` in the second half of the attack, or if a key of
the honest viewer takes longer than ``LONGEST``.
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

HELLO = b"\x16\x03\x01\x02\x00"  # the start of a first TLS record, which announces 512 bytes
PAUSE = 0.004  # seconds between two connections of a kind
OPEN = 300  # connections of a kind that the attackers keep open
SLOW = 4  # slow bodies, and slow headers, at the same time
EVERY = 0.5  # seconds between two keys, and between two measurements of memory
GROWN = 16 * 2**20  # bytes by which memory may grow
LONGEST = 5.0  # seconds that a key may take


@dataclass(frozen=True)
class Target:
    """The served program that is attacked.

    Attributes:
        trust: path of its certificate.
        seconds: duration of the attack.
        viewer: name of the honest viewer, which controls the program.
        ends: end of the attack by the clock ``time.monotonic``; 0 before it begins.
    """

    port: int
    token: str
    trust: str
    seconds: float
    viewer: str = ""
    ends: float = 0.0

    def begun(self) -> "Target":
        """Return the target of an attack that begins now."""
        return replace(self, ends=time.monotonic() + self.seconds)

    @property
    def address(self) -> str:
        """Return the address of the page."""
        return f"https://localhost:{self.port}"

    @property
    def is_attacked(self) -> bool:
        """Whether the attack has not ended yet."""
        return time.monotonic() < self.ends

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that the page in control sends with an upload."""
        known = {"Authorization": f"Bearer {self.token}", "Origin": self.address}
        return known | {"X-Viewer": self.viewer}

    def session(self) -> "aiohttp.ClientSession":
        """Open an HTTP session that trusts the certificate."""
        import aiohttp

        trusted = ssl.create_default_context(cafile=self.trust)
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted, limit=0))

    async def look(self, session: "aiohttp.ClientSession") -> "Client":
        """Connect to the program as a viewer, like the page does."""
        from tests.serving import Client
        from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL

        protocols = (SUBPROTOCOL, self.token)
        socket = await session.ws_connect(
            f"{self.address}/ws", protocols=protocols, origin=self.address, max_msg_size=0
        )
        return Client(socket)


async def _stay_silent(target: Target, counts: Counter[str], first: bytes, name: str) -> None:
    """Open connections that send ``first`` and then nothing; keep the newest ones open."""
    loop, connections = asyncio.get_running_loop(), deque[socket.socket]()
    while target.is_attacked:
        connections.append(connection := socket.socket())
        connection.setblocking(False)
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2.0):
                await loop.sock_connect(connection, ("127.0.0.1", target.port))
                await loop.sock_sendall(connection, first)
                counts[name] += 1
        if len(connections) > OPEN:
            connections.popleft().close()
        await asyncio.sleep(PAUSE)
    for connection in connections:
        connection.close()


async def _send_slowly(target: Target, counts: Counter[str], head: str, name: str) -> None:
    """Send requests that begin with ``head`` and go on with one byte per second."""
    trusted = ssl.create_default_context(cafile=target.trust)
    headers = "".join(f"{key}: {value}\r\n" for key, value in target.headers.items())
    while target.is_attacked:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("localhost", target.port, ssl=trusted)
            counts[name] += 1
            with closing(writer):
                writer.write(head.format(host=f"localhost:{target.port}", headers=headers).encode())
                while target.is_attacked and not writer.is_closing():
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(1.0)


BODY = "POST /upload?name=a.png HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: 90000\r\n\r\n"
HEAD = "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: "


async def _send_malformed(target: Target, counts: Counter[str]) -> None:
    """Send malformed messages, except those that would take control of the program."""
    from tests.fuzz.messages import message

    pick = random.Random(1)
    async with target.session() as session:
        while target.is_attacked:
            with suppress(OSError, Exception):
                async with await target.look(session) as viewer:
                    while target.is_attacked and not viewer.socket.closed:
                        if "control" not in (sent := message(pick)):
                            await viewer.socket.send_str(sent)
                            counts["messages"] += 1
                        await asyncio.sleep(0.02)
                        viewer.frames.clear()
            await asyncio.sleep(0.05)


async def _upload_bad_names(target: Target, counts: Counter[str]) -> None:
    """Upload files that the program refuses because of their names."""
    async with target.session() as session:
        while target.is_attacked:
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
    """Attack until the time is over; put the counts of attacks into the queue ``results``."""
    counts: Counter[str] = Counter()

    async def all_at_once() -> None:
        """Run all kinds of attacks at the same time."""
        attacks: list[Coroutine[Any, Any, None]] = [
            _stay_silent(target, counts, b"", "silent connections"),
            _stay_silent(target, counts, HELLO, "half handshakes"),
            _send_malformed(target, counts),
            _upload_bad_names(target, counts),
            *(_send_slowly(target, counts, BODY, "slow bodies") for _ in range(SLOW)),
            *(_send_slowly(target, counts, HEAD, "slow headers") for _ in range(SLOW)),
        ]
        await asyncio.gather(*attacks)

    from tests.fuzz import messages  # noqa: F401  # takes long to import

    results.put("ready")
    target = target.begun()
    asyncio.run(all_at_once())
    results.put(dict(counts))


@dataclass
class AttackFindings:
    """The measurements of an attack.

    Attributes:
        attacks: number of attacks by kind.
        frames: number of frames that the honest viewer received, by phase: ``quiet``, ``attack``.
        latencies: seconds that its keys took, by phase.
        seconds: duration by phase.
        memory: resident bytes of the program during the attack.
    """

    attacks: dict[str, int] = field(default_factory=dict)
    frames: dict[str, int] = field(default_factory=dict)
    latencies: dict[str, list[float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)

    @property
    def growth(self) -> int:
        """Return by how many bytes memory grew in the second half of the attack."""
        half = len(self.memory) // 2
        return max(self.memory[half:], default=0) - max(self.memory[:half], default=0)

    @property
    def passed(self) -> bool:
        """Whether memory did not grow and the honest viewer was served in time."""
        served = all(self.latencies.values()) and max(map(max, self.latencies.values())) < LONGEST
        return served and self.growth < GROWN

    def lines(self) -> list[str]:
        """Return the lines of the report."""
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
            f"{mib[-1]:.0f} at the end; growth in the second half: {self.growth / 2**20:.1f} MiB"
        )
        passed = "passed: memory does not grow, and the viewer is served"
        return [*lines, passed if self.passed else "FAILED"]


async def _honest(findings: AttackFindings, target: Target, memory: Callable[[], int]) -> None:
    """Run the honest viewer for a while before the attack, and during it."""
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
    """Count pictures and time keys until ``ends``; store the findings of the phase ``name``."""
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


def main(*words: str, seconds: Annotated[float, "duration, at most 600"] = 60.0) -> Findings:
    """Serve and attack; fail if memory grows or the honest viewer has to wait."""
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
