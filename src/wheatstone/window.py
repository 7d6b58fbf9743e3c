"""Show a run (a pipeline with parameters) on a source in a window, or in a notebook cell."""

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.run.run import Run
from wheatstone.window_process import WindowProcess, WindowSettings

if TYPE_CHECKING:
    from wheatstone.notebook import NotebookWindow

NEEDED = ("anywidget", "aiohttp")
"""Packages that show a window in a notebook."""


def show(
    source: Source | Frame,
    run: Run | None = None,
    compare: Run | None = None,
    *,
    height: int = 720,
    port: int = 0,
) -> "NotebookWindow | None":
    """Show a run (a pipeline with parameters) on a source in a live window with panels and keys.

    In a notebook the window appears in the cell, and the call returns at once. Elsewhere a desktop
    window opens, and the call returns when the user closes it. The window runs in a process of its
    own, which ends with this one. It does not change the session that ``wheatstone`` restores.

    Args:
        source: a source that ``wheatstone.open`` returned, or a frame.
        run: the computation of slot A; by default ``sgm`` with its default parameters.
        compare: the computation of slot B, shown side by side with slot A.
        height: height of the notebook cell in CSS pixels.
        port: port at which a notebook's browser reaches the window; any free one by default.

    Returns:
        The widget, which ``close()`` ends, in a notebook; None elsewhere.

    Raises:
        ValueError: the source cannot be opened a second time, such as a pipe.
        RuntimeError: the desktop window did not open; the reason is on standard error.
        Unavailable: this is a notebook, and anywidget or aiohttp is not installed.
    """
    settings = WindowSettings(source, run or Run(), compare)
    if in_notebook():
        require_notebook()
        from wheatstone.notebook import NotebookWindow

        return NotebookWindow(settings, height, port)
    with WindowProcess("view", settings) as window:
        code = window.wait()
    if code:
        raise RuntimeError(f"the window ended with exit code {code}; see the messages above")
    return None


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, whose cells can show widgets."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell: Any = get_ipython()
    return getattr(shell, "kernel", None) is not None


def require_notebook() -> None:
    """Raise ``Unavailable`` if a package that shows a window in a notebook is missing."""
    if missing := [name for name in NEEDED if not find_spec(name)]:
        raise Unavailable(
            f"a notebook needs {' and '.join(missing)}: {install_command('notebook')}"
        )
