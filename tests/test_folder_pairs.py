"""Folders of pairs: files are paired by name, number or time, in the layouts of data sets."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.containers import jps
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.pairs import list_source, list_sources
from wheatstone.viewer.io.sources.disparity_survey import survey_disparities
from wheatstone.viewer.io.sources.file_pairs import pair_files
from wheatstone.viewer.io.sources.folder import find_pairs
from wheatstone.viewer.io.sources.layouts import stereo_tag
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.io.sources.stated_range import (
    USUAL,
    disparities_of_truth,
    range_note,
    stated_disparities,
)
from wheatstone.viewer.io.sources.truth import TruthFiles
from wheatstone.viewer.io.sources.truth_places import find_truth, why_no_truth

GREY = np.zeros((6, 8), np.uint8)


def saved(path: Path, pixels: NDArray[np.uint8] = GREY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


def paired(lefts: str, rights: str) -> list[tuple[str, str]]:
    left, right = ([Path(name) for name in side.split()] for side in (lefts, rights))
    pairs = pair_files(left, right, "here")
    return [(a.stem, b.stem) for a, b in pairs.pairs]


@pytest.mark.parametrize(
    ("lefts", "rights", "expected"),
    [
        ("1.png 2.png 3.png", "1.png 3.png", [("1", "1"), ("3", "3")]),
        ("l_1.png l_2.png", "r_2.png r_1.png", [("l_1", "r_1"), ("l_2", "r_2")]),
        ("a0_01.png a0_02.png", "b1_02.png b1_01.png", [("a0_01", "b1_01"), ("a0_02", "b1_02")]),
        (
            "1403636579763555584.png 1403636579813555584.png 1403636579863555584.png",
            "1403636579764000000.png 1403636579864000000.png",
            [
                ("1403636579763555584", "1403636579764000000"),
                ("1403636579863555584", "1403636579864000000"),
            ],
        ),
        (  # nanoseconds since a start: 40 ms apart, and twice as many on the right
            "100000000000.png 100100000000.png",
            "100040000000.png 100140000000.png",
            [("100000000000", "100040000000"), ("100100000000", "100140000000")],
        ),
        (
            "100000000000.png 100100000000.png",
            "100002000000.png 100052000000.png 100102000000.png",
            [("100000000000", "100002000000"), ("100100000000", "100102000000")],
        ),
        (  # seconds and nanoseconds
            "1403636579.763555.png 1403636579.813555.png",
            "1403636579813554944.png 1403636579763555072.png",
            [
                ("1403636579.763555", "1403636579763555072"),
                ("1403636579.813555", "1403636579813554944"),
            ],
        ),
        (
            "img_20230501_115959_950.png img_20230501_120000_050.png",
            "img_20230501_120000_057.png img_20230501_115959_957.png",
            [
                ("img_20230501_115959_950", "img_20230501_115959_957"),
                ("img_20230501_120000_050", "img_20230501_120000_057"),
            ],
        ),
    ],
)
def test_files_are_paired_by_name_number_or_time(
    lefts: str, rights: str, expected: list[tuple[str, str]]
) -> None:
    assert paired(lefts, rights) == expected


def test_files_that_do_not_fit_are_refused_and_odd_ones_are_named() -> None:
    with pytest.raises(ValueError, match=r"here: no left and right image belong .*a\.png"):
        paired("a.png b.png", "c.png d.png")
    pairs = pair_files([Path("p/1.png"), Path("p/2.png")], [Path("q/2.png")], "here")
    assert pairs.note == "1 pair by name; without a partner and skipped: p/1.png"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("imageL0.png", "imageR0.png"),
        ("cam0_0001.png", "cam1_0001.png"),
        ("infra1_7.png", "infra2_7.png"),
        ("000038/left.png", "000038/right.png"),
        ("stereo/left/1.png", "stereo/right/1.png"),
        ("2011_09_26/drive_1/image_02/data/0.png", "2011_09_26/drive_1/image_03/data/0.png"),
        ("cam0/data/100.png", "cam1/data/100.png"),
        ("mav0/cam0/data/100.png", "mav0/cam1/data/100.png"),
        ("0_L.png", "0_R.png"),
        ("Left/0.png", "Right/0.png"),
        ("x_left.png", "x_right.png"),
        ("image_l/0.png", "image_r/0.png"),
        ("image_00/data/0.png", "image_01/data/0.png"),
        ("image_02/data/0.png", "image_03/data/0.png"),
        ("image_0/0.png", "image_1/0.png"),
        ("training/colored_0/0_10.png", "training/colored_1/0_10.png"),
        ("im0.png", "im1.png"),
        ("aloe/view1.png", "aloe/view5.png"),
        ("clean_left/alley_1/frame_0001.png", "clean_right/alley_1/frame_0001.png"),
        ("frames_cleanpass/a/left/0006.png", "frames_cleanpass/a/right/0006.png"),
        ("left-image-half-size/0.jpg", "right-image-half-size/0.jpg"),
        (
            "leftImg8bit/train/a/a_0_19_leftImg8bit.png",
            "rightImg8bit/train/a/a_0_19_rightImg8bit.png",
        ),
    ],
)
def test_layouts_of_data_sets_are_recognised(tmp_path: Path, left: str, right: str) -> None:
    for name in (left, right):
        saved(tmp_path / name)
    (frame,) = find_pairs(tmp_path).frames
    assert (frame.left, frame.right) == (tmp_path / left, tmp_path / right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left/0.png", "right/0.png"),
        ("im0.png", "im1.png"),
        ("view1.png", "view5.png"),
        ("cam0_0001.png", "cam1_0001.png"),
        ("training/image_2/0_10.png", "training/image_3/0_10.png"),
        ("image_02/data/0.png", "image_03/data/0.png"),
        ("mav0/cam0/data/100.png", "mav0/cam1/data/100.png"),
        ("training/colored_0/0_10.png", "training/colored_1/0_10.png"),
        ("clean_left/alley_1/frame_0001.png", "clean_right/alley_1/frame_0001.png"),
        ("frames_cleanpass/a/b/left/0006.png", "frames_cleanpass/a/b/right/0006.png"),
        ("left-image-half-size/0.jpg", "right-image-half-size/0.jpg"),
        (
            "leftImg8bit/train/a/a_0_19_leftImg8bit.png",
            "rightImg8bit/train/a/a_0_19_rightImg8bit.png",
        ),
    ],
)
def test_one_picture_finds_its_partner_in_another_folder(
    tmp_path: Path, left: str, right: str
) -> None:
    for name in (left, right):
        saved(tmp_path / name)
    for name in (left, right):
        (ref,) = list_sources([str(tmp_path / name)], None, NO_SOURCE)[0].pairs
        assert ref.files == (tmp_path / left, tmp_path / right)


@pytest.mark.opengl
def test_render_finds_the_right_view_of_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texture = np.random.default_rng(1).integers(0, 256, (32, 64), np.uint8)
    for name in ("image_2", "image_3"):
        saved(tmp_path / name / "0.png", texture)
    (tmp_path / "a_left.pfm").write_bytes(b"Pf\n64 32\n-1\n" + texture.astype("<f4").tobytes())
    (tmp_path / "a_right.pfm").write_bytes((tmp_path / "a_left.pfm").read_bytes())
    words = ["--variant", "cpu", "--out", str(tmp_path / "o.png")]
    for left, right in (("image_2/0.png", "../image_3/0.png"), ("a_left.pfm", "a_right.pfm")):
        assert main(["render", "sgm", str(tmp_path / left), *words]) == 0
        assert f"right view: {right}, next to {Path(left).name}" in capsys.readouterr().err
    alone = saved(tmp_path / "alone/one.png", texture)
    assert main(["render", "sgm", str(alone), *words]) == 2
    assert "give a right image too, or --layout if it" in capsys.readouterr().err


def test_a_folder_of_several_recordings_lists_them(tmp_path: Path) -> None:
    for name in ("00", "01"):
        folder_of_views(tmp_path / "sequences" / name, "image_2", "image_3", ["0.png"])
        (tmp_path / "sequences" / name / "calib.txt").touch()
    with pytest.raises(ValueError, match=r"2 recordings; open one of them: sequences.00, seq"):
        find_pairs(tmp_path)
    frames = find_pairs(tmp_path / "sequences" / "01")
    assert frames.notes == ("recognised as KITTI odometry: image_2, image_3",)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(ValueError, match=r"a data set: KITTI odometry, KITTI 2015, .*Cityscapes"):
        find_pairs(tmp_path / "nothing")


def test_the_odd_picture_of_a_folder_is_named(tmp_path: Path) -> None:
    for name in ("left_1", "left_2", "right_1", "right_2", "right_3"):
        saved(tmp_path / f"{name}.png")
    source = open_source(SourceSpec(str(tmp_path)))
    source.close()
    assert source.length == 2 and "right_3.png" in source.notes[0]


def test_truth_of_layouts_is_found_and_read(tmp_path: Path) -> None:
    left = saved(tmp_path / "clean_left/alley/frame_0001.png")
    saved(tmp_path / "clean_right/alley/frame_0001.png")
    packed = np.zeros((6, 8, 3), np.uint8)
    packed[2, 3] = 5, 32, 0
    saved(tmp_path / "disparities/alley/frame_0001.png", packed)
    assert find_truth(left) is not None
    source = open_source(SourceSpec(str(tmp_path)))
    truth = source.frame(0).truth
    source.close()
    assert truth is not None and truth[2, 3] == 20.5
    view = saved(tmp_path / "m/view1.png")
    for width, scale in ((450, 3), (690, 2), (1300, 1)):
        saved(tmp_path / "m/disp1.png", np.zeros((6, width), np.uint8))
        result = find_truth(view)
        assert result is not None and result.scale == scale
    saved(tmp_path / "m/disp1.png")  # of no size that the data set has
    assert find_truth(view) is None and "--truth-scale 1 (full size)" in why_no_truth(view, None)
    given = find_truth(view, 3)
    assert given is not None and given.scale == 3 and not why_no_truth(view, 3)


def test_the_tag_of_a_jps_gives_the_order_of_its_views(tmp_path: Path) -> None:
    path = tmp_path / "a.jps"
    Image.fromarray(GREY).save(path, format="JPEG")
    assert stereo_tag(path) == ("swapped", "as usual in a .jps")
    for flags, layout in ((0, "swapped"), (4, "side-by-side"), (6, "half-side-by-side")):
        path.write_bytes(jps(GREY, flags))
        assert stereo_tag(path) == (layout, "as its _JPSJPS_ tag says")


def test_calib_txt_says_how_many_disparities_are_searched(tmp_path: Path) -> None:
    assert stated_disparities(tmp_path / "im0.png") is None
    (tmp_path / "calib.txt").write_text("ndisp=96\n")
    assert stated_disparities(tmp_path / "im0.png") == 96
    asked = stated_disparities(tmp_path / "im0.png")
    assert asked and range_note(asked) == "96 disparities are searched: calib.txt asks for 96"
    assert "--min-disparity 288" in range_note(800)
    assert range_note(250, 16).startswith(
        "16 to 256 disparities are searched: as many as each pair"
    )
    Image.fromarray(np.zeros((40, 100), np.uint8)).save(tmp_path / "im0.png")
    assert stated_disparities(tmp_path / "im0.png") == 96
    (tmp_path / "calib.txt").write_text("ndisp=96\nwidth=399\n")
    assert stated_disparities(tmp_path / "im0.png") == 25  # 24.06 of these pixels
    (tmp_path / "calib.txt").write_text("ndisp=96\nwidth=200\nheight=80\n")
    assert stated_disparities(tmp_path / "im0.png") == 48
    (tmp_path / "calib.txt").write_text("ndisp=96\nwidth=200\nheight=90\n")
    assert stated_disparities(tmp_path / "im0.png") is None  # it is for images of another shape


def test_ground_truth_that_needs_more_than_the_usual_range_widens_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert SgmParams().disparities == USUAL
    shown = np.random.default_rng(2).integers(0, 256, (40, 300), np.uint8)
    views = saved(tmp_path / "left.png", shown[:, :220]), tmp_path / "right.png"
    saved(views[1], shown[:, 80:])
    for disparity, count in ((80, 81), (40, None), (600, 512), (1e6, None)):
        truth = np.full((40, 700), disparity, np.float32)
        truth[0, 0] = np.inf
        files = TruthFiles(tmp_path / f"truth{disparity:.0f}.npy")
        np.save(files.truth, truth)
        assert disparities_of_truth([files, files]) == count
    assert disparities_of_truth([]) is None
    steps = saved(tmp_path / "steps.png", np.full((40, 700), 80, np.uint8))
    assert disparities_of_truth([TruthFiles(steps)]) is None  # which may lack a scale
    assert disparities_of_truth([TruthFiles(steps, 1)]) == 81
    np.save(tmp_path / "truth.npy", np.full((40, 220), 80, np.float32))
    pair = [*map(str, views), "--truth", str(tmp_path / "truth.npy")]
    values = tmp_path / "values.npy"
    words = ["render", "sgm", *pair, "--variant", "cpu", "--values", str(values)]
    assert main([*words, "--image", "disparity", "--out", str(tmp_path / "o.png")]) == 0
    assert "96 disparities are searched: the ground truth asks for 81" in capfd.readouterr().err
    assert np.median(np.load(values)[:, 100:]) == pytest.approx(80, abs=0.5)


def test_a_survey_reports_small_ranges_and_exchanged_views() -> None:
    wide = np.random.default_rng(1).integers(0, 256, (96, 400), np.uint8)
    left, right = wide[:, :300], wide[:, 80:380]
    survey = survey_disparities(left, right)
    assert "try --disparities 128" in survey.outside(0, 64)
    assert not survey.outside(0, 128) and not survey.warning((0, 128), "swapped")
    assert "seem to be exchanged" in survey_disparities(right, left).warning(None, "swapped")


def folder_of_views(root: Path, left: str, right: str, names: Sequence[str]) -> Path:
    for name in names:
        saved(root / left / name)
        saved(root / right / name)
    return root


STAMPS = ("1403636579763555584", "1403636579813555584", "1403636579913555584")
EUROC = "#timestamp [ns],filename\r\n" + "".join(f"{s},{s}.png\r\n" for s in STAMPS)
RAW = "2011-09-26 23:59:59.900000000\n" + "".join(
    f"2011-09-27 00:00:00.{fraction}00000000\n" for fraction in (0, 2)
)


@pytest.mark.parametrize(
    ("views", "names", "file", "text", "times"),
    [
        (
            ("mav0/cam0/data", "mav0/cam1/data"),
            [f"{stamp}.png" for stamp in STAMPS],
            "mav0/cam0/data.csv",
            EUROC,
            [0, 0.05, 0.15],
        ),
        (
            ("image_02/data", "image_03/data"),
            ["0000000000.png", "0000000001.png", "0000000002.png"],
            "image_02/timestamps.txt",
            RAW,
            [0, 0.1, 0.3],
        ),
        (
            ("image_0", "image_1"),
            ["000000.png", "000002.png", "000003.png"],
            "times.txt",
            "0.000000e+00\n1.036224e-01\n2.072448e-01\n4.0e-01\n",
            [0, 0.2072448, 0.4],
        ),
    ],
)
def test_sequences_of_data_sets_play_at_their_times(
    tmp_path: Path,
    views: tuple[str, str],
    names: list[str],
    file: str,
    text: str,
    times: list[float],
) -> None:
    root = folder_of_views(tmp_path / "set", *views, names)
    (root / file).write_text(text, newline="")
    with closing(open_source(SourceSpec(str(root)))) as source:
        assert source.times == pytest.approx(np.array(times))
        assert source.rate == pytest.approx(2 / times[-1])
    assert list_source(str(root), None, NO_SOURCE).rate == pytest.approx(2 / times[-1])
    with closing(open_source(SourceSpec(*(str(root / view) for view in views)))) as source:
        assert source.times == pytest.approx(np.array(times))
    (root / file).write_text(text.replace(text.splitlines()[-1], "x"))
    with closing(open_source(SourceSpec(str(root)))) as source:
        assert source.times is None and source.rate == 10
        assert f"{root / file}: no time of {names[-1]}; pairs are shown 10 a" in source.notes[-1]


def test_times_that_do_not_rise_are_left_out_with_a_note(tmp_path: Path) -> None:
    root = folder_of_views(tmp_path, "image_0", "image_1", ["000000.png", "000001.png"])
    (root / "times.txt").write_text("1.0\n0.5\n")
    with closing(open_source(SourceSpec(str(root)))) as source:
        assert source.rate == 10 and "pair 1 is not later than" in source.notes[-1]
    (root / "times.txt").write_text("1e300\n2e300\n")
    with closing(open_source(SourceSpec(str(root)))) as source:
        assert source.rate == 10 and "no time of 000000.png" in source.notes[-1]


def stored_truth(path: Path, numbers: NDArray[np.uint16]) -> None:
    path.parent.mkdir(parents=True)
    Image.fromarray(numbers).save(path)


P = "{f} 0 {cx} {t} 0 {f} 24 0 0 0 1 0"
SEQUENCE = "2018-07-09-16-11-56"


def driving_stereo(root: Path, size: str, shown: NDArray[np.uint8], scale: int) -> None:
    """Write a pair as DrivingStereo does, whose disparity is 8 px; its P contradicts its T."""
    name = f"{SEQUENCE}_{SEQUENCE}-502"
    saved(root / f"left-image-{size}-size/{name}.png", shown[:, :96])
    saved(root / f"right-image-{size}-size/{name}.png", shown[:, 8:104])
    numbers = np.full((48, 96), 8 * scale, np.uint16)
    numbers[:5] = 0
    stored_truth(root / f"disparity-map-{size}-size/{name}.png", numbers)
    text = "".join(
        f"T_{camera}: {place} 0 0\nP_rect_{camera}: {P.format(f=200, cx=48, t=t)}\n"
        for camera, place, t in ((101, 0, 0), (103, -0.25, -100))
    )
    calibration = root / f"{size}-image-calib/{SEQUENCE}.txt"
    calibration.parent.mkdir()
    calibration.write_text(text)


def cityscapes(root: Path, shown: NDArray[np.uint8]) -> None:
    """Write a pair as Cityscapes does, whose disparity is 8 px."""
    place, name = "train/aachen", "aachen_000000_000019"
    saved(root / f"leftImg8bit/{place}/{name}_leftImg8bit.png", shown[:, :96])
    saved(root / f"rightImg8bit/{place}/{name}_rightImg8bit.png", shown[:, 8:104])
    numbers = np.full((48, 96), 8 * 256 + 1, np.uint16)
    numbers[:5] = 0
    stored_truth(root / f"disparity/{place}/{name}_disparity.png", numbers)
    camera = {
        "intrinsic": {"fx": 200.0, "fy": 200.0, "u0": 48.0, "v0": 24.0},
        "extrinsic": {"baseline": 0.25},
    }
    calibration = root / f"camera/{place}/{name}_camera.json"
    calibration.parent.mkdir(parents=True)
    calibration.write_text(json.dumps(camera))


@pytest.mark.parametrize("kind", ["Cityscapes", "half", "full"])
def test_truth_and_calibration_of_driving_data_sets_are_read(
    tmp_path: Path,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    shown = np.random.default_rng(3).integers(0, 256, (48, 104), np.uint8)
    root = tmp_path / "set"
    if kind == "Cityscapes":
        cityscapes(root, shown)
    else:
        driving_stereo(root, kind, shown, 256 if kind == "half" else 128)
    with closing(open_source(SourceSpec(str(root)))) as source:
        frame = source.frame(0)
        assert frame.truth is not None and frame.calibration is not None
        assert np.isnan(frame.truth[:5]).all() and (frame.truth[5:] == 8).all()
        assert frame.calibration.depth(8.0) == pytest.approx(200 * 0.25 / 8)
        assert any("T is used" in note for note in source.notes) == (kind != "Cityscapes")
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "set", "--disparities", "16", "--variant", "cpu"]
    assert main(words) == 0
    assert "In short: 0.00 % of the pixels judged" in capfd.readouterr().out
