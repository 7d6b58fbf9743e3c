"""Reading of the disparities of Spring: HDF5 files with twice the rows and columns of the views."""

import io
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size

NAME = "disparity"
MISSING = "h5py is not installed: pip install 'wheatstone[hdf5]'"


def read_dsp5(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read the disparities of Spring in pixels of the views, every second row and column.

    Args:
        expected: as for ``check_size``, of the views.

    Raises:
        ValueError: it is another kind of file, truncated or of an impossible size; or h5py is not
            installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise ValueError(f"{path}: {MISSING}") from error
    try:
        with h5py.File(io.BytesIO(encoded), "r") as file:
            whole = _disparities(h5py, file)
            height, width = whole.shape
            doubled = expected is None or (height, width) != tuple(expected)
            check_size(path, width // (1 + doubled), height // (1 + doubled), expected)
            stored: NDArray[Any] = whole[()]
    except ValueError:
        raise
    except Exception as error:  # h5py raises errors of many classes for damaged files
        raise ValueError(f"{path}: not a file of Spring that can be read; {WHOLE}") from error
    return stored[::2, ::2] if doubled else stored


def _disparities(h5py: Any, file: Any) -> Any:
    """Return the array of a file that holds it by itself, without reading it.

    Raises:
        LookupError: it is absent, in another file, or no image of floats.
    """
    if not isinstance(file.get(NAME, getlink=True), h5py.HardLink):
        raise LookupError
    array = file[NAME]
    plain = isinstance(array, h5py.Dataset) and array.ndim == 2 and array.dtype.kind == "f"
    if not plain or array.is_virtual or array.external:
        raise LookupError
    return array
