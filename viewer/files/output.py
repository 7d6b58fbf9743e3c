"""Write files so that they appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which becomes ``path`` unless the block raises.

    Raises:
        OSError: the folder is missing or cannot be written to, or ``path`` is a folder or device.
    """
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is no regular file; choose another name")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; create it first")
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    except PermissionError as error:
        raise PermissionError(f"{path}: the folder {path.parent} cannot be written to") from error
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_files(**paths: Path | None) -> None:
    """Refuse output files that cannot be written, to be called before long work.

    Args:
        paths: the files by the option that names each; None: not asked for.

    Raises:
        OSError: a folder is missing.
        ValueError: two of the files are one.
    """
    named = [path for path in paths.values() if path]
    for path in named:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if len(set(named)) < len(named):
        *options, last = (f"--{name}" for name in paths)
        raise ValueError(f"{', '.join(options)} and {last} must name different files")


def _umask() -> int:
    """Read the process's mask of permissions, which can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
