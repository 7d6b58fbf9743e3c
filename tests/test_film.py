"""Films of a view: what they hold, what is refused, and that none is left half done."""

import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.film import SUFFIXES, even, write_film
from wheatstone.viewer.io.files.output import is_numbered, numbered
from wheatstone.viewer.settings.screenshot import read_recipe

VIEW = ["render", "sgm", "--variant", "reference", "--size", "160x120", "--disparities", "16"]
ORBIT = Path(__file__).resolve().parent.parent / "assets" / "scenes" / "orbit"


@pytest.fixture
def films() -> Any:
    pytest.importorskip("av", reason="comes with the extra video")
    return pytest.importorskip("imageio.v3")


def ramps(count: int, height: int, width: int) -> Iterator[NDArray[np.uint8]]:
    """Yield grey ramps, each a step brighter than the one before."""
    for number in range(count):
        levels = np.linspace(20, 180, width).astype(np.uint8) + np.uint8(8 * number)
        yield np.broadcast_to(levels[:, None], (height, width, 3))


@pytest.mark.opengl
def test_a_film_holds_what_is_rendered_frame_by_frame(
    offscreen: OffscreenContext, films: Any, tmp_path: Path
) -> None:
    path = tmp_path / "film.mp4"
    assert main([*VIEW, "--frame", "93", "--frames", "6", "--out", str(path)]) == 0
    frames = films.imread(path, plugin="pyav")
    assert films.immeta(path, plugin="pyav")["fps"] == 24  # the built-in scenes' rate
    assert list(tmp_path.iterdir()) == [path]
    pictures = []
    for frame in (93, 94, 95, 0, 1, 2):  # of 96: the scene is a loop
        still = tmp_path / f"{frame}.png"
        assert main([*VIEW, "--frame", str(frame), "--out", str(still)]) == 0
        with Image.open(still) as picture:
            pictures.append(even(np.asarray(picture)))
    assert frames.shape == (6, *pictures[0].shape)
    # Colours are kept for 2x2 pixels, so brightness is compared; frames differ by far more.
    weights = np.array([0.299, 0.587, 0.114])
    brightness = np.stack(pictures) @ weights
    assert np.abs(frames @ weights - brightness).mean(axis=(1, 2)).max() < 3
    offscreen.make_current()


@pytest.mark.parametrize("ending", SUFFIXES)
@pytest.mark.parametrize("rate", [10.0, 24.0])
def test_every_kind_of_file_keeps_frames_and_rate(
    films: Any, tmp_path: Path, ending: str, rate: float
) -> None:
    path = tmp_path / f"film{ending}"
    write_film(path, ramps(5, 48, 64), rate)
    assert films.immeta(path, plugin="pyav")["fps"] == rate
    frames = np.stack(list(films.imiter(path, plugin="pyav")))
    expected = np.stack(list(ramps(5, 48, 64)))
    assert frames.shape == expected.shape
    assert np.abs(frames.astype(int) - expected).mean() < 2  # frames lie 8 apart


def test_odd_sizes_repeat_the_last_column_and_row(films: Any, tmp_path: Path) -> None:
    picture = np.arange(3 * 5 * 3, dtype=np.uint8).reshape(3, 5, 3)
    padded = even(picture)
    assert np.array_equal(padded[:3, :5], picture)
    assert np.array_equal(padded[:3, 5], picture[:, 4])
    assert np.array_equal(padded[3], padded[2])
    path = tmp_path / "film.mp4"
    write_film(path, ramps(2, 47, 63), 24.0)
    assert films.imread(path, plugin="pyav").shape == (2, 48, 64, 3)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_film_that_is_given_up_leaves_no_file(
    films: Any, tmp_path: Path, error: type[BaseException]
) -> None:
    def interrupted() -> Iterator[NDArray[np.uint8]]:
        yield from ramps(3, 48, 64)
        raise error

    with pytest.raises(error):
        write_film(tmp_path / "film.mp4", interrupted(), 24.0)
    assert list(tmp_path.iterdir()) == []


