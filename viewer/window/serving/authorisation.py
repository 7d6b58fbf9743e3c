"""Authorisation of requests, by host, origin and access token."""

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
    """Return whether a host name or address is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass
class Authorisation:
    """The rules that decide which requests are authorised.

    Attributes:
        host: the name or address on which the server listens.
        secure: whether TLS is used.
        frames: origins of pages that may show this page in a frame.
        port: the port on which the server listens.
        token: the secret that a page must know.
    """

    host: str
    secure: bool = False
    frames: Sequence[str] = ()
    port: int = 0
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def scheme(self) -> str:
        """Return the scheme of the page's address: ``http`` or ``https``."""
        return "https" if self.secure else "http"

    @property
    def address(self) -> str:
        """Return the page's address, with the token in the fragment, which is not sent."""
        everywhere = self.host in ("0.0.0.0", "::", "")
        host = socket.gethostname() if everywhere else self.host
        return f"{self.scheme}://{in_address(host)}:{self.port}/#{self.token}"

    def is_our_host(self, header: str | None) -> bool:
        """Return whether a ``Host`` header is valid, to prevent DNS rebinding.

        Anyone may define names for this address: only this machine's own names are valid, and any
        address unless the server listens on the loopback address.
        """
        host, port = _split(f"//{header or ''}")
        if port != self.port and not (port is None and self.port == (443 if self.secure else 80)):
            return False
        if is_loopback(self.host):
            return is_loopback(host)
        own = (self.host.lower(), "localhost", socket.gethostname().lower())
        return host in own or _is_address(host)

    def is_our_origin(self, header: str | None) -> bool:
        """Return whether an ``Origin`` header names a page of this server."""
        scheme, _, rest = (header or "").partition("://")
        return scheme == self.scheme and self.is_our_host(rest)

    def knows_token(self, text: str | None) -> bool:
        """Return whether a text is the access token, compared in constant time."""
        given = (text or "").encode(errors="surrogateescape")  # a header may hold any bytes
        return hmac.compare_digest(given, self.token.encode())

    def bears_token(self, authorization: str | None) -> bool:
        """Return whether an ``Authorization`` header contains the access token."""
        kind, _, token = (authorization or "").partition(" ")
        return kind == "Bearer" and self.knows_token(token.strip())

    def headers(self) -> Mapping[str, str]:
        """Return the security headers of every response."""
        return {
            "Content-Security-Policy": POLICY.format(frames=" ".join(self.frames) or "'none'"),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
        }


def _split(address: str) -> tuple[str, int | None]:
    """Parse the host and port of an address; the host is empty if the address is invalid."""
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
    """Format a host for use in a URL, with brackets around IPv6."""
    return f"[{host}]" if ":" in host else host
