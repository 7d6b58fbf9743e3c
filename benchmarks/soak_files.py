"""Write the files that a soak opens: images, pairs, folders, settings, and damaged files."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.programs import default_state
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.recipe import document, dumps

SINGLE_SIZES = ((1, 1), (5, 7), (48, 64), (240, 320), (480, 640))  # height, width
PAIR_SIZES = ((31, 47), (120, 160), (240, 320))
FOLDER_SIZES = ((48, 64), (120, 160))
FRAMES = 4  # of a folder
HOME = "home.toml"

Drop = tuple[str, ...]  # the paths that are dropped on the window together


def write_files(folder: Path) -> list[Drop]:
    """Write all files that a user may drop on the window; return the paths of each drop."""
    random = np.random.default_rng(0)
    makers = (_singles, _pairs, _folders, _settings, _damaged)
    return [tuple(map(str, paths)) for make in makers for paths in make(folder, random)]


def write_home(folder: Path) -> str:
    """Write settings that open a small still image with all defaults; return their path."""
    still = folder / "home.png"
    _write(still, np.random.default_rng(1).integers(0, 256, (48, 64), np.uint8))
    return str(_write_settings(folder / HOME, "invert", {"left": str(still)}, paused=True))


def _singles(folder: Path, random: np.random.Generator) -> Iterator[list[Path]]:
    for number, (height, width) in enumerate(SINGLE_SIZES):
        colours = (3,) if number % 2 else ()
        path = folder / (f"single-{width}x{height}" + (".jpg" if number == 3 else ".png"))
        _write(path, _texture(random, height, width, colours))
        yield [path]


def _pairs(folder: Path, random: np.random.Generator) -> Iterator[list[Path]]:
    """Write pairs in Middlebury's layout; all except the first have ground truth."""
    for number, (height, width) in enumerate(PAIR_SIZES):
        place = folder / f"pair-{width}x{height}"
        place.mkdir()
        _write_pair(place / "im0.png", place / "im1.png", random, height, width)
        if number:
            truth = np.full((height, width), 3.0, np.float32)
            _write(place / "disp0.pfm", truth)
        yield [place / "im1.png", place / "im0.png"]
        yield [place]


def _folders(folder: Path, random: np.random.Generator) -> Iterator[list[Path]]:
    for height, width in FOLDER_SIZES:
        place = folder / f"folder-{width}x{height}"
        for view in ("left", "right"):
            (place / view).mkdir(parents=True)
        for number in range(FRAMES):
            views = [place / view / f"{number:03}.png" for view in ("left", "right")]
            _write_pair(views[0], views[1], random, height, width)
        yield [place]
    spoilt = place / "left" / "002.png"  # of the last folder: noticed while it plays
    spoilt.write_bytes(spoilt.read_bytes()[:300])


def _settings(folder: Path, random: np.random.Generator) -> Iterator[list[Path]]:
    """Write settings of some pipelines, one with a scene, which takes a second to open."""
    scene: dict[str, str | int] = {"scene": "orbit", "seed": 1, "size": "96x64"}
    still: dict[str, str | int] = {"left": str(folder / "pair-47x31")}
    for pipeline, source in (("sgm", scene), ("canny", still), ("mean", still)):
        yield [_write_settings(folder / f"{pipeline}.toml", pipeline, source, paused=False)]


def _damaged(folder: Path, random: np.random.Generator) -> Iterator[list[Path]]:
    place = folder / "damaged"
    place.mkdir()
    whole = cv2.imencode(".png", _texture(random, 40, 60, ()))[1].tobytes()
    contents = {
        "empty.png": b"",
        "short.png": whole[: len(whole) // 2],
        "bits.png": whole[:60] + bytes(64) + whole[124:],
        "text.png": b"no image\n",
        "text.toml": b"wheatstone = [[[\n",
        "other.toml": b"[view]\npipeline = 3\n",
        "stop.pgm": b"P5 100000 100000 255\n",
    }
    for name, content in contents.items():
        (place / name).write_bytes(content)
        yield [place / name]
    yield [place]
    yield [place / "absent.png"]
    yield [folder / "single-64x48.png", folder / "single-320x240.jpg"]  # sizes differ


def _write_settings(
    path: Path, pipeline: str, source: dict[str, str | int], *, paused: bool
) -> Path:
    state = default_state(pipeline)
    state.paused = paused
    path.write_text(dumps(document(state, SourceSpec.from_dict(source))))
    return path


def _write_pair(
    left: Path, right: Path, random: np.random.Generator, height: int, width: int
) -> None:
    view = _texture(random, height, width, ())
    _write(left, view)
    _write(right, np.roll(view, -3, axis=1))


def _texture(
    random: np.random.Generator, height: int, width: int, channels: tuple[int, ...]
) -> NDArray[np.uint8]:
    return random.integers(0, 256, (height, width, *channels), np.uint8)


def _write(path: Path, pixels: NDArray[np.generic]) -> None:
    if not cv2.imwrite(str(path), pixels):
        raise OSError(f"{path}: OpenCV does not write it")
