"""Make folders to write into."""

from pathlib import Path


def own_folder(path: Path, *, links: bool = False) -> Path:
    """Make a folder unless it is there, and return its path.

    Args:
        links: whether it may be a link to a folder. Inside a folder that a stranger sent it may
            not: what is written there would land elsewhere.

    Raises:
        OSError: a link or a file is in the way, or the folder cannot be made.
    """
    if path.is_symlink() and not links:
        raise FileExistsError(f"{path}: a link is in the way of a folder; remove it")
    try:
        path.mkdir(exist_ok=True)
    except FileExistsError:
        raise FileExistsError(f"{path}: a file is in the way of a folder; move it") from None
    except OSError as error:
        raise OSError(f"{path}: the folder cannot be made ({error.strerror})") from None
    return path


def make_inside(folder: Path, inner: Path) -> None:
    """Make the folders on the way from a folder, which must be there, to one inside it.

    Raises:
        OSError: the folder was removed, a link or a file is in the way, or one cannot be made.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: the folder was removed during the run")
    for part in reversed([inner, *inner.parents][: len(inner.relative_to(folder).parts)]):
        own_folder(part)
