"""Actions (effects) that show the window in a browser."""

import webbrowser
from functools import partial
from urllib.parse import urlsplit

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.findings import Button
from wheatstone.viewer.settings import recipe
from wheatstone.viewer.window.browser_server import (
    BrowserServer,
    network_address,
    tunnel_words,
)
from wheatstone.viewer.window.effects.program import ProgramActions

SHARE = Button("Share in network...", ("share",))
STOP = Button("Stop sharing", ("stop sharing",))


def share(app: ProgramActions) -> None:
    """Ask whether to serve the window to other devices; if already served, show the address."""
    if app.browser and app.browser.runs and app.browser.shared:
        app.state.question = _shared(app.browser.address)
        return
    app.state.question = Question(
        "Share a copy of this window in the local network?",
        (
            "Its address contains a secret. Anyone with the address can watch and change the "
            "display.",
        ),
        "Viewers can neither open nor write files. The connection is not encrypted: share only "
        "in a network that you trust. Sharing ends with this window.",
        ("share now",),
        "Share",
    )


def share_now(app: ProgramActions) -> None:
    """Serve a read-only copy of the window to the local network.

    Raises:
        Unavailable: the machine is in no network.
    """
    show_in_browser(app, network_address())


def stop_sharing(app: ProgramActions) -> None:
    """End the server that shows the copy of the window."""
    _close(app)
    app.state.confirm("the window is no longer shared")


def _close(app: ProgramActions) -> None:
    if app.browser:
        app.browser.close()
        app.browser = None


def show_in_browser(app: ProgramActions, host: str = "") -> None:
    """Start a server in the background that shows a copy of the window; show its address.

    Args:
        host: the address of this machine at which others reach it; empty: only this machine.
    """
    _close(app)
    chosen = recipe.dumps(recipe.document(app.state, app.session.source.spec))

    def show(server: BrowserServer) -> None:
        app.browser = server
        app.state.question = (_shared if host else _question)(server.address)

    start = partial(BrowserServer, chosen, host)
    app.background.open("starting the server", start, show, BrowserServer.close)


def _question(address: str) -> Question:
    there = tunnel_words(urlsplit(address).netloc)
    return Question(
        "A copy of the window is ready for a browser.",
        (address, f"On another machine, first run: {there}"),
        "It starts with the current choices, and ends with this window.",
        ("open address", address),
        "Open browser",
        (Button("Copy address", ("copy address", address)), SHARE),
        no="Close",
    )


def _shared(address: str) -> Question:
    """Return the dialog with the address of the shared window, also as a QR code."""
    return Question(
        "The window is shared. Open this address, or scan the code with a phone:",
        (address,),
        "The phone must be in the same network, and a firewall must allow the connection.",
        ("copy address", address),
        "Copy address",
        (STOP,),
        qr_code(address),
        no="Close",
    )


def qr_code(text: str) -> tuple[str, ...]:
    """Encode a text as a QR code, in rows of ``#`` and spaces, with its quiet border."""
    import cv2

    modules = cv2.QRCodeEncoder.create().encode(text)
    return tuple("".join("# "[bool(module)] for module in row) for row in modules)


def open_address(app: ProgramActions, address: str) -> None:
    """Open an address in the user's browser; raise ``Unavailable`` if there is no browser."""
    if not webbrowser.open(address):
        raise Unavailable("no browser was found: copy the address")


def copy_address(app: ProgramActions, address: str) -> None:
    """Copy an address to the clipboard."""
    app.window.set_clipboard(address)
    app.state.confirm("the address was copied")
