"""Draw one view without a window: the same frame code on an OpenGL context of our own."""

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.device import open_device
from viewer.screen.layout import natural_size
from viewer.screen.picture import with_strips
from viewer.settings.screenshot import check_png, write_screenshot
from viewer.start import open_view
from viewer.state import ViewerState
from viewer.values import table, write_values, writer_for

if TYPE_CHECKING:
    from viewer.session import Session

WINDOW_SIZE = (1280, 800)  # of a script's window, unless it is told


def render(options: argparse.Namespace) -> int:
    """Write the picture and the values that a command line asks for."""
    if not options.script:
        _check_outputs(options.out, options.values)
    state, source = open_view(options)
    with ExitStack() as stack:
        stack.enter_context(closing(source))
        for note in source.notes:
            _say(note)
        _say(f"{state.slot.pipeline.name}/{state.slot.variant} on {source.name}")
        from viewer.screen.offscreen import OffscreenContext

        stack.enter_context(OffscreenContext(_cuda_ordinal(state)))
        from viewer.screen.display import Display
        from viewer.session import Session

        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display, options.display)))
        if options.script:
            return _play(options, session)
        session.compute()
        if options.error_map and state.truth.show == "off":
            raise ValueError(f"no error map: {state.message}")
        panes = natural_size(source.width, source.height, len(session.picture.cells))
        if badge := session.checks.badge(session.a.shown):
            _say(badge.text)
        width, height = options.size or with_strips(session.picture, *panes)
        session.draw(width, height)
        session.finish()
        pipeline = state.slot.pipeline
        for image in pipeline.images:
            if image.columns:
                print(table(session.values(image.name), image))
        if options.values:
            image = pipeline.image(pipeline.output)
            write_values(options.values, session.values(image.name), image, state.slot.params)
            _say(f"wrote {options.values}")
        if options.out:
            write_screenshot(options.out, display.read(), session.recipe())
            _say(f"wrote {options.out}")
    return 0


def _play(options: argparse.Namespace, session: "Session") -> int:
    """Play a script in a window that nobody sees."""
    from viewer.app import App
    from viewer.screen.offscreen_window import OffscreenWindow
    from viewer.screen.overlay import Overlay
    from viewer.script import parse_script, play

    steps = parse_script(options.script.read_text(encoding="utf-8"))
    with ExitStack() as stack:
        width, height = options.size or WINDOW_SIZE
        window = OffscreenWindow(width, height, options.scale)
        stack.enter_context(closing(window))
        overlay = stack.enter_context(closing(Overlay(window.scale)))
        app = stack.enter_context(closing(App(window, session, overlay)))
        play(app, window, steps, Path.cwd())
        if options.out:
            write_screenshot(options.out, window.read(), session.recipe())
            _say(f"wrote {options.out}")
    return 0


def _check_outputs(out: Path | None, values: Path | None) -> None:
    """Refuse bad file names before computing, not after."""
    if not out and not values:
        raise ValueError("render writes nothing: give --out PICTURE.png, --values FILE or both")
    if out:
        check_png(out)
    if values:
        writer_for(values)
    for path in (out, values):
        if path and not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")


def _cuda_ordinal(state: ViewerState) -> int | None:
    """The GPU to draw on: the one that computes, so that the two can share memory."""
    if state.absent.get("cuda"):
        return None
    return getattr(open_device("cuda"), "ordinal", None)


def _say(text: str) -> None:
    print(f"wheatstone: {text}", file=sys.stderr)
