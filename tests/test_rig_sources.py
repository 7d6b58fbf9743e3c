"""Scenes and sources whose images a rig took: what they serve, and what ``rectify`` writes."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from tests.rigs import (
    DISTORTION,
    SIZE,
    a_rig,
    opencv_names,
    pair_of_a_rig,
    stage,
    straight,
    taken,
    write_opencv,
    write_pair,
)
from tests.turned_pairs import turned_pair
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cameras.calibration_files import digest_of
from wheatstone.viewer.cameras.formats.own import rig_text
from wheatstone.viewer.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.cameras.rays import rays_of
from wheatstone.viewer.cameras.rectification import FAR, identity_map
from wheatstone.viewer.cameras.rig import Camera, Model
from wheatstone.viewer.cameras.rows import measure_rows
from wheatstone.viewer.commands.cli import main, parse
from wheatstone.viewer.commands.requests import both_calibrations
from wheatstone.viewer.commands.start import open_view
from wheatstone.viewer.files.rigs import write_rig
from wheatstone.viewer.scenes.raycast import open_eye, picture
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.foreign_sources import foreign_files
from wheatstone.viewer.settings.sections import saved_source
from wheatstone.viewer.sources.calibrated import GivenCalibration
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.said import Said
from wheatstone.viewer.sources.stereo import render_stereo


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str, str]:
    """Two images, and the file of the rig that took them."""
    return write_pair(tmp_path)


def opened(pair: tuple[str, str, str]) -> Iterator[Source]:
    left, right, rig = pair
    yield open_source(left, right, said=Said(calibration=GivenCalibration((rig,))))
    yield open_source(str(Path(left).parent), said=Said(calibration=GivenCalibration((rig,))))


def test_a_pair_of_a_rig_is_served_raw_with_its_maps(pair: tuple[str, str, str]) -> None:
    expected = rectify_rig(a_rig(), *SIZE)
    for source in opened(pair):
        with closing(source):
            frame = source.frame(0)
            assert frame.raw and frame.raw.left.shape == (240, 320, 3)
            maps = frame.raw.rectification
            assert maps.calibration == expected.calibration and maps.origin == "rig.toml"
            assert np.array_equal(maps.right.place, expected.right.place)
            assert (source.height, source.width) == frame.shape == (240, 320)
            (note,) = source.notes
            assert note.startswith("rig.toml (wheatstone): size 320x240, focal lengths 260.50")


def test_all_frames_of_a_folder_share_their_maps(
    tmp_path: Path, pair: tuple[str, str, str]
) -> None:
    for number in (1, 2, 3):
        for side, path in zip(("left", "right"), pair, strict=False):
            (tmp_path / "several").mkdir(exist_ok=True)
            (tmp_path / "several" / f"{side}{number}.png").write_bytes(Path(path).read_bytes())
    given = GivenCalibration((pair[2],))
    with closing(open_source(str(tmp_path / "several"), said=Said(calibration=given))) as source:
        maps = [frame.raw.rectification for n in range(3) if (frame := source.frame(n)).raw]
    assert len(maps) == 3 and maps[0] is maps[1] is maps[2]


def test_a_recipe_knows_whether_the_rig_is_still_the_same(pair: tuple[str, str, str]) -> None:
    left, right, rig = pair
    source = open_source(left, right, said=Said(calibration=GivenCalibration((rig,))))
    recipe = source.recipe
    assert recipe["calibration_sha256"] == digest_of([Path(rig)])
    again = settings.loads(settings.dumps({"source": dict(recipe)}))["source"]
    assert saved_source({"source": again}) == recipe
    given = GivenCalibration((rig,), str(recipe["calibration_sha256"]))
    assert len(open_source(left, right, said=Said(calibration=given)).notes) == 1
    Path(rig).write_text(rig_text(a_rig()) + "# touched\n")
    notes = open_source(left, right, said=Said(calibration=given)).notes
    assert notes[1] == "rig.toml has changed since its picture or settings were saved"


def test_two_files_are_said_with_one_option_and_come_back(
    tmp_path: Path, pair: tuple[str, str, str]
) -> None:
    named = opencv_names(a_rig())
    first = write_opencv(tmp_path / "in.yml", {k: v for k, v in named.items() if k not in "RT"})
    second = write_opencv(tmp_path / "ex.yml", {k: v for k, v in named.items() if k in "RT"})
    words = ["render", "invert", "--calibration", str(first), str(second), *pair[:2]]
    _, source = open_view(parse([*words, "--out", "a.png"]))
    assert source.frame(0).raw and source.recipe["calibration_right"] == str(second)
    found = foreign_files(Path("/elsewhere/shot.png"), {"source": dict(source.recipe)})
    assert found == (*pair[:2], str(first), str(second))


def test_a_picture_is_never_taken_for_a_second_calibration() -> None:
    words = ["--calibration", "a.yml", "b.png", "--x", "c.yml"]
    assert both_calibrations(words) == words
    assert both_calibrations(["--calibration=a.yml", "b.XML", "l.png"]) == [
        "--calibration=a.yml",
        "--calibration-right",
        "b.XML",
        "l.png",
    ]


def test_a_scene_is_seen_by_a_rig_at_the_rigs_size(tmp_path: Path) -> None:
    write_rig(tmp_path / "rig.toml", a_rig())
    words = ["render", "invert", "--scene", "corridor", "--calibration", str(tmp_path / "rig.toml")]
    _, source = open_view(parse([*words, "--out", "a.png"]))
    with closing(source):
        frame = source.frame(3)
        assert frame.raw and np.array_equal(frame.raw.left, pair_of_a_rig().left)
        assert source.recipe["size"] == "320x240"
        assert source.recipe["calibration"] == str(tmp_path / "rig.toml")
        assert foreign_files(Path("/elsewhere/shot.png"), {"source": dict(source.recipe)})
    with pytest.raises(ValueError, match="calibrated at 320x240, images are 321x240"):
        open_view(parse([*words, "--scene-size", "321x240", "--out", "a.png"]))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["left.png", "--calibration", "rig.toml"], "describes two cameras: give LEFT RIGHT"),
        (
            ["left.png", "right.png", "--calibration", "other.toml"],
            "calibrated at 1280x720, images",
        ),
        (["left.png", "right.png", "--calibration-right", "rig.toml"], "goes with the left one's"),
        (["left.png", "right.png", "--calibration", "left.png"], "left.png"),
        (["left.png", "right.png", "--calibration", "gone.yml"], "gone.yml: no such file"),
    ],
)
def test_a_calibration_that_does_not_serve_ends_in_one_line(
    pair: tuple[str, str, str],
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(Path(pair[0]).parent)
    write_rig(Path("other.toml"), replace(a_rig(), size=(1280, 720)))
    assert main(["render", "invert", *words, "--out", "shot.png"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_rig_that_is_level_has_maps_that_change_nothing() -> None:
    found = rectify_rig(straight(), *SIZE)
    expected = identity_map(*SIZE)
    for view in (found.left, found.right):
        assert np.array_equal(view.place, expected.place)
        assert not view.fraction.any()
    known = found.calibration
    assert known.focal == pytest.approx(288) and known.baseline == pytest.approx(0.25)
    assert (known.principal, known.offset) == ((159.5, 119.5), 0)


@pytest.mark.parametrize("model", DISTORTION)
def test_the_ray_of_a_pixel_is_seen_at_that_pixel(model: Model) -> None:
    camera = a_rig(model).left
    u, v = rays_of(camera, *SIZE)
    points = np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 1, 3)
    still, lens = np.zeros(3), (camera.matrix, camera.coefficients)
    if model == "fisheye":
        seen = cv2.fisheye.projectPoints(points, still, still, *lens)[0]
    else:
        seen = cv2.projectPoints(points, still, still, *lens)[0]
    rows, columns = np.mgrid[:240, :320]
    expected = np.stack([columns, rows], axis=-1)
    assert np.abs(seen.reshape(240, 320, 2) - expected).max() < 1e-3


def test_where_a_lens_sees_nothing_there_is_no_ray() -> None:
    wide = Camera(np.array([[60.0, 0, 160], [0, 60, 120], [0, 0, 1]]), (0.0,) * 4, "fisheye")
    u, _ = rays_of(wide, *SIZE)
    angle = np.hypot(*(np.mgrid[:240, :320] - np.array([120, 160])[:, None, None])) / 60
    assert np.array_equal(np.isnan(u), angle >= np.radians(89))


def test_places_beyond_16_bits_do_not_come_back_from_the_other_side() -> None:
    rig = straight()
    bent = replace(rig.left, distortion=(0.0, 0.0, 0.0, 0.0, 40_000.0))
    found = rectify_rig(replace(rig, left=bent, levelling=levelling_of(rig)), *SIZE).left
    corner = found.place[0, 0]
    assert corner.tolist() == [FAR, FAR] and found.fraction[0, 0] == 0
    assert abs(found.place[119, 159] - [159, 119]).max() <= 1


def test_a_level_rig_takes_what_the_scene_itself_shows() -> None:
    frame = taken(straight())
    expected = render_stereo(stage(), *SIZE)
    assert frame.raw and expected.right is not None
    for one, other in ((frame.raw.left, expected.left), (frame.raw.right, expected.right)):
        assert np.mean(one != other) < 1e-3  # single precision, at the edges of surfaces
    assert frame.truth is not None and expected.truth is not None
    assert np.allclose(frame.truth, expected.truth, 1e-4, 1e-3)
    assert np.mean(frame.occluded != expected.occluded) < 1e-3


@pytest.mark.parametrize("model", DISTORTION)
def test_rectified_a_distorted_pair_is_what_two_level_cameras_see(model: Model) -> None:
    frame = taken(a_rig(model))
    moment, known = stage(), frame.calibration
    assert frame.raw and known and frame.right is not None
    u, v = ((np.arange(n) - m) / known.focal for n, m in zip(SIZE, known.principal, strict=True))
    grid = u[None].astype(np.float32), v[:, None].astype(np.float32)
    inner = slice(8, -8), slice(8, -8)
    for camera, seen, raw in (
        (moment.camera, frame.left, frame.raw.left),
        (moment.camera.moved(known.baseline), frame.right, frame.raw.right),
    ):
        ideal = picture(open_eye(moment, camera), moment, *grid, 1 / known.focal)[0][inner]
        off = np.abs(seen[inner].astype(int) - ideal)
        assert np.median(off) <= 2 and off.mean() < 5
        assert np.abs(raw[inner].astype(int) - ideal).mean() > 4 * off.mean()


def test_truth_is_the_disparity_of_the_rectified_pair() -> None:
    frame = taken(a_rig())
    assert frame.truth is not None and frame.occluded is not None and frame.right is not None
    rows, columns = np.mgrid[:240, :320].astype(np.float32)
    back = cv2.remap(frame.right, columns - frame.truth, rows, cv2.INTER_LINEAR)
    seen = ~frame.occluded
    seen[:8] = seen[-8:] = seen[:, :60] = False
    off = np.abs(back.astype(int) - frame.left)[seen]
    aside = cv2.remap(frame.right, columns - frame.truth - 2, rows, cv2.INTER_LINEAR)
    assert np.median(off) <= 2
    assert off.mean() < 0.5 * np.abs(aside.astype(int) - frame.left)[seen].mean()


def test_matching_a_rectified_pair_finds_depth_in_metres() -> None:
    frame = taken(a_rig())
    assert frame.truth is not None and frame.occluded is not None and frame.right is not None
    sgm = PIPELINES["sgm"]
    views = {"left": grey_levels(frame.left), "right": grey_levels(frame.right)}
    found = compute(sgm, "cpu", sgm.params().changed(disparities=64), **views)
    image = sgm.image(sgm.output)
    known = (found != image.invalid) & ~frame.occluded
    known[:8] = known[-8:] = known[:, :64] = False
    off = np.abs(found[known] / 16 - frame.truth[known])
    assert np.median(off) < 0.2 and np.mean(off > 1) < 0.1
    assert frame.calibration and frame.calibration.unit == "m"


def test_rectify_writes_a_folder_that_opens_as_rectified(
    pair: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right, rig = pair
    out = tmp_path / "out"
    assert main(["rectify", left, right, "--calibration", rig, "--out", str(out)]) == 0
    assert "wrote 1 pair and calib.txt" in capsys.readouterr().err
    expected = open_source(left, right, said=Said(calibration=GivenCalibration((rig,)))).frame(0)
    with closing(open_source(str(out))) as source:
        frame = source.frame(0)
        assert frame.raw is None and frame.right is not None
        assert np.array_equal(frame.left, expected.left)
        assert np.array_equal(frame.right, expected.right)  # type: ignore[arg-type]
        found, known = frame.calibration, expected.calibration
        assert found and known and found.depth(20.0) == pytest.approx(known.depth(20.0), 1e-12)
        assert found.principal == known.principal
    assert main(["rectify", str(out), "--out", str(tmp_path / "again")]) == 2
    assert "is rectified already" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_rectify_takes_folders_and_keeps_names(pair: tuple[str, str, str], tmp_path: Path) -> None:
    for side, path in zip(("left", "right"), pair, strict=False):
        (tmp_path / side).mkdir()
        for number in (9, 10):
            (tmp_path / side / f"{side[0]}{number}.png").write_bytes(Path(path).read_bytes())
    folders = [str(tmp_path / side) for side in ("left", "right")]
    out = tmp_path / "out"
    assert main(["rectify", *folders, "--calibration", pair[2], "--out", str(out)]) == 0
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*.*"))
    assert files == ["calib.txt", "left/l10.png", "left/l9.png", "right/l10.png", "right/l9.png"]
    with closing(open_source(str(out))) as source:
        assert source.length == 2 and source.frame(1).calibration


def test_rectify_does_not_write_over_what_it_reads(
    pair: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images = [tmp_path / "im0.png", tmp_path / "im1.png"]
    for path, source in zip(images, pair, strict=False):
        path.write_bytes(Path(source).read_bytes())
    words = ["rectify", *map(str, images), "--calibration", pair[2]]
    assert main([*words, "--out", str(tmp_path)]) == 2
    assert "would replace an input" in capsys.readouterr().err
    assert main(["rectify", pair[0], pair[1], "--out", str(tmp_path / "o")]) == 2
    assert "no calibration lies beside it; give a rig's calibration" in capsys.readouterr().err


def test_features_rectify_a_pair_of_which_no_length_is_known(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--rectify", "auto", "--out", str(tmp_path / "out")]
    images = turned_pair().save(tmp_path)
    assert main(["rectify", *images, *words]) == 0
    assert "depth is relative" in capfd.readouterr().err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["im0.png", "im1.png"]
    left, right = (np.array(Image.open(tmp_path / "out" / f"im{n}.png")) for n in (0, 1))
    assert measure_rows(grey_levels(left), grey_levels(right)).median < 0.5
    (tmp_path / "out" / "calib.txt").write_text("of other pairs")
    assert main(["rectify", *images, *words]) == 2
    assert "choose another folder" in capfd.readouterr().err


def test_rectify_replaces_its_own_files_and_nobody_elses(
    pair: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right, rig = pair
    own, out = tmp_path / "own", tmp_path / "out"
    own.mkdir()
    (own / "im1.png").write_bytes(b"mine")
    assert main(["rectify", left, right, "--calibration", rig, "--out", str(own)]) == 2
    assert "im1.png: exists already" in capsys.readouterr().err
    assert [path.name for path in own.iterdir()] == ["im1.png"]
    assert (own / "im1.png").read_bytes() == b"mine"
    for _ in range(2):  # the second run writes the same again
        assert main(["rectify", left, right, "--calibration", rig, "--out", str(out)]) == 0
