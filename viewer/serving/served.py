"""What the server tells of the program, and hands on to it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wheatstone.viewer.serving.audience import Audience
from wheatstone.viewer.serving.doors import Doors
from wheatstone.viewer.serving.encoder import Encoder
from wheatstone.viewer.serving.uploads import Offers, Uploads


@dataclass
class Served:
    """What a server tells of the program, and hands on to it.

    Attributes:
        doors: who is let in.
        uploads: take the files that are sent.
        offers: files that may be fetched.
        title: looks up what is shown, in words.
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
        """List the codecs that can be chosen."""
        return ["jpeg", "png", *["h264"] * self.encoder.streams]
