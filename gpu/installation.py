"""Build the command that adds packages to this installation, by pip, uv, uvx or pipx."""

import json
import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

NAME = "wheatstone"
CHECKOUT = Path(__file__).resolve().parent.parent
NEW_VENV = "~/wheatstone-venv"


@dataclass(frozen=True)
class Installation:
    """A description of how the program was installed.

    Attributes:
        prefix: the folder of its Python environment.
        python: the interpreter of that environment.
        isolated: whether the environment is a virtual one, not that of the system.
        managed: whether the system forbids pip to install into it (PEP 668).
        has_pip: whether the environment holds pip.
        has_venv: whether its Python can make virtual environments.
        has_uv: whether a shell would find uv.
        source: the folder, file or repository that it was installed from; empty: an index.
    """

    prefix: Path
    python: Path
    isolated: bool
    managed: bool
    has_pip: bool
    has_venv: bool
    has_uv: bool
    source: str

    def command(self, requirement: str, option: str = "") -> str:
        """Return the shell command that adds packages.

        Args:
            requirement: the name of a package, or of the program with an extra, ``NAME[extra]``:
                of a program that is installed, only the packages of the extra are added.
            option: of the installer, if any.
        """
        wanted = f"{option} {shlex.quote(requirement)}".strip()
        python = shlex.quote(str(self.python))
        if (self.prefix / "pipx_metadata.json").is_file():
            return f"pipx runpip {NAME} install {wanted}"
        if "archive-v0" in self.prefix.parts:  # the cache of uvx, used for one run
            return f"uvx --from {self._from_source(requirement)} {NAME}"
        if self.isolated and not self.has_pip and self.has_uv:
            return f"uv pip install -p {shlex.quote(str(self.prefix))} {wanted}"
        if self.has_pip and (self.isolated or not self.managed):
            return f"{python} -m pip install {wanted}"
        if self.isolated:
            return f"{python} -m ensurepip && {python} -m pip install {wanted}"
        first = "" if self.has_venv else f"{as_root('apt install python3-venv')} && "
        made = f"python3 -m venv {NEW_VENV} && {NEW_VENV}/bin/pip install"
        return f"{first}{made} {self._from_source(requirement)}"

    def _from_source(self, requirement: str) -> str:
        """Return a requirement that installs the program from the source it came from."""
        wanted = requirement if requirement.startswith(NAME) else NAME
        return shlex.quote(f"{wanted} @ {self.source}" if self.source else wanted)


def as_root(command: str) -> str:
    """Return the shell command that runs a command as root: by sudo, or else by su."""
    if os.geteuid() == 0:
        return command
    return f"sudo {command}" if shutil.which("sudo") else f"su - -c {shlex.quote(command)}"


@cache
def this_installation() -> Installation:
    """Describe the installation of the running program."""
    prefix = Path(sys.prefix)
    return Installation(
        prefix,
        Path(sys.executable),
        sys.prefix != sys.base_prefix or (prefix / "conda-meta").is_dir(),
        Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file(),
        find_spec("pip") is not None,
        find_spec("ensurepip") is not None,
        shutil.which("uv") is not None,
        _source(),
    )


def _source() -> str:
    """Return the URL from which the program was installed, or that of its checkout; else empty."""
    from importlib import metadata  # takes long to import

    try:
        written = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return CHECKOUT.as_uri() if (CHECKOUT / "pyproject.toml").is_file() else ""
    origin = json.loads(written) if written else {}
    kind = origin.get("vcs_info", {}).get("vcs")
    return f"{kind}+{origin['url']}" if kind else origin.get("url", "")


def install_command(extra: str) -> str:
    """Return the shell command that adds an extra, such as ``cuda``, to this installation."""
    return this_installation().command(f"{NAME}[{extra}]")


def how_to_install_cuda() -> str:
    """Return the commands that install the GPU packages, one for each range of drivers."""
    first = install_command("cuda")
    return f"{first} (driver 525 or newer) or '{NAME}[cuda13]' (driver 580 or newer)"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or of the message of its original cause."""
    while error.__cause__:
        error = error.__cause__
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip()
