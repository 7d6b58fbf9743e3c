"""Define the options of ``wheatstone serve`` in addition to those of ``view``."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from wheatstone.viewer.commands.view_options import parse_window

PORTS = range(65536)
CODECS = ("auto", "jpeg", "h264", "png")
QUALITY = 80


def parse_serve(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``serve``."""
    return parse_window("serve", words, help, add_serving)


def add_serving(parser: argparse.ArgumentParser) -> None:
    """Add the options for access from browsers, and for sending pictures."""
    group = parser.add_argument_group("serving")
    group.add_argument("--port", type=_port, default=0, metavar="N", help="default: a free one")
    help = "address to listen at (default: %(default)s, which no other machine reaches)"
    group.add_argument("--host", default="127.0.0.1", metavar="H", help=help)
    help = "certificate and key as PEM files; needed for other hosts"
    group.add_argument("--tls", nargs=2, type=Path, metavar=("CERT", "KEY"), help=help)
    help = "listen at another host without TLS: whoever is on the way can read and change all"
    group.add_argument("--insecure", action="store_true", help=help)
    help = "open no other files and write none, whoever asks"
    group.add_argument("--read-only", action="store_true", help=help)
    help = "folder in which files are opened and written (default: the current one)"
    group.add_argument("--root", type=Path, default=Path(), metavar="DIR", help=help)
    help = "auto: JPEG, and H.264 where the link is slow; a picture that rests is sent exactly"
    group.add_argument("--codec", choices=CODECS, default="auto", help=help)
    help = "of JPEG, from 1 to 100 (default: %(default)s)"
    group.add_argument("--quality", type=_quality, default=QUALITY, metavar="N", help=help)
    help = "origin of pages that may show this one in a frame; may be repeated"
    group.add_argument(
        "--frame-origin", type=_origin, action="append", default=[], metavar="URL", help=help
    )


def _port(text: str) -> int:
    return _within(text, PORTS)


def _quality(text: str) -> int:
    return _within(text, range(1, 101))


def _origin(text: str) -> str:
    """Parse an origin: scheme, host and port of an address, and nothing else."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+", text):
        raise argparse.ArgumentTypeError(f"must be such as http://localhost:8888 (got {text!r})")
    return text


def _within(text: str, range: range) -> int:
    """Parse an integer within a range."""
    if not text.isascii() or not text.isdigit() or int(text) not in range:
        said = f"must be a whole number from {range[0]} to {range[-1]} (got {text!r})"
        raise argparse.ArgumentTypeError(said)
    return int(text)
