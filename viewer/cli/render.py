"""``wheatstone render``: draw a view without a window, with the same code as in a window."""

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.device import gpu_number
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.record import ask_to_record
from wheatstone.viewer.cli.sequence import (
    Sequence,
    check_out,
    compute_frame,
    compute_leading,
    numbers_of,
    outputs_of,
    writes_several,
)
from wheatstone.viewer.cli.series import check_images, value_outputs, write_value_files
from wheatstone.viewer.cli.start import open_view, show_values_of_b
from wheatstone.viewer.cli.view_request import RenderRequest
from wheatstone.viewer.display.frames.latest import begin_cloud
from wheatstone.viewer.display.picture.layout import natural_size, stacked_size
from wheatstone.viewer.display.picture.panes import with_strips
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.io.files.cloud import encoder_for, write_cloud
from wheatstone.viewer.io.files.film import fitted, write_film
from wheatstone.viewer.io.files.output import check_file, check_outputs
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.files.values import in_units, table
from wheatstone.viewer.io.sources.disparity_survey import empty_warning
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.settings.recipe import recipe_of
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.theme import PictureStyle

if TYPE_CHECKING:
    from wheatstone.viewer.cli.script import ScriptStep
    from wheatstone.viewer.display.frames.session import Session
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

WINDOW_SIZE = (1280, 800)  # of a script's window, unless it is told
SCRIPT_RATE = 30  # pictures per second of a film of a script
UNWRITTEN = 2  # exit code where a script's file or recording could not be written


def render(request: RenderRequest) -> int:
    """Run ``wheatstone render``: write the requested images and values; return the exit code."""
    steps = _steps(request.script)
    _check_outputs(request, steps)
    check_out(request)
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine())
        line.show("opening the source")
        state, source = open_view(request)
        stack.enter_context(closing(source))
        ask_to_record(request, state, source)
        several = writes_several(request)
        numbers = numbers_of(request, state, source) if several else range(0)
        check_outputs([*outputs_of(request, numbers), *_shots(steps)])
        for note in source.notes:
            say(note)
        check_images(request, state.slot.pipeline)
        if source.spec.left and not several and not source.frame(state.frame).is_pair:
            chosen(state).check_single_image(source.name)
        say(f"{state.slot.pipeline.name}/{state.slot.variant} on {source.name}")
        from wheatstone.viewer.display.screen.offscreen import OffscreenContext

        stack.enter_context(OffscreenContext(cuda_ordinal(state)))
        from wheatstone.viewer.display.frames.session import Session
        from wheatstone.viewer.display.screen.display import Display

        display = stack.enter_context(closing(Display()))
        display.style = PictureStyle(state.look.theme, state.look.scale)
        session = stack.enter_context(closing(Session(state, source, display, request.display)))
        show_values_of_b(request, session)
        if request.script:
            return _play(request, session, steps, line)
        sequence = Sequence(request, session, numbers, line)
        if several:
            sequence.begin()
        else:
            if source.live:  # whose frames are those to come
                state.frame = max(state.frame, state.temporal.span - 1)
            compute_leading(session, line, state.frame)
            compute_frame(session, line)
        if request.choices.get("error_map") and state.truth.show == "off":
            raise ValueError(f"no error map: {state.message}")
        _say_division(session)
        _measure_rows(session)
        session.figures.measure()
        picture = session.drawing.picture
        panes = natural_size(source.width, source.height, len(picture.cells))
        if picture.stacked:
            panes = stacked_size(picture.stacked)
        if badge := session.checks.badge(session.a.shown):
            say(badge.text)
        width, height = request.size or with_strips(picture, *panes, display.style)
        session.drawing.draw(width, height)
        session.finish()
        pipeline = state.slot.pipeline
        for image in pipeline.images:
            if image.columns:
                print(table(session.values(image.name), image))
        if several:
            return sequence.write(width, height)
        _write_results(request, session)
        if request.out:
            write_screenshot(request.out, session.display.read(), recipe_of(session))
            say(f"wrote {request.out}")
    return 0


def _steps(script: Path | None) -> "list[ScriptStep]":
    if not script:
        return []
    from wheatstone.viewer.cli.script import read_script

    return read_script(script)


