"""Clouds of points in files: read again as the formats say, and compared with the calibration."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.offscreen_app import keys, running_app, settle
from wheatstone.gpu.reference.disparity import depth
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.files.cloud import PointCloud, cloud_of, write_cloud

KNOWN = Calibration(80.0, 0.25, (1.5, 2.25), offset=3.5)
DISPARITY = np.full((2, 24), np.nan, np.float32)
DISPARITY[:, 18:21] = [[4, np.nan, -3.5], [-3, -4, 16.5]]
DISPARITY[[0, 1], [2, 22]] = 4, -3  # whose matches lie outside the right view
SEEN = [(0, 18), (1, 18), (1, 20)]  # rows and columns with a depth and a match
VIEW = np.arange(144, dtype=np.uint8).reshape(2, 24, 3)


def read_ply(path: Path) -> tuple[list[str], NDArray[np.float32], NDArray[np.uint8]]:
    header, points = path.read_bytes().split(b"end_header\n", 1)
    lines = header.decode("ascii").splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"]
    types = {"float": "<f4", "uchar": "u1"}
    fields = [line.split()[1:] for line in lines if line.startswith("property")]
    records = np.frombuffer(points, np.dtype([(name, types[kind]) for kind, name in fields]))
    (count,) = [int(line.split()[2]) for line in lines if line.startswith("element vertex")]
    assert count == len(records)
    places = np.stack([records[axis] for axis in "xyz"], 1)
    colors = np.stack([records[name] for name in ("red", "green", "blue")], 1)
    return [line[8:] for line in lines if line.startswith("comment ")], places, colors


def read_pcd(path: Path) -> tuple[list[str], NDArray[np.float32], NDArray[np.uint8]]:
    header, points = path.read_bytes().split(b"DATA binary\n", 1)
    lines = header.decode("ascii").splitlines()
    by_key = {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}
    assert by_key["VERSION"] == ["0.7"] and by_key["FIELDS"] == ["x", "y", "z", "rgb"]
    named = zip(by_key["FIELDS"], by_key["TYPE"], by_key["SIZE"], strict=True)
    records = np.frombuffer(
        points, np.dtype([(name, f"<{kind.lower()}{size}") for name, kind, size in named])
    )
    assert (
        int(by_key["POINTS"][0])
        == int(by_key["WIDTH"][0]) * int(by_key["HEIGHT"][0])
        == len(records)
    )
    places = np.stack([records[axis] for axis in "xyz"], 1)
    colors = np.stack([records["rgb"] >> shift & 255 for shift in (16, 8, 0)], 1)
    return [line[2:] for line in lines if line.startswith("# ")], places, colors.astype(np.uint8)


READERS = {".ply": read_ply, ".pcd": read_pcd}


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("axes", ["camera", "opengl"])
def test_every_point_is_that_of_the_calibration(tmp_path: Path, suffix: str, axes: str) -> None:
    path = tmp_path / f"cloud{suffix}"
    write_cloud(path, cloud_of(DISPARITY, KNOWN, VIEW, axes))
    notes, places, colors = READERS[suffix](path)
    turned = np.array((1, -1, -1) if axes == "opengl" else (1, 1, 1))
    expected = [KNOWN.point(x, y, float(DISPARITY[y, x])) for y, x in SEEN]
    assert None not in expected
    assert np.allclose(places, np.array(expected) * turned, rtol=1e-6, atol=0)
    assert colors.tolist() == [VIEW[y, x].tolist() for y, x in SEEN]
    lead = {"camera": "X right, Y down, Z ahead", "opengl": "X right, Y up, Z backward"}[axes]
    assert "wheatstone" in notes[-1] and "unit m;" in notes[-1] and f"{axes}: {lead}" in notes[-1]


def test_a_part_of_the_image_keeps_its_places() -> None:
    whole = cloud_of(DISPARITY, KNOWN, VIEW)
    part = cloud_of(DISPARITY, KNOWN, VIEW, region=(slice(1, 2), slice(20, 21)))
    assert np.array_equal(part.places, whole.places[2:])
    assert np.array_equal(part.colors, whole.colors[2:])


def test_grey_views_give_grey_points_and_no_depth_gives_none(tmp_path: Path) -> None:
    grey = cloud_of(DISPARITY, KNOWN, VIEW[..., 0])
    assert grey.colors.tolist() == [[VIEW[y, x, 0]] * 3 for y, x in SEEN]
    nothing = cloud_of(np.full((4, 4), np.nan, np.float32), KNOWN, np.zeros((4, 4), np.uint8))
    write_cloud(tmp_path / "none.pcd", nothing)
    assert read_pcd(tmp_path / "none.pcd")[1].shape == (0, 3)


def test_depths_are_to_the_bit_those_of_the_stage() -> None:
    stored = np.random.default_rng(3).integers(-176, 1024, (40, 50)).astype(np.int16)
    known = Calibration(713.3, 0.1193, (20, 20), offset=2.0371)
    camera = np.array((known.scale.product, known.offset), np.float32)
    expected = np.empty(stored.shape, np.float32)
    depth(stored, camera, expected, -10)
    pixels = np.where(stored == -176, np.nan, stored / np.float32(16)).astype(np.float32)
    assert np.array_equal(known.depths(pixels), expected, equal_nan=True)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    empty = PointCloud(np.empty((0, 3), np.float32), np.empty((0, 3), np.uint8), "camera", "m")
    with pytest.raises(ValueError, match=r"clouds go to \.ply, \.pcd"):
        write_cloud(tmp_path / "a.xyz", empty)
    assert not list(tmp_path.iterdir())


@pytest.mark.opengl
def test_a_command_and_a_key_write_what_is_seen(
    offscreen: OffscreenContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "reference")
    with running_app(*words) as app:
        keys(app, "Ctrl+E")
        settle(app)
        assert "points in units, axes camera" in app.state.message
        app.state.zoom = 4.0
        keys(app, "Ctrl+E")
        settle(app)
    assert main(["render", *words, "--cloud", "all.ply", "--axes", "opengl"]) == 0
    errors = capsys.readouterr().err
    _, seen, colors = read_ply(tmp_path / "wheatstone-001.ply")
    _, all_, _ = read_ply(tmp_path / "all.ply")
    assert np.array_equal(all_, seen * np.array((1, -1, -1), np.float32))
    assert f"all.ply: {len(seen):,} points in units, axes opengl" in errors
    _, part, part_colors = read_ply(tmp_path / "wheatstone-002.ply")
    assert 0 < len(part) < len(seen) / 4
    known = {(*place, *color) for place, color in zip(seen.tolist(), colors.tolist(), strict=True)}
    parts = zip(part.tolist(), part_colors.tolist(), strict=True)
    assert {(*place, *color) for place, color in parts} <= known


def test_a_pipeline_without_a_disparity_has_no_cloud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cloud.ply"
    words = ["render", "mean", "--scene-size", "64x48", "--cloud", str(path)]
    assert main(words) == 2
    assert "mean has no disparity" in capsys.readouterr().err and not path.exists()
