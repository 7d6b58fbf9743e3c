"""Hostile files of values and of ground truth: arrays, floats, and pictures of numbers."""

import io
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated
from tests.fuzz.pictures import HEIGHT, SIZES, WIDTH, damaged, numbers

SUFFIXES = (".npy", ".pfm", ".tiff", ".png", ".pgm", ".dsp5")
DTYPES = ("f4", ">f4", "f8", "u1", "i4", "u2", "f2", "c8", "?", "U3", "S9", "i8", "M8[s]")


@cache
def _arrays() -> tuple[bytes, ...]:
    """Make arrays as NumPy writes them, of every type and of other shapes."""
    arrays = [numbers("f8").astype(dtype) for dtype in DTYPES]
    arrays += [np.asfortranarray(arrays[0]), arrays[0][None], arrays[0][:0], arrays[0][0, 0]]
    arrays += [np.zeros((3, 4), [("x", "f4"), ("y", "u1")])]
    return tuple(_saved(array) for array in arrays)


def _saved(array: object) -> bytes:
    memory = io.BytesIO()
    np.save(memory, array)  # type: ignore[arg-type]  # objects too
    return memory.getvalue()


def _array(random: Random) -> bytes:
    """Make a damaged array: its bytes, the text of its header, or what NumPy would unpack."""
    content = random.choice(_arrays())
    match random.randrange(4):
        case 0:
            return mutated(random, content)
        case 1 | 2:
            return _with_header(random, content)
        case _:
            return random.choice((_pickle, _archive, lambda _: content))(random)


def _with_header(random: Random, content: bytes) -> bytes:
    """Change words of an array's header, which is Python's text of a dictionary."""
    length = int.from_bytes(content[8:10], "little")
    header = content[10 : 10 + length].decode("latin-1")
    words = header.split(" ")
    for _ in range(random.choice((1, 1, 3))):
        shape = f"({random.choice(SIZES)}, {random.choice(SIZES)}),"
        nested = random.choice("([{") * random.choice((3, 200, 9000))
        false = (
            *NUMBERS,
            *WORDS[:20],
            *DTYPES,
            shape,
            nested,
            "'|O',",
            "3L,",
            "'\\d'",
            "1if 1else 2",
        )
        words[random.randrange(len(words))] = random.choice(false)
    text = " ".join(words).encode("utf-8", "surrogatepass")[:65_000]
    version = random.choice((content[6:8], b"\1\0", b"\2\0", b"\3\0", b"\4\0", b"\xff\xff"))
    size = len(text).to_bytes(2 if version[0] < 2 else 4, "little")
    return content[:6] + version + size + text + content[10 + length :]


def _pickle(random: Random) -> bytes:
    import pickle

    return random.choice((pickle.dumps([1, 2]), _saved(np.array([{}, 1], object))))


def _archive(random: Random) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("a.npy", _arrays()[0])
    return mutated(random, memory.getvalue())


def _pfm(random: Random) -> bytes:
    """Make a damaged PFM: its header, its length or its bytes."""
    kind = random.choice(("Pf", "Pf", "Pf", "PF", "P5"))
    parts = [kind, str(WIDTH), str(HEIGHT), random.choice(("-1.0", "1", "-1e3", ".5"))]
    for _ in range(random.choice((0, 1, 1, 2))):
        parts[random.randrange(4)] = random.choice((*NUMBERS, *map(str, SIZES)))
    gap = random.choice(("\n", " ", "\n\n", "\r\n", "\n# comment\n"))
    body = (numbers("f4") * 100).tobytes()
    content = gap.join(parts).encode() + b"\n" + body * random.choice((1, 1, 3))
    return content if random.random() < 0.5 else mutated(random, content)


def _dsp5(random: Random) -> bytes:
    """Make a damaged HDF5 file: its bytes, or what it claims to hold."""
    if find_spec("h5py") is None:
        return mutated(random, b"\x89HDF\r\n\x1a\n" + bytes(200))
    import h5py

    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        side = max(int(random.choice((WIDTH, 2 * WIDTH, *SIZES))), 1)
        name = random.choice(("disparity", "disparity", "disparity", "flow", "a/disparity"))
        how = random.choice(({}, {"compression": "gzip", "chunks": (HEIGHT, 1)}))
        shape = (2 * HEIGHT, side) if how else (2 * HEIGHT, min(side, 2 * WIDTH))
        file.create_dataset(name, shape, random.choice(("f4", "f8", "f2", "u1", "S5")), **how)
    content = memory.getvalue()
    return content if random.random() < 0.3 else mutated(random, content)


def make_values(random: Random, folder: Path) -> None:
    """Write a damaged file of values, sometimes under another format's name."""
    suffix = random.choices(SUFFIXES, (4, 3, 4, 3, 3, 2))[0]
    if suffix == ".npy":
        content = _array(random)
    elif suffix == ".dsp5":
        content = _dsp5(random)
    elif suffix == ".pfm":
        content = _pfm(random)
    else:
        content = damaged(random, {".tiff": "TIFF", ".png": "PNG", ".pgm": "PPM"}[suffix])
    if random.random() < 0.05:
        suffix = random.choice((*SUFFIXES, ".tif", ".npz", ".exr", ""))
    (folder / f"d{suffix}").write_bytes(content)


def _only(folder: Path) -> Path:
    return next(folder.glob("d*"))


def _read_values(folder: Path) -> object:
    from wheatstone.viewer.io.sources.value_files import read_values

    return read_values(_only(folder))


def _read_truth(folder: Path) -> object:
    from wheatstone.viewer.io.sources.truth import TruthFiles, read_truths

    return read_truths(TruthFiles(_only(folder), 4.0), (HEIGHT, WIDTH))


def make_comparison(random: Random, folder: Path) -> None:
    """Write a damaged file of values, and an image whose result it may be."""
    import cv2

    make_values(random, folder)
    cv2.imwrite(str(folder / "left.png"), numbers("u1"))


def _compare(folder: Path) -> int:
    from wheatstone.viewer.cli.cli import main

    return main(["compare", "invert", "cpu", str(_only(folder)), str(folder / "left.png")])


KINDS = [
    FuzzKind("values", make_values, _read_values),
    FuzzKind("truths", make_values, _read_truth, weight=0.5),
    FuzzKind("comparisons", make_comparison, _compare, codes=(0, 1, 2), weight=0.05),
]