def _write_results(request: RenderRequest, session: "Session") -> None:
    """Write the requested files with the values and the point cloud of run A."""
    if request.cloud:
        cloud = begin_cloud(session).result()
        write_cloud(request.cloud, cloud)
        say(f"wrote {request.cloud}: {cloud.summary}")
    write_value_files(request, session)


def _play(
    request: RenderRequest, session: "Session", steps: "list[ScriptStep]", line: ProgressLine
) -> int:
    """Play a script in an offscreen window, and write the requested files after its last step."""
    from wheatstone.viewer.cli.script_player import played_frames
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.display.screen.overlay import Overlay
    from wheatstone.viewer.window.app import App

    with ExitStack() as stack:
        session.state.bars = bool(request.bars)
        width, height = request.size or WINDOW_SIZE
        window = OffscreenWindow(width, height)
        stack.enter_context(closing(window))
        overlay = stack.enter_context(closing(Overlay(window.scale)))
        app = stack.enter_context(closing(App(window, session, overlay)))
        frames = played_frames(app, window, steps, Path.cwd(), line.show)
        if request.film:
            write_film(request.film, _pictures(window, frames), SCRIPT_RATE)
        else:
            deque(frames, maxlen=0)
        _measure_rows(session)
        if request.out and not request.film:
            write_screenshot(request.out, window.read(), recipe_of(session))
        if request.out:
            say(f"wrote {request.out}")
        if request.values or request.cloud:
            app.choose_shown()
            _write_results(request, session)
        messages = app.finish()
        for message in dict.fromkeys((*app.background.unwritten, *messages)):
            say(message)
        return UNWRITTEN if app.failed else 0


def _pictures(window: "OffscreenWindow", frames: Iterator[None]) -> Iterator[NDArray[np.uint8]]:
    """Yield the window's pixels in every frame, (H, W, 3), fitted to the size of the first."""
    next(frames)
    first = window.read()
    yield first
    for _ in frames:
        yield fitted(window.read(), *first.shape[:2])


def _say_division(session: "Session") -> None:
    """Print into how many bands (of rows) the images of runs A and B were divided for computing."""
    for runner in (session.a, session.b):
        if runner.shown and runner.execution and (division := runner.execution.division):
            say(f"{runner.shown.slot.name} was computed {division}")


def _measure_rows(session: "Session") -> None:
    """Measure row errors and disparities of the frame shown; print why its result may be wrong."""
    session.rows.measure()
    pipeline = session.state.slot.pipeline
    warnings = session.rows.warnings
    if pipeline.image(pipeline.output).disparity and not warnings:
        output, params = pipeline.image(pipeline.output), session.state.slot.params
        values = in_units(session.values(output.name), output, params)
        warnings = (
            empty_warning(float(np.mean(np.isfinite(values))), session.state.slot.declaration),
        )
    for warning in filter(None, warnings):
        say(warning)


def _check_outputs(request: RenderRequest, steps: "list[ScriptStep]") -> None:
    """Raise an error if the requested output files are invalid, before anything is computed."""
    shots = _shots(steps)
    if request.script and request.film and all(step.verb != "wait" for step in steps):
        raise ValueError(
            f"{request.film}: a film needs a script with `wait`, whose frames it shows"
        )
    if request.record and not request.script:
        raise ValueError("--record needs --script, or the verb `view`")
    if not (request.outputs or shots or request.record):
        asked = "--out PICTURE.png, --values FILE or --cloud FILE, or a script with a shot"
        raise ValueError(f"render writes nothing: give {asked}")
    value_outputs(request)
    if request.cloud:
        encoder_for(request.cloud)
    for path in (*request.outputs, *shots):
        check_file(path)


def _shots(steps: "list[ScriptStep]") -> list[Path]:
    """List the picture files that a script's steps write, each once."""
    return list(dict.fromkeys(Path(step.words[0]) for step in steps if step.verb == "shot"))


def cuda_ordinal(state: ViewerState) -> int | None:
    """Return the number of the GPU to draw on, which also computes; None without CUDA.

    OpenGL and CUDA can then share memory.
    """
    return None if state.absent.get("cuda") else gpu_number()
