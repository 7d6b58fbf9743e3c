"""16-bit images: one declared rule for both views and all frames, before every pipeline."""

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import wheatstone as ws
from tests.programs import environment
from tests.rigs import identity_map
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.pairs import list_sources
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.rectification import (
    RawPair,
    Rectification,
)
from wheatstone.viewer.io.sources.arrays import ArraySource
from wheatstone.viewer.io.sources.depth import stored_array
from wheatstone.viewer.io.sources.folder import FolderSource
from wheatstone.viewer.io.sources.frame import DeepViews, Frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import StillSource, read_views
from wheatstone.viewer.io.sources.tone import Tone, measured_tone
from wheatstone.viewer.panels.inspector.pixel_words import LEFT, levels

LOW, HIGH = 812, 4095
Deep = NDArray[np.uint16]


def ramp(low: int = LOW, high: int = HIGH, seed: int = 1) -> Deep:
    """Make a 12-bit picture whose numbers reach from low to high."""
    result = np.random.default_rng(seed).integers(low, high + 1, (31, 47)).astype(np.uint16)
    result[0, :5], result[1, :5] = low, high
    return result


def save(path: Path, pixels: Deep) -> Path:
    assert cv2.imwrite(str(path), pixels)
    return path


def pair(folder: Path, ending: str = "png") -> SourceSpec:
    left, right = (save(folder / f"{n}.{ending}", ramp(seed=s)) for s, n in enumerate("lr"))
    return SourceSpec(str(left), str(right), tone="percentile")


def test_a_line_from_the_lowest_to_the_highest() -> None:
    numbers = np.array([[0, 100, 150, 200, 65535]], np.uint16)
    assert Tone("percentile", 100, 200).applied(stored_array(numbers)).tolist() == [
        [0, 0, 128, 255, 255]
    ]


def test_a_thousandth_at_both_ends_is_left_out() -> None:
    numbers = np.full((100, 100), 1000, np.uint16)
    numbers[50:] = 2000
    numbers[0, :9], numbers[99, :9] = 0, 65535  # fewer than one in a thousand
    assert measured_tone("percentile", [stored_array(numbers)]) == Tone("percentile", 1000, 2000)


@pytest.mark.parametrize("ending", ["png", "tiff", "pgm"])
def test_both_views_have_one_mapping_that_is_noted(tmp_path: Path, ending: str) -> None:
    source = StillSource(pair(tmp_path, ending))
    message = f"16 bit {LOW}..{HIGH} shown as 0..255 (percentile)"
    assert source.notes[:2] == (f"l.{ending}: {message}", f"r.{ending}: {message}")
    frame = source.frame(0)
    wanted = np.rint((ramp(seed=0) - np.float64(LOW)) * 255 / (HIGH - LOW))
    assert np.array_equal(frame.left, wanted)


def test_views_of_different_brightness_keep_their_difference(tmp_path: Path) -> None:
    left, right = (
        save(tmp_path / "l.png", ramp(1000, 2000)),
        save(tmp_path / "r.png", ramp(2000, 3000)),
    )
    read = read_views(left, right, measure="percentile")
    assert read.tone == Tone("percentile", 1000, 3000)
    assert read.right is not None and read.left.max() == read.right.min() == 128


def test_pgm_of_twelve_bits_keeps_its_numbers(tmp_path: Path) -> None:
    values = ramp()
    (tmp_path / "a.pgm").write_bytes(b"P5 47 31 4095\n" + values.astype(">u2").tobytes())
    read = read_views(tmp_path / "a.pgm", None, measure="percentile")
    assert read.tone == Tone("percentile", LOW, HIGH)
    assert read.deep[0] is not None and np.array_equal(read.deep[0], values)


def test_all_frames_have_the_mapping_of_the_first(tmp_path: Path) -> None:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        save(tmp_path / side / "0.png", ramp(1000, 2000))
        save(tmp_path / side / "1.png", ramp(1000, 1500))
    spec = SourceSpec(str(tmp_path), tone="percentile")
    source = FolderSource(spec)
    second = source.frame(1)
    assert second.left.max() == 128 and source.frame(0).left.max() == 255
    (listed,) = list_sources([str(tmp_path)], None, SourceSpec(tone="percentile"))
    frame, _ = listed.pairs[1].read(SourceSpec(tone="percentile"))
    assert np.array_equal(frame.left, second.left)
    source.close()


