"""Measure the CPU load of an idle window, and the time until it shows the effect of a key.

Starts the program in a window on a new Xvfb, with all arguments that are not options, and prints a
Markdown table. CPU is the time of all threads of the process, in per cent of one core. xdotool
presses the key; its time counts from the start of xdotool until pixels of the picture change. There
is no window manager, so the benchmark sets the property WM_STATE to minimise the window.
"""

import ctypes
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.runner import Count
from tests.programs import x_server
from wheatstone.gpu.host import processor_name
from wheatstone.viewer.io.files.markdown import markdown

SCREEN = 1400, 900
WORDS = ("sgm", "--fresh", "--variant", "cpu", "--scene-size", "160x120", "--disparities", "64")
PANELS = ("F3", "i", "F2")  # stages, inspector and parameters
CALM = 5.0  # CPU load of a program that is idle, at most, in per cent of a core
LONGEST = 40.0  # seconds to wait for that load, at most
PATIENCE = 120.0  # timeout in seconds
NORMAL, ICONIC = 1, 3  # values of WM_STATE


@dataclass(frozen=True)
class Desktop:
    """An X server without a window manager that stores its screen in a file.

    Attributes:
        environment: environment variables of programs that open windows there.
        screen: file of the screen, in XWD format.
    """

    environment: Mapping[str, str]
    screen: Path

    def pixels(self) -> NDArray[np.uint8]:
        """Map the current content of the screen into memory: (H, bytes per row)."""
        header = np.fromfile(self.screen, ">u4", 25)
        size, height, row, colors = (int(header[at]) for at in (0, 5, 12, 19))
        begin = size + 12 * colors
        return np.memmap(self.screen, np.uint8, "r", begin, (height, row))

    def xdotool(self, *words: str) -> str:
        """Run xdotool; return what it prints."""
        command, given = ["xdotool", *words], self.environment
        return subprocess.check_output(command, env=given, timeout=PATIENCE, text=True)


@contextmanager
def desktop() -> Iterator[Desktop]:
    """Start an X server that runs until the context ends."""
    with (
        tempfile.TemporaryDirectory(prefix="wheatstone-") as folder,
        x_server(*SCREEN, "-fbdir", folder) as environment,
    ):
        environment |= {"XDG_CONFIG_HOME": f"{folder}/settings"}
        yield Desktop(environment, Path(folder) / "Xvfb_screen0")


class Program:
    """The program, which runs in a window on a ``Desktop``."""

    def __init__(self, x_server: Desktop, words: Sequence[str]) -> None:
        self._desktop = x_server
        command = [sys.executable, "-m", "wheatstone", "view", *words]
        self.process = subprocess.Popen(command, env=x_server.environment)
        window = x_server.xdotool("search", "--sync", "--onlyvisible", "--name", "Wheatstone")
        self.window = int(window.split()[0])
        x_server.xdotool("windowfocus", str(self.window), "mousemove", "5", "5")

    def press(self, *keys: str) -> None:
        """Press keys, and wait until their effects and rendering ahead are complete."""
        self._desktop.xdotool("key", "--delay", "200", *keys)
        self._settle()

    def _settle(self) -> None:
        """Wait until the program is idle, at most ``LONGEST`` seconds."""
        until = time.monotonic() + LONGEST
        while self.cpu(2.0) > CALM and time.monotonic() < until:
            pass

    def cpu(self, seconds: float) -> float:
        """Measure the CPU load during some seconds, in per cent of a core."""
        began, used = time.monotonic(), self._used()
        time.sleep(seconds)
        return 100 * (self._used() - used) / (time.monotonic() - began)

    def _used(self) -> float:
        """Return the CPU time that all threads have used, in seconds."""
        return cpu_seconds(self.process.pid)

    def toggle_pause(self) -> None:
        """Press the key that switches between playing and paused."""
        self._desktop.xdotool("key", "space")
        time.sleep(1.0)

    def reactions(self, keys: int) -> list[float]:
        """Press the key of the colour maps several times; return milliseconds to each effect."""
        picture = self._desktop.pixels()[SCREEN[1] // 4 : SCREEN[1] // 2, : 2 * SCREEN[0]]
        times = []
        for _ in range(keys):
            before, began = picture.copy(), time.monotonic()
            with subprocess.Popen(["xdotool", "key", "m"], env=self._desktop.environment):
                while np.array_equal(picture, before):
                    if time.monotonic() - began > PATIENCE:
                        raise TimeoutError("a key changes no pixel")
                    time.sleep(0.0005)
                times.append(1e3 * (time.monotonic() - began))
            time.sleep(1.5)  # until the program waits again
        return times

    def minimise(self, minimised: bool = True) -> None:
        """Minimise the window as a window manager does, or show it again."""
        set_state(self._desktop.environment["DISPLAY"], self.window, minimised)
        self._settle()

    def close(self) -> None:
        """End the program."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


def cpu_seconds(process: int) -> float:
    """Return the CPU time that all threads of a process have used, in seconds."""
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) / os.sysconf("SC_CLK_TCK")


def set_state(display: str, window: int, minimised: bool) -> None:
    """Set the property WM_STATE of a window, as window managers do when they minimise it."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    server = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    name = ctypes.c_ulong(x11.XInternAtom(server, b"WM_STATE", False))
    state = (ctypes.c_ulong * 2)(ICONIC if minimised else NORMAL, 0)
    x11.XChangeProperty(server, ctypes.c_ulong(window), name, name, 32, 0, state, 2)
    x11.XCloseDisplay(server)


def main(*words: str, seconds: Count = 10, keys: Count = 15) -> bool:
    """Measure the window in every state and print a table."""
    chosen = words or WORDS
    with desktop() as x_server:
        program = Program(x_server, chosen)
        try:
            lines = list(_measure_states(program, seconds, keys))
        finally:
            program.close()
    print(f"view {' '.join(chosen)}, {os.cpu_count()} cores, {processor_name()}\n")
    print(markdown(("State", "CPU, %", "key, ms (median)", "longest"), lines))
    return True


def _measure_states(program: Program, seconds: float, keys: int) -> Iterator[tuple[str, ...]]:
    """Switch the program to each state, measure it, and yield the row of the table."""
    program.press("space")
    for state, pressed in (("paused", ()), ("paused, panels open", PANELS)):
        if pressed:
            program.press(*pressed)
        share = program.cpu(seconds)
        took = program.reactions(keys)
        yield state, f"{share:.1f}", f"{statistics.median(took):.0f}", f"{max(took):.0f}"
    program.toggle_pause()
    program.minimise()
    yield "minimised, playing", f"{program.cpu(seconds):.1f}", "", ""
