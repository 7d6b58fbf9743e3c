"""Who is let in: by the address that a browser was sent to, the page that asks, and the token."""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

SUBPROTOCOL = "wheatstone"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; frame-ancestors {frames}; base-uri 'none'; form-action 'none'"
)


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine reach a host by its name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Doors:
    """Decides who may look.

    Attributes:
        host: the name or address that is listened at.
        secure: whether TLS is spoken.
        frames: origins of pages that may show this one in a frame.
        port: that is listened at.
        token: what a page must know.
    """

    host: str
    secure: bool = False
    frames: Sequence[str] = ()
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def scheme(self) -> str:
        """Name the scheme of addresses."""
        return "https" if self.secure else "http"

    @property
    def address(self) -> str:
        """Write the address of the page, with the token where no server sees it."""
        return f"{self.scheme}://{in_address(self._shown_host)}:{self.port}/#{self.token}"

    @property
    def _shown_host(self) -> str:
        everywhere = self.host in ("0.0.0.0", "::", "")
        return socket.gethostname() if everywhere else self.host

    def is_our_host(self, said: str | None) -> bool:
        """Tell whether a header ``Host`` names this program, and not another name led here.

        Names that anyone may give to this address are none of ours: of names only this machine's
        own count, of addresses any, if it is not the loopback one that is listened at.
        """
        host, port = _split(f"//{said or ''}")
        if port != self.port and not (port is None and self.port == (443 if self.secure else 80)):
            return False
        if is_loopback(self.host):
            return is_loopback(host)
        own = (self.host.lower(), "localhost", socket.gethostname().lower())
        return host in own or _is_address(host)

    def is_our_origin(self, said: str | None) -> bool:
        """Tell whether a header ``Origin`` names a page of this program."""
        scheme, _, rest = (said or "").partition("://")
        return scheme == self.scheme and self.is_our_host(rest)

    def knows_token(self, said: str | None) -> bool:
        """Tell whether a text is the token, in a time that tells nothing of it."""
        given = (said or "").encode(errors="surrogateescape")  # a header may hold any bytes
        return hmac.compare_digest(given, self.token.encode())

    def bears_token(self, authorization: str | None) -> bool:
        """Tell whether a header ``Authorization`` bears the token."""
        kind, _, token = (authorization or "").partition(" ")
        return kind == "Bearer" and self.knows_token(token.strip())

    def headers(self) -> Mapping[str, str]:
        """List the headers of every answer."""
        return {
            "Content-Security-Policy": POLICY.format(frames=" ".join(self.frames) or "'none'"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
        }


def _split(address: str) -> tuple[str, int | None]:
    """Take host and port out of an address; an empty host if it is none."""
    try:
        parts = urlsplit(address)
        plain = not (parts.path or parts.query or parts.fragment or parts.username)
        return ((parts.hostname or "") if plain else "", parts.port)
    except ValueError:
        return "", None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def in_address(host: str) -> str:
    """Write a host as addresses of pages do."""
    return f"[{host}]" if ":" in host else host
