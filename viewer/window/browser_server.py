"""A server process that shows a copy of the window in browsers."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from wheatstone.gpu import Unavailable

ENDS = 5.0  # seconds that the server has to end on its own


class BrowserServer:
    """A process that serves a copy of the window to browsers until it is closed.

    Attributes:
        address: of the page, with the token that lets its reader in.
        shared: whether other devices reach it.

    Raises:
        Unavailable: it cannot be started, with the reason.
    """

    def __init__(self, settings: str, host: str = "") -> None:
        """Start the server process, and wait until it accepts connections.

        Args:
            settings: in TOML.
            host: the address at which other devices reach it, which open and write no file; empty:
                only this machine does.
        """
        self.shared = bool(host)
        self._folder = tempfile.TemporaryDirectory(prefix="wheatstone-")
        path = Path(self._folder.name) / "window.toml"
        path.write_text(settings, encoding="utf-8")
        words = ["serve", "--port", "0", "--settings", str(path), "--no-save"]
        words += ["--host", host, "--insecure", "--read-only"] * self.shared
        errors = path.with_suffix(".log")
        with errors.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wheatstone", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={name: v for name, v in os.environ.items() if name != "PYOPENGL_PLATFORM"},
            )
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            *_, why = ["the server ended at once", *errors.read_text().splitlines()]
            self.close()
            raise Unavailable(why.removeprefix("wheatstone: "))

    @property
    def runs(self) -> bool:
        """Return whether the server process is running."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the server process, and delete its copy of the settings."""
        self._process.terminate()
        try:
            self._process.wait(ENDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._folder.cleanup()


def tunnel_words(place: str) -> str:
    """Return the ``ssh`` command that another machine uses to reach a server on this one."""
    return f"ssh -L {place.rpartition(':')[2]}:{place} {socket.gethostname()}"


def network_address() -> str:
    """Return this machine's local network address; raise ``Unavailable`` without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # sends nothing, but chooses the network's interface
            address: str = asked.getsockname()[0]
        except OSError as error:
            raise Unavailable(
                f"this machine is not connected to a network ({error.strerror})"
            ) from error
    return address
