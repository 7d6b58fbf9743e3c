"""Effects that show the window in a browser."""

import webbrowser
from functools import partial
from urllib.parse import urlsplit

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.findings import Button
from wheatstone.viewer.settings import recipe, user_settings
from wheatstone.viewer.window.browser_server import BrowserServer, tunnel_words
from wheatstone.viewer.window.effects.program import ProgramActions


def show_in_browser(app: ProgramActions) -> None:
    """Serve the source and all choices as they are now, and ask whether to open it."""
    if app.browser:
        app.browser.close()
        app.browser = None
    chosen = recipe.dumps(user_settings.document(app.state, app.session.source.spec))

    def show(server: BrowserServer) -> None:
        app.browser = server
        app.state.question = _question(server.address)

    app.background.open(
        "starting the server", partial(BrowserServer, chosen), show, BrowserServer.close
    )


def _question(address: str) -> Question:
    there = tunnel_words(urlsplit(address).netloc)
    return Question(
        "A copy of the window is ready for a browser.",
        (address, f"On another machine first: {there}"),
        "It shows what is chosen now, until this window closes.",
        ("open address", address),
        "Open browser",
        (Button("Copy address", ("copy address", address)),),
    )


def open_address(app: ProgramActions, address: str) -> None:
    """Open an address in the user's browser; raise ``Unavailable`` without one."""
    if not webbrowser.open(address):
        raise Unavailable("no browser was found: copy the address")


def copy_address(app: ProgramActions, address: str) -> None:
    """Copy an address to the clipboard."""
    app.window.set_clipboard(address)
    app.state.confirm("the address is copied")
