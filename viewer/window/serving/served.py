"""The parts of the program that the web server uses; importing it needs no aiohttp."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wheatstone.viewer.theme import THEMES
from wheatstone.viewer.window.serving.authorisation import Authorisation
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.uploads import Offers, Uploads
from wheatstone.viewer.window.serving.viewers import Viewers


@dataclass
class Served:
    """The parts of the program that the web server uses: viewers, encoder and files.

    Attributes:
        access: the authorisation of requests.
        uploads: receives the files that viewers send.
        offers: files that viewers may download.
        title: returns a title of the content shown.
        theme: returns the theme of the window, which the page around it takes.
    """

    viewers: Viewers
    encoder: Encoder
    access: Authorisation
    uploads: Uploads
    offers: Offers = field(default_factory=Offers)
    read_only: bool = False
    title: Callable[[], str] = str
    theme: Callable[[], str] = lambda: THEMES[0]

    @property
    def codecs(self) -> list[str]:
        """Return the names of the codecs that a viewer can choose."""
        return ["jpeg", "png", *["h264"] * self.encoder.streams]
