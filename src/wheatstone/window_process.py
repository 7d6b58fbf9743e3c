"""Run a window of the program in a child process, which ends with its parent.

Run as a module, this file is the child: ``python -m wheatstone.window_process FOLDER VERB ...``.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

PATIENCE = 10.0
"""Seconds that the child has to close its window when it is asked to end."""
OWN_SETTINGS = ("--trust-sources", "--no-save")
"""The program opens files named by the caller, and leaves the user's last session unchanged."""


@dataclass(frozen=True, eq=False)
class WindowSettings:
    """The settings of a window: a source, and the one or two runs computed on its frames.

    Attributes:
        source: a source that can be opened again, or a frame.
        run: the computation of slot A.
        compare: the computation of slot B; None for slot A alone.

    Raises:
        ValueError: the source cannot be opened again, such as a pipe.
    """

    source: Source | Frame
    run: Run
    compare: Run | None = None

    def __post_init__(self) -> None:
        if isinstance(self.source, Frame) or self.source.spec:
            return
        if self.source.live or self.source.length != 1:
            raise ValueError(f"{self.source.name} cannot be opened a second time, for its window")

    def write(self, folder: Path) -> Path:
        """Write a settings file, and the images that exist only in memory, into a folder.

        Raises:
            OSError: a file cannot be written.
        """
        from wheatstone.viewer.choices.mixing import Mixing
        from wheatstone.viewer.choices.state import ViewerState
        from wheatstone.viewer.run.run import Run
        from wheatstone.viewer.settings.recipe import dumps, to_recipe

        state = ViewerState(Run(self.run.pipeline, self.run.variant, self.run.params))
        if self.compare:
            other = self.compare
            state.b, state.linked = Run(other.pipeline, other.variant, other.params), False
            state.mixing = Mixing(mode="side-by-side")
        path = folder / "settings.toml"
        path.write_text(dumps(to_recipe(state, self._reopening(folder))), encoding="utf-8")
        return path

    def _reopening(self, folder: Path) -> SourceSpec:
        """Return the description of a source that opens the same frames again."""
        if isinstance(self.source, Frame):
            return write_frame(self.source, folder)
        return self.source.spec or write_frame(self.source.frame(0), folder)


def write_frame(frame: Frame, folder: Path) -> SourceSpec:
    """Write a frame's views, ground truth and calibration into a folder, without loss.

    Returns:
        The source that opens them.
    """
    import cv2

    from wheatstone.viewer.io.cameras.formats.rectified import middlebury_text

    written: dict[str, str] = {}
    for name, view in (("left", frame.left), ("right", frame.right)):
        if view is not None:
            path = folder / f"{name}.png"
            ordered = view if view.ndim == 2 else view[..., ::-1]
            path.write_bytes(cv2.imencode(".png", np.ascontiguousarray(ordered))[1].tobytes())
            written[name] = str(path)
    if frame.truth is not None:
        np.save(folder / "truth.npy", frame.truth)
        written["truth"] = str(folder / "truth.npy")
    if frame.calibration is not None:
        height, width = frame.shape
        text = middlebury_text(frame.calibration, width, height)
        (folder / "calib.txt").write_text(text, encoding="utf-8")  # found next to the left image
    return SourceSpec(**written)  # type: ignore[arg-type]


class WindowProcess:
    """A window of the program in a child process.

    The child watches a pipe from its parent: it ends when the parent does, however that ends.

    Args:
        verb: ``view`` or ``serve``.
        settings: the settings of the window.
        words: further words of the command line.
        output: destination of the child's standard output; the parent's by default.
        errors: destination of its messages; the parent's standard error by default.
    """

    def __init__(
        self,
        verb: str,
        settings: WindowSettings,
        words: tuple[str, ...] = (),
        output: int | None = None,
        errors: IO[bytes] | None = None,
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="wheatstone-window-"))
        try:
            path = settings.write(self._folder)
            command = (verb, "--settings", str(path), *OWN_SETTINGS, *words)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wheatstone.window_process", str(self._folder), *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                start_new_session=True,  # interrupting a notebook's kernel does not end the window
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def running(self) -> bool:
        """Whether the window is still running."""
        return self._process.poll() is None

    def first_line(self) -> str:
        """Wait for the first line of the child's output; empty if the child ends without one."""
        assert self._process.stdout
        return self._process.stdout.readline().decode().strip()

    def wait(self) -> int:
        """Wait until the window ends; return its exit code."""
        return self._process.wait()

    def close(self) -> None:
        """End the window, and remove the folder of its settings."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def main(folder: Path, words: list[str]) -> int:
    """Run a command line in the child; remove the folder of its settings at the end."""
    from wheatstone.viewer.cli.cli import main as run

    threading.Thread(target=_end_with_parent, args=(folder,), name="parent", daemon=True).start()
    try:
        return run(words)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_with_parent(folder: Path) -> None:
    """Wait until the parent closes the pipe or ends, then end this process."""
    while os.read(0, 1024):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os._exit(1)  # it computes, or waits for a file


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]))
