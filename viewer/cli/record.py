"""The option ``--record FILE``: its checks before a window opens, and the request to record."""

from dataclasses import replace
from pathlib import Path

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.display.frames.recording import check_source, kind_of
from wheatstone.viewer.io.files.film import check_encoder
from wheatstone.viewer.io.files.png_pairs import PngPairs
from wheatstone.viewer.io.footage.recording import new_file
from wheatstone.viewer.io.sources.frame import Source


def ask_to_record(request: WindowRequest, state: ViewerState, source: Source) -> None:
    """Request a recording from the window's first image on, if ``--record`` is given.

    Without ``--record-as`` the file's suffix decides what is recorded, despite earlier choices.

    Raises:
        ValueError: this kind of recording does not fit the file or the source.
        OSError: the file exists already, or cannot be written.
        Unavailable: PyAV is not installed.
    """
    path = request.record
    if not path:
        return
    if "record_as" not in request.choices:
        state.recording = replace(state.recording, kind="auto")
    kind = kind_of(path, state.recording)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if path.suffix:
        check_encoder()
    check_source(kind, source)
    _check_place(path)
    state.effects.append(("record", str(path)))


def _check_place(path: Path) -> None:
    """Raise ``OSError`` unless the file or, without a suffix, the folder can be created."""
    if path.suffix:
        new_file(path).close()
        path.unlink()
    else:
        PngPairs(path).take_away()
