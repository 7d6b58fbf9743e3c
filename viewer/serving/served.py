"""The parts of the program that the server uses."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wheatstone.viewer.serving.audience import Audience
from wheatstone.viewer.serving.doors import Doors
from wheatstone.viewer.serving.encoder import Encoder
from wheatstone.viewer.serving.uploads import Offers, Uploads


@dataclass
class Served:
    """The parts of the program that a server uses: its state, and the receivers of input.

    Attributes:
        doors: the authorisation of requests.
        uploads: receives the files that viewers send.
        offers: files that viewers may download.
        title: returns a title of the content shown.
    """

    audience: Audience
    encoder: Encoder
    doors: Doors
    uploads: Uploads
    offers: Offers = field(default_factory=Offers)
    read_only: bool = False
    title: Callable[[], str] = str

    @property
    def codecs(self) -> list[str]:
        """Return the codecs that can be chosen."""
        return ["jpeg", "png", *["h264"] * self.encoder.streams]
