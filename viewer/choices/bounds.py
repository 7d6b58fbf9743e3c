"""Limits on the files that the program opens and writes for its user."""

from dataclasses import dataclass
from pathlib import Path

from wheatstone.viewer.io.reading.paths import resolved


@dataclass(frozen=True)
class Bounds:
    """Limits on the files that the program may open and write, such as a single folder.

    A command line may name any file.

    Attributes:
        root: the folder below which files are opened, and into which they are written; None: files
            are opened anywhere, and written into the current folder.
        read_only: whether no file is opened and none is written.
        saves: whether the session and its sources are saved for the next start.
    """

    root: Path | None = None
    read_only: bool = False
    saves: bool = True

    @property
    def saves_session(self) -> bool:
        """Return whether the session and its sources are saved for the next start."""
        return self.saves and not self.read_only

    @property
    def folder(self) -> Path:
        """Return the folder that the program writes files into."""
        return self.root or Path.cwd()

    def holds(self, path: str | Path) -> bool:
        """Return whether the program may use a path, after symbolic links are resolved."""
        return self.root is None or resolved(path).is_relative_to(resolved(self.root))

    def require(self, path: str | Path) -> None:
        """Raise ``ValueError`` if a path lies outside the folder that the program may use."""
        if not self.holds(path):
            raise ValueError(f"{path}: outside the served folder {self.root}")

    def refuse_if_read_only(self) -> None:
        """Raise ``ValueError`` if the program may neither open nor write files."""
        if self.read_only:
            raise ValueError("read-only: files can be neither opened nor written here")


EVERYWHERE = Bounds()
"""Bounds that allow every file."""
