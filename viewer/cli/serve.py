"""``wheatstone serve``: show the program's window in browsers, until Ctrl+C."""

import errno
import ssl
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.render import WINDOW_SIZE, cuda_ordinal
from wheatstone.viewer.cli.signals import closing_at_signals
from wheatstone.viewer.cli.start import open_view, show_values_of_b
from wheatstone.viewer.cli.view import QUICKLY, prepare_state, saved_at_end, with_defaults_if_broken
from wheatstone.viewer.cli.view_request import ServeRequest
from wheatstone.viewer.display.frames.background_tasks import retire
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.window.app import open_app
from wheatstone.viewer.window.browser_server import tunnel_words
from wheatstone.viewer.window.effects import EFFECTS
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.window.effects.starting import openable, type_path
from wheatstone.viewer.window.effects.writing import named
from wheatstone.viewer.window.serving.authorisation import Authorisation, in_address, is_loopback
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.gpu_jpeg import why_no_gpu_jpeg
from wheatstone.viewer.window.serving.h264 import why_no_h264
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.uploads import Offers, Uploads
from wheatstone.viewer.window.serving.viewers import Viewers

if TYPE_CHECKING:  # whose import needs aiohttp
    from wheatstone.viewer.window.serving.server import Server


def serve(request: ServeRequest) -> int:
    """Run ``wheatstone serve`` until the user ends it; return the exit code."""
    access = _authorisation(request)
    _require_aiohttp()
    return _served(request, access)


@with_defaults_if_broken
def _served(request: ServeRequest, access: Authorisation) -> int:
    with ExitStack() as stack:
        bounds = Bounds(request.root, request.read_only)
        state, source = open_view(request)
        stack.callback(retire, source, QUICKLY)
        prepare_state(request, state, source, bounds)
        signals = stack.enter_context(closing_at_signals(state))
        state.recent, state.served = openable(bounds, state.recent), True
        _show(request, access, state, source, stack, lambda: bool(signals))
    return 128 + signals[0] if signals else 0


def _show(
    request: ServeRequest,
    access: Authorisation,
    state: ViewerState,
    source: Source,
    stack: ExitStack,
    ended: Callable[[], bool],
) -> None:
    """Draw the window without a screen, and send its images to browsers until the end.

    Args:
        ended: returns whether a signal has requested the end.
    """
    from wheatstone.viewer.display.screen.offscreen import OffscreenContext

    stack.enter_context(OffscreenContext(cuda_ordinal(state)))
    from wheatstone.viewer.window.serving.served_window import ServedWindow, isolate_reading, run

    viewers, offers = Viewers(), Offers()
    width, height = request.size or WINDOW_SIZE
    window = stack.enter_context(closing(ServedWindow(width, height, viewers, offers)))
    app = open_app(stack, window, state, source, request.display, QUICKLY)
    show_values_of_b(request, app.session)
    encoder = _encoder(request, viewers)
    stack.callback(encoder.join)
    stack.callback(viewers.close)
    uploads = stack.enter_context(closing(Uploads(request.root)))
    app.effects = _effects(uploads)
    isolate_reading(app, stack)
    served = Served(viewers, encoder, access, uploads, offers, read_only=request.read_only)
    served.title, served.theme = lambda: window.title, lambda: state.look.theme
    encoder.start()
    stack.enter_context(closing(_listening(request, served)))
    _say_address(access)
    with saved_at_end(app):
        run(app, window, viewers, encoder, ended)
    for message in app.finish():
        say(message)


def _encoder(request: ServeRequest, viewers: Viewers) -> Encoder:
    """Create the image encoder; raise ``Unavailable`` if H.264 is requested but not possible."""
    lacking = why_no_h264()
    if request.codec == "h264" and lacking:
        raise Unavailable(lacking)
    on_gpu = not why_no_gpu_jpeg()
    return Encoder(viewers, request.codec, request.quality, streams=not lacking, on_gpu=on_gpu)


def _effects(uploads: Uploads) -> Mapping[str, Callable[..., None]]:
    """Return the table of actions (effects), with replacements for those that need a desktop."""

    def note_source(app: ProgramActions) -> None:
        """Add the source to the recent ones, unless it is an upload, deleted at the end."""
        if not uploads.holds(app.session.source.spec.left or ""):
            EFFECTS["note source"](app)

    typed = dict.fromkeys(("open a file", "open a folder", "load"), type_path)
    return {
        **EFFECTS,
        **typed,
        "screenshots folder": _name_folder,
        "note source": note_source,
        "show in browser": _is_served,
    }


def _name_folder(app: ProgramActions) -> None:
    """Show a message with the folder that files are written to.

    This machine's desktop, which would show it, is not visible in a browser.
    """
    app.state.hint(f"files are written into {named(resolved(app.state.bounds.folder))}")


def _is_served(app: ProgramActions) -> None:
    app.state.hint("this window is in a browser already")


def _authorisation(request: ServeRequest) -> Authorisation:
    """Return the access rules; raise ``ValueError`` if the host needs TLS but has none."""
    if not (request.tls or request.insecure or is_loopback(request.host)):
        raise ValueError(
            f"--host {request.host}: other machines could read and change all that is sent; "
            "give --tls CERT KEY, or --insecure"
        )
    if request.record and request.read_only:
        raise ValueError("--record writes a file, which --read-only forbids")
    if not request.root.is_dir():
        raise NotADirectoryError(f"{request.root}: is not a folder")
    for path in request.tls or ():
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file")
    return Authorisation(request.host, bool(request.tls), request.frame_origin, request.port)


def _require_aiohttp() -> None:
    """Raise ``Unavailable`` if aiohttp, which communicates with browsers, is not installed."""
    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            f"`serve` needs aiohttp ({error}); install it with: {install_command('serve')}"
        ) from error


def _listening(request: ServeRequest, served: Served) -> "Server":
    """Start the server; raise ``OSError`` with host and port if that fails."""
    from wheatstone.viewer.window.serving.server import Server

    try:
        return Server(served, request.tls)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(f"port {request.port} of {request.host} is in use already") from error
        if isinstance(error, ssl.SSLError):
            files = " and ".join(map(str, request.tls or ()))
            raise OSError(f"{files}: not a certificate and its key in PEM format") from error
        raise OSError(f"cannot listen at {request.host}: {error.strerror or error}") from error


def _say_address(access: Authorisation) -> None:
    """Print the address of the page, and how to reach it from another machine."""
    print(access.address, flush=True)
    if is_loopback(access.host):
        there = tunnel_words(f"{in_address(access.host)}:{access.port}")
        say(f"open it in a browser; from another machine first: {there}")
    say("press Ctrl+C to stop")