def test_pictures_too_large_for_the_encoder_are_refused(films: Any, tmp_path: Path) -> None:
    huge = np.broadcast_to(np.uint8(0), (16400, 16400, 3))
    with pytest.raises(ValueError, match=r"film\.mp4: H\.264 cannot hold these pictures"):
        write_film(tmp_path / "film.mp4", iter([huge]), 24.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "f.avi"], "pictures are written as .png, films as .mp4, .mkv, .mov (got .avi)"),
        (["--out", "f.png", "--frames", "3"], "--frames needs a film"),
        (["--values", "f.npy", "--frames", "3"], "--frames needs a film"),
        (["--out", "f.mp4", "--values", "v.npy"], "v.npy: several frames are written: give its"),
        (["--out", "f.png", "--values", "v-%d.npy"], "f.png: several frames are written"),
        (["--out", "f.mp4", "--frames", "90:97"], "orbit (seed 0) has the frames 0 to 95"),
        (["--out", "f.mp4", "--frames", ":2", "--frame", "1"], "omit --frame"),
        ([str(ORBIT), "--out", "f.mp4"], "orbit is a single frame: a film needs a sequence"),
        (["--out", "f-%d.mp4"], "a film is one file"),
        ([str(ORBIT), "--frames", "3", "--out", "f-%d.png"], "several pictures need a sequence"),
    ],
)
def test_films_that_cannot_be_are_refused(
    words: list[str],
    message: str,
    films: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*VIEW[:2], *words]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_pictures_with_numbers_are_those_of_the_frames(tmp_path: Path) -> None:
    words = [*VIEW, "--frame", "3", "--frames", "2", "--out", str(tmp_path / "shot-%03d.png")]
    assert main(words) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["shot-003.png", "shot-004.png"]
    for frame in (3, 4):
        alone = tmp_path / f"{frame}.png"
        assert main([*VIEW, "--frame", str(frame), "--out", str(alone)]) == 0
        with Image.open(alone) as one, Image.open(tmp_path / f"shot-00{frame}.png") as other:
            assert np.array_equal(np.asarray(one), np.asarray(other))
        recipe = read_recipe(tmp_path / f"shot-00{frame}.png")
        assert recipe and recipe["view"]["frame"] == frame


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a-%d.png", "a-7.png"), ("a-%03d.png", "a-007.png"), ("50%.png", None), ("%s.png", None)],
)
def test_a_place_for_the_number_is_distinguished(name: str, expected: str | None) -> None:
    path = Path("f%d") / name
    assert is_numbered(path) == bool(expected)
    assert not expected or numbered(path, 7) == Path("f%d") / expected


@pytest.mark.parametrize(
    ("script", "out", "complaint"),
    [
        ("wait 1", "f-%d.png", "a script writes one picture or film"),
        ("settle", "f.mp4", "`wait`"),
    ],
)
def test_a_script_writes_a_picture_or_a_film_of_waits(
    script: str, out: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "steps").write_text(script)
    words = ["--script", str(tmp_path / "steps"), "--out", str(tmp_path / out)]
    assert main([*VIEW, *words]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.opengl
def test_a_film_of_a_script_shows_the_frames_for_which_it_waits(
    offscreen: OffscreenContext, films: Any, tmp_path: Path
) -> None:
    out = tmp_path / "f.mp4"
    (tmp_path / "steps").write_text("size 320x200\nsettle\nwait 4\nkey F1\nsize 321x240\nwait 3\n")
    assert main([*VIEW, "--script", str(tmp_path / "steps"), "--out", str(out)]) == 0
    film = films.imread(out, plugin="pyav")
    assert film.shape == (7, 200, 320, 3)  # all pictures have the size of the first
    assert np.ptp(film[3].astype(int) - film[6]) > 50  # F1 shows the help
    offscreen.make_current()


def test_a_film_without_its_encoder_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name == "av":
            raise ImportError("No module named 'av'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert main([*VIEW, "--out", str(tmp_path / "film.mp4")]) == 3
    assert "pip install 'wheatstone[video]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
