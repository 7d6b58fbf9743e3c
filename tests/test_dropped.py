"""What dropped files mean."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from PIL import Image

from tests.board_scenes import made_rig
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.cameras.formats.rig_toml import rig_sections
from wheatstone.viewer.io.sources.decoding import Size
from wheatstone.viewer.io.sources.sides import ordered
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth import read_truths
from wheatstone.viewer.io.sources.truth_places import truth_of
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.dropped_files import understood
from wheatstone.viewer.settings.screenshot import write_screenshot

ABSENT = {"cpu": "", "cuda": "no GPU"}
RECIPE = settings.to_recipe(
    ViewerState(default_slot("canny", ABSENT), ABSENT), SourceSpec.from_dict({"left": "/l.png"})
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("a.png", "b.png", "c.png"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_one_image_or_folder_is_a_source(files: Path) -> None:
    for name in ("a.png", "folder"):
        dropped = understood([str(files / name)])
        assert (dropped.spec, dropped.recipe) == (SourceSpec(str(files / name)), None)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left.png", "right.png"),
        ("0001_Left.jpg", "0001_Right.jpg"),
        ("frame-L.tif", "frame-R.tif"),
        ("l.pgm", "r.pgm"),
    ],
)
def test_one_of_a_pair_brings_the_other_that_lies_beside_it(
    tmp_path: Path, left: str, right: str
) -> None:
    for name in (left, right):
        (tmp_path / name).write_bytes(b"x")
    for name in (left, right):
        dropped = understood([str(tmp_path / name)])
        assert dropped.spec == SourceSpec(str(tmp_path / left), str(tmp_path / right))
        assert dropped.message == f"opened as a pair: left {left}, right {right}"
    (tmp_path / right).unlink()
    assert understood([str(tmp_path / left)]).spec == SourceSpec(str(tmp_path / left))


def test_two_images_are_a_pair(files: Path) -> None:
    dropped = understood([str(files / "b.png"), str(files / "a.png")])
    assert dropped.spec == SourceSpec(str(files / "a.png"), str(files / "b.png"))
    assert dropped.message == "left a.png, right b.png"


def test_a_screenshot_and_a_file_of_settings_restore(files: Path) -> None:
    write_screenshot(files / "shot.png", np.zeros((2, 2, 3), np.uint8), RECIPE)
    (files / "mine.toml").write_text(settings.dumps(RECIPE))
    for name in ("shot.png", "mine.toml"):
        dropped = understood([str(files / name)])
        assert (dropped.spec, dropped.recipe) == (SourceSpec("/l.png"), RECIPE)
        assert dropped.message == f"{name} restored"


def test_anything_else_says_why_not(files: Path) -> None:
    (files / "other.toml").write_text("x = 1")
    for names, complaint in (
        (("absent.png",), "no such file"),
        (("other.toml",), "holds no settings"),
        (("a.png", "folder"), "a folder and a file make no pair"),
        (("a.png", "b.png", "c.png"), "3 files: drop one"),
    ):
        with pytest.raises((ValueError, OSError), match=complaint):
            understood([str(files / name) for name in names])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left.png", "right.png"),
        ("im0.png", "im1.png"),
        ("view1.png", "view5.png"),
        ("street_l.png", "street_r.png"),
        ("z_left", "a_right"),
        ("photo-L.jpg", "photo-R.jpg"),
        ("1.png", "2.png"),
    ],
)
def test_names_tell_left_from_right(left: str, right: str) -> None:
    pair = (Path(left), Path(right))
    assert ordered(pair) == ordered(pair[::-1]) == pair


def calibration(folder: Path, name: str) -> Path:
    path = folder / name
    lines = ("cam0=[50 0 31; 0 50 23; 0 0 1]", "cam1=[50 0 33; 0 50 23; 0 0 1]", "baseline=400")
    path.write_text("\n".join((*lines, "doffs=2", "width=64", "height=48")))
    return path


def test_a_calibration_is_for_the_open_pair(tmp_path: Path) -> None:
    path = calibration(tmp_path, "rig.txt")
    (meaning,) = understood([str(path)], (48, 64)).meanings
    assert meaning.effect == ("calibrate by", str(path))
    path.write_text("nothing")
    with pytest.raises(ValueError, match=r"rig\.txt"):
        understood([str(path)])


def test_a_rig_that_the_program_wrote_is_distinguished_from_settings(tmp_path: Path) -> None:
    rig = tmp_path / "rig.toml"
    write_toml(rig, rig_sections(made_rig(), 9))
    (meaning,) = understood([str(rig)]).meanings
    assert meaning.effect == ("calibrate by", str(rig))
    rig.write_text("[rig\n")
    with pytest.raises(ValueError, match="damaged"):
        understood([str(rig)])


def write_toml(path: Path, content: dict[str, Any]) -> None:
    path.write_bytes(tomli_w.dumps(content).encode())


def test_values_are_ground_truth_and_integers_may_be_a_picture(tmp_path: Path) -> None:
    floats, deep, plain = tmp_path / "a.npy", tmp_path / "b.png", tmp_path / "c.png"
    np.save(floats, np.ones((4, 6), np.float32))
    Image.fromarray(np.ones((4, 6), np.uint16)).save(deep)
    Image.fromarray(np.ones((4, 6), np.uint8)).save(plain)
    truth, compared, values = understood([str(floats)], (4, 6), (4, 6)).meanings
    assert truth.effect == ("use truth", str(floats))
    spec = SourceSpec(str(floats), values_in="px").to_toml()
    assert compared.effect == ("open as B", spec) and values.effect == ("open source", spec)
    for size in (None, (4, 7)):
        assert understood([str(floats)], size, size).meanings == (values,)
    assert labels(deep, (4, 6)) == ["Ground truth", "Compare with A", "Values", "Picture"]
    assert labels(deep, (4, 7)) == labels(deep, None) == ["Picture", "Values"]
    assert understood([str(plain)], (4, 6)).spec == SourceSpec(str(plain))


def labels(path: Path, size: Size | None) -> list[str]:
    return [each.label for each in understood([str(path)], size, size).meanings]


def test_a_colour_png_of_sintels_folder_may_be_ground_truth(tmp_path: Path) -> None:
    colours = Image.fromarray(np.full((4, 6, 3), (5, 32, 0), np.uint8))
    packed, photo = tmp_path / "disparities" / "a.png", tmp_path / "a.png"
    packed.parent.mkdir()
    for path in (packed, photo):
        colours.save(path)
    assert labels(packed, (4, 6)) == ["Ground truth", "Compare with A", "Values", "Picture"]
    assert not understood([str(photo)], (4, 6)).meanings
    files = truth_of(photo, str(packed), None)
    assert files and np.all(read_truths(files, (4, 6)).disparity == 20.5)


def test_floats_in_a_tiff_may_be_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    Image.fromarray(np.ones((4, 6), np.float32)).save(path)
    assert labels(path, (4, 6)) == ["Ground truth", "Compare with A", "Values", "Picture"]
    assert labels(path, None) == ["Picture", "Values"]
