"""Serve the page by TLS without a program behind it: ``python -m tests.served_alone FOLDER``.

The folder holds ``cert.pem`` and ``key.pem``. The program prints its port and its token, and serves
until its standard input ends.
"""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from wheatstone.viewer.window.serving.authorisation import Authorisation
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.server import Server
from wheatstone.viewer.window.serving.uploads import Uploads
from wheatstone.viewer.window.serving.viewers import Viewers

REQUEST = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate of localhost with its key; skip the test where openssl is missing."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is missing, which makes a certificate")
    made, key = folder / "cert.pem", folder / "key.pem"
    names = ("-subj", "/CN=localhost", "-out", str(made), "-keyout", str(key))
    subprocess.run([*REQUEST.split(), *names], check=True, capture_output=True)
    return made, key


def main(folder: Path) -> None:
    """Serve until standard input ends."""
    access, viewers = Authorisation("127.0.0.1", secure=True), Viewers()
    with closing(Uploads(folder)) as uploads:
        served = Served(viewers, Encoder(viewers, "auto", 80), access, uploads)
        with closing(Server(served, (folder / "cert.pem", folder / "key.pem"))):
            print(access.port, access.token, flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