def test_linear_is_the_default(tmp_path: Path) -> None:
    spec = pair(tmp_path)
    default, linear = StillSource(spec.changed(tone=None)), StillSource(spec.changed(tone="linear"))
    assert np.array_equal(default.frame(0).left, ramp(seed=0) // 257)
    assert np.array_equal(default.frame(0).left, linear.frame(0).left)


@pytest.mark.parametrize("colour", [False, True])
def test_clahe_has_one_range_and_raises_contrast(colour: bool) -> None:
    faint = ramp(30000, 30100)
    faint[15:] += 20000
    views = np.stack([faint] * 3, -1) if colour else faint
    by_key = {t: ArraySource(views, views, tone=t) for t in ("percentile", "clahe")}
    assert by_key["clahe"].notes[0] == "left: 16 bit 30000..50100 shown as 0..255 (clahe)"
    frame = by_key["clahe"].frame(0)
    assert frame.right is not None and np.array_equal(frame.left, frame.right)
    assert frame.left[:15].std() > 2 * by_key["percentile"].frame(0).left[:15].std()


def test_eight_bits_are_left_alone() -> None:
    grey = (ramp() // 16).astype(np.uint8)
    source = ArraySource(grey, grey, tone="percentile")
    assert np.array_equal(source.frame(0).left, grey) and source.notes == ()
    assert source.frame(0).deep is None


def test_arrays_and_files_give_the_same(tmp_path: Path) -> None:
    spec = pair(tmp_path)
    arrays = ws.open(ramp(seed=0), ramp(seed=1), tone="percentile")
    files = ws.open(str(spec.left), str(spec.right), tone="percentile")
    run = ws.Run("sgm", variant="cpu", disparities=16)
    assert np.array_equal(run(arrays).disparity, run(files).disparity, equal_nan=True)
    with pytest.raises(ValueError, match="tone must be one of linear, percentile, clahe"):
        ws.open(ramp(), ramp(), tone="gamma")


def test_the_inspector_shows_both_numbers(tmp_path: Path) -> None:
    frame = StillSource(pair(tmp_path)).frame(0)
    assert levels("left", frame, LEFT, (1, 2)).text == "255 (16 bit: 4095)"
    colours = ArraySource(np.full((4, 5, 3), 514, np.uint16)).frame(0)
    assert levels("left", colours, LEFT, (1, 2)).text == "  2   2   2 (16 bit: 514 514 514)"
    assert levels("left", ArraySource(np.ones((4, 5), np.uint8)).frame(0), LEFT, (1, 2)).text == "1"


def test_of_rectified_views_the_nearest_pixel_is_reported() -> None:
    grey = (ramp() // 16).astype(np.uint8)
    same = identity_map(47, 31)
    known = Calibration(100.0, 0.1, (23.0, 15.0))
    frame = Frame.of_raw(RawPair(grey, grey, Rectification(same, same, known)), 0)
    frame.deep = DeepViews(ramp(), ramp(seed=2))
    assert frame.deep_pixel(1, 7, 9) == ramp(seed=2)[7, 9]
    frame.deep = DeepViews(np.repeat(np.repeat(ramp(), 2, 0), 2, 1), None)  # scaled down by 2
    assert frame.deep_pixel(0, 7, 9) == ramp()[7, 9] and frame.deep_pixel(1, 7, 9) is None


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    spec = pair(tmp_path)
    words = [str(spec.left), str(spec.right), "--tone", "percentile", "--variant", "cpu"]
    command = [sys.executable, "-m", "wheatstone", "render", "sgm", *words]
    command += ["--out", str(tmp_path / "o.png")]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    assert f"16 bit {LOW}..{HIGH} shown as 0..255 (percentile)" in run.stdout + run.stderr


def test_a_prepared_run_keeps_the_mapping_of_its_first_arrays() -> None:
    first, second = (ramp(1000, 2000), ramp(1000, 2000, 2)), (ramp(1000, 1500), ramp(1000, 1500, 2))
    prepared = ws.Run("invert", variant="cpu").prepared((31, 47), tone="percentile")
    assert prepared(first[0]).min() == 0 and prepared(second[0]).min() == 255 - 128
    with pytest.raises(ValueError, match="tone must be one of linear, percentile, clahe"):
        ws.Run("invert", variant="cpu").prepared((31, 47), tone="gamma")


def test_rectify_keeps_the_mapping_of_the_first_pair(tmp_path: Path) -> None:
    rig = "[rig]\nsize = [47, 31]\nunit = 'm'\n" + "".join(
        f"[{side}]\nmatrix = [[40.0, 0.0, 23.0], [0.0, 40.0, 15.0], [0.0, 0.0, 1.0]]\n"
        "distortion = [0.0, 0.0, 0.0, 0.0]\nmodel = 'plumb-bob'\n"
        for side in ("left", "right")
    )
    turn = "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"
    rig += f"[stereo]\nrotation = {turn}\ntranslation = [-0.1, 0.0, 0.0]\n"
    (tmp_path / "rig.toml").write_text(rig)
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        save(tmp_path / side / "0.png", ramp(1000, 2000))
        save(tmp_path / side / "1.png", ramp(1000, 1500))
    words = ["rectify", str(tmp_path), "--calibration", str(tmp_path / "rig.toml")]
    assert main([*words, "--tone", "percentile", "--out", str(tmp_path / "out")]) == 0
    written = [cv2.imread(str(tmp_path / f"out/left/{n}.png"), 0) for n in (0, 1)]
    assert [one is not None and one.max() for one in written] == [255, 128]
