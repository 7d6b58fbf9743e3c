"""Where ground truth lies beside images, and how its files hold it."""

import json
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth import not_searched, read_truth
from wheatstone.viewer.io.sources.truth_places import find_truth
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.screenshot import read_recipe

NAN = math.nan
GREY = np.arange(40, dtype=np.uint8).reshape(4, 10)
# Disparity 2; 6 in the middle, which covers columns 2 and 3 in the right view; unknown on top.
DISPARITY = np.full((4, 10), 2, np.float32)
DISPARITY[:, 6:8], DISPARITY[0] = 5, NAN
BY_LEFT = np.isfinite(DISPARITY)
BY_LEFT[:, :2] = BY_LEFT[:, 3:5] = False  # outside; covered by 6 and 7, which arrive at 1 and 2


def write(path: Path, pixels: NDArray[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, pixels)
    else:
        assert cv2.imwrite(str(path), pixels)
    return path


def stored(scale: float, dtype: Any) -> NDArray[Any]:
    return np.where(np.isnan(DISPARITY), 0, scale * np.nan_to_num(DISPARITY)).astype(dtype)


def pair(folder: Path, left: str, right: str) -> tuple[str, str]:
    return str(write(folder / left, GREY)), str(write(folder / right, GREY))


def frame_of(*names: str, **expected: Any) -> Frame:
    source = open_source(SourceSpec(*names, **expected))
    frame = source.frame(0)
    source.close()
    return frame


def assert_true(frame: Frame, seen: NDArray[np.bool_] = BY_LEFT) -> None:
    assert frame.truth is not None and frame.occluded is not None
    assert np.array_equal(frame.truth, DISPARITY, equal_nan=True)
    assert np.array_equal(~frame.occluded, seen)


@pytest.mark.parametrize("name", ["disp0.pfm", "disp0GT.pfm"])
def test_middlebury_and_eth3d_lie_beside_im0(tmp_path: Path, name: str) -> None:
    views = pair(tmp_path, "im0.png", "im1.png")
    write(tmp_path / name, np.where(np.isnan(DISPARITY), np.inf, DISPARITY))
    assert_true(frame_of(*views))
    assert_true(frame_of(str(tmp_path)))
    mask = write(tmp_path / "mask0nocc.png", np.where(GREY % 3 == 0, 255, 128).astype(np.uint8))
    assert_true(frame_of(*views), GREY % 3 == 0)
    mask.unlink()
    write(tmp_path / name.replace("0", "1"), DISPARITY)  # agrees nowhere but where both are 2
    right = frame_of(*views).occluded
    assert right is not None and not np.array_equal(~right, BY_LEFT)


def test_kitti_lies_in_folders_of_its_own(tmp_path: Path) -> None:
    views = pair(tmp_path, "image_2/7_10.png", "image_3/7_10.png")
    seen = BY_LEFT & (GREY % 2 == 0)
    write(tmp_path / "disp_noc_0" / "7_10.png", np.where(seen, stored(256, np.uint16), 0))
    noc = frame_of(*views)
    assert noc.truth is not None and np.array_equal(np.isfinite(noc.truth), seen)
    write(tmp_path / "disp_occ_0" / "7_10.png", stored(256, np.uint16))
    assert_true(frame_of(*views), seen)
    assert_true(frame_of(str(tmp_path)), seen)
    assert_true(frame_of(str(tmp_path / "image_2"), str(tmp_path / "image_3")), seen)


def test_old_middlebury_is_taken_only_with_its_scale(tmp_path: Path) -> None:
    views = pair(tmp_path, "im2.pgm", "im6.pgm")
    write(tmp_path / "disp2.pgm", stored(8, np.uint8))
    for names in (views, (str(tmp_path),)):
        source = open_source(SourceSpec(*names))
        assert source.frame(0).truth is None
        assert any("disp2.pgm does not state its scale" in note for note in source.notes)
        source.close()
        assert_true(frame_of(*names, truth_scale=8))


def test_a_manifest_says_what_belongs_to_an_image(tmp_path: Path) -> None:
    views = pair(tmp_path / "wall", "left.png", "right.png")
    write(tmp_path / "wall" / "gt.png", stored(4, np.uint8))
    older = {"name": "wall", "left": "left.png", "right": "right.png", "gt": "gt.png"}
    older |= {"gt_scale": 4, "unknown": 0, "disparity_range": 16}  # type: ignore[dict-item]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([older]))
    assert_true(frame_of(*views))
    assert_true(frame_of(str(tmp_path / "wall")))
    path.write_text('{"name": "a web page", "icons": []}')
    assert find_truth(Path(views[0])) is None


def test_a_picture_of_a_disparity_is_not_taken_for_truth(tmp_path: Path) -> None:
    views = pair(tmp_path, "left.png", "right.png")
    write(tmp_path / "disparity.png", stored(8, np.uint8))
    source = open_source(SourceSpec(*views))
    assert source.frame(0).truth is None
    assert any("disparity.png is ignored" in note for note in source.notes)
    write(tmp_path / "disparity.png", stored(256, np.uint16))
    assert_true(frame_of(*views))


@pytest.mark.opengl
@pytest.mark.parametrize(
    ("views", "file"),
    [
        (("left.png", "right.png"), "disparity.png"),
        (("left.png", "right.png"), "disparity.pfm"),
        (("left.png", "right.png"), "gt.npy"),
        (("im0.png", "im1.png"), "disp0.pfm"),
        (("im2.png", "im6.png"), "disp2.png"),
    ],
)
def test_what_render_wrote_next_to_a_pair_is_truth_only_if_it_is_given(
    tmp_path: Path, views: tuple[str, str], file: str
) -> None:
    wide = np.random.default_rng(2).integers(0, 256, (40, 70), np.uint8)
    paths = [
        str(write(tmp_path / name, part))
        for name, part in zip(views, (wide[:, :64], wide[:, 6:]), strict=True)
    ]
    lean = ("--disparities", "16", "--variant", "cpu", "--fresh")
    assert main(["render", "sgm", *paths, *lean, "--values", str(tmp_path / file)]) == 0
    for names in (paths, [str(tmp_path)]):
        source = open_source(SourceSpec(*names))
        assert source.frame(0).truth is None
        assert not any(file in note for note in source.notes)
        source.close()
    given = frame_of(*paths, truth=str(tmp_path / file)).truth
    assert given is not None and np.nanmedian(given) == 6


@pytest.mark.parametrize(
    ("name", "values", "scale"),
    [
        ("t.pfm", DISPARITY, None),
        ("t.tiff", DISPARITY, None),
        ("t.npy", DISPARITY, None),
        ("t.npy", 4 * DISPARITY, 4),
        ("t.png", stored(256, np.uint16), None),
        ("t.png", stored(64, np.uint16), 64),
        ("t.pgm", stored(1, np.uint8), None),
        ("t.png", stored(16, np.uint8), 16),
    ],
)
def test_a_truth_given_is_read_by_its_type(
    tmp_path: Path, name: str, values: NDArray[Any], scale: float | None
) -> None:
    views = pair(tmp_path, "a.png", "b.png")
    path = write(tmp_path / name, values)
    assert np.array_equal(read_truth(path, scale), DISPARITY, equal_nan=True)
    source = open_source(SourceSpec(*views, truth=str(path), truth_scale=scale))
    assert_true(source.frame(0))
    again = open_source(source.spec)
    assert_true(again.frame(0))


def test_a_truth_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    views = pair(tmp_path, "a.png", "b.png")
    small = str(write(tmp_path / "t.png", np.zeros((3, 3), np.uint16)))
    with pytest.raises(ValueError, match=r"t.png: must have the left image's size 10x4"):
        open_source(SourceSpec(*views, truth=small))
    with pytest.raises(ValueError, match="no stereo pair"):
        open_source(SourceSpec(str(tmp_path), truth=small))
    with pytest.raises(FileNotFoundError, match="absent"):
        open_source(SourceSpec(*views, truth="absent.png"))


@pytest.mark.opengl
def test_a_render_shows_errors_against_the_truth_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    views = [str(write(tmp_path / name, np.tile(GREY, (8, 4)))) for name in ("a.png", "b.png")]
    truth = str(write(tmp_path / "t.png", np.tile(stored(8, np.uint8), (8, 4))))
    out = tmp_path / "o.png"
    words = ["render", "sgm", *views, "--disparities", "16", "--variant", "cpu", "--out", str(out)]
    assert main([*words, "--error-map", f"--truth={truth}", "--truth-scale=8"]) == 0
    recipe = read_recipe(out)
    assert recipe and recipe["source"]["truth_scale"] == "8"
    assert recipe["chosen"]["truth"]["show"] == "errors"
    absent = {"cuda": "none"}
    line = command_line(
        ViewerState(default_slot("sgm", absent), absent), SourceSpec.from_dict(recipe["source"])
    )
    assert {f"--truth={truth}", "--truth-scale=8"} <= set(line)
    assert main([*words, "--error-map"]) == 2
    assert "no error map: this source has no ground truth" in capsys.readouterr().err
    assert main(["render", "canny", views[0], "--out", str(out), "--error-map"]) == 2
    assert "no error map: canny computes no disparity" in capsys.readouterr().err


PUBLISHED = {"bull": 1, "cones": 0.968, "tsukuba": 0.793, "motorcycle": 0.927}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_pairs_open_with_their_truth(data: Path, name: str) -> None:
    folder = data / "stereo" / name
    if not folder.is_dir():
        pytest.skip("the published pairs are absent (data beside the project)")
    frame = frame_of(str(folder / "left.png"), str(folder / "right.png"))
    assert frame.truth is not None and frame.occluded is not None
    assert np.isfinite(frame.truth).mean() == pytest.approx(PUBLISHED[name], abs=1e-3)
    assert 0.01 < (frame.occluded & np.isfinite(frame.truth)).mean() < 0.2


@pytest.mark.parametrize(
    ("first", "count", "expected"),
    [(0, 6, ""), (2, 4, ""), (0, 5, "20% of"), (3, 16, "80% of"), (-16, 16, "100% of")],
)
def test_truth_that_is_not_searched_for_is_reported(first: int, count: int, expected: str) -> None:
    note = not_searched(DISPARITY, first, count)
    assert note.startswith(expected) and bool(note) == bool(expected)
    assert not expected or f"2 to 5 px, is not among the disparities searched, {first} to" in note
    assert not_searched(np.full((2, 3), NAN, np.float32), first, count) == ""


@pytest.mark.opengl
def test_render_says_what_is_not_searched_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["render", "sgm", "--variant", "cpu", "--scene-size", "96x64", "--out"]
    for disparities, text in (("16", False), ("16 --min-disparity 16", True)):
        more = ["--disparities", *disparities.split()]
        assert main([*words, str(tmp_path / "x.png"), *more]) == 0
        assert ("is not among the disparities" in capsys.readouterr().err) == text
