"""Sources whose images a rig took: what they serve, what they say, and how they come back."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.rigs import (
    SIZE,
    a_rig,
    opencv_names,
    pair_of_a_rig,
    rig_text,
    write_opencv,
    write_pair,
    write_rig,
)
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.requests import both_calibrations
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.io.cameras.calibration_files import digest_of
from wheatstone.viewer.io.cameras.levelling import rectify_rig
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.trust import foreign_files


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str, str]:
    """Two images, and the file of the rig that took them."""
    return write_pair(tmp_path)


def opened(pair: tuple[str, str, str]) -> Iterator[Source]:
    left, right, rig = pair
    yield open_source(SourceSpec(left, right, calibration=rig))
    yield open_source(SourceSpec(str(Path(left).parent), calibration=rig))


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
    given = pair[2]
    with closing(open_source(SourceSpec(str(tmp_path / "several"), calibration=given))) as source:
        maps = [frame.raw.rectification for n in range(3) if (frame := source.frame(n)).raw]
    assert len(maps) == 3 and maps[0] is maps[1] is maps[2]


def test_a_recipe_knows_whether_the_rig_is_still_the_same(pair: tuple[str, str, str]) -> None:
    left, right, rig = pair
    source = open_source(SourceSpec(left, right, calibration=rig))
    spec = source.spec
    assert spec.calibration_sha256 == digest_of([Path(rig)])
    again = settings.loads(settings.dumps({"source": spec.to_dict()}))["source"]
    assert SourceSpec.from_dict(again) == spec
    assert len(open_source(spec).notes) == 1
    Path(rig).write_text(rig_text(a_rig()) + "# touched\n")
    notes = open_source(spec).notes
    assert notes[1] == "rig.toml has changed since its picture or settings were saved"


def test_two_files_are_given_with_one_option_and_come_back(
    tmp_path: Path, pair: tuple[str, str, str]
) -> None:
    named = opencv_names(a_rig())
    first = write_opencv(tmp_path / "in.yml", {k: v for k, v in named.items() if k not in "RT"})
    second = write_opencv(tmp_path / "ex.yml", {k: v for k, v in named.items() if k in "RT"})
    words = ["render", "invert", "--calibration", str(first), str(second), *pair[:2]]
    _, source = open_view(parse([*words, "--out", "a.png"]))
    assert source.frame(0).raw and source.spec.calibration_right == str(second)
    result = foreign_files(Path("/elsewhere/shot.png"), source.spec)
    assert result == (*pair[:2], str(first), str(second))


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
        assert source.spec.size == (320, 240)
        assert source.spec.calibration == str(tmp_path / "rig.toml")
        assert foreign_files(Path("/elsewhere/shot.png"), source.spec)
    with pytest.raises(ValueError, match="calibrated at 320x240, images are 321x240"):
        open_view(parse([*words, "--scene-size", "321x240", "--out", "a.png"]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["left.png", "--calibration", "rig.toml"], "describes two cameras: give LEFT RIGHT"),
        (
            ["left.png", "right.png", "--calibration", "other.toml"],
            "calibrated at 1280x720, images",
        ),
        (["left.png", "right.png", "--calibration-right", "rig.toml"], "needs the left one's"),
        (["left.png", "right.png", "--calibration", "left.png"], "left.png"),
        (["left.png", "right.png", "--calibration", "gone.yml"], "gone.yml: no such file"),
    ],
)
def test_a_calibration_that_does_not_serve_ends_in_one_line(
    pair: tuple[str, str, str],
    words: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(Path(pair[0]).parent)
    write_rig(Path("other.toml"), replace(a_rig(), size=(1280, 720)))
    assert main(["render", "invert", *words, "--out", "shot.png"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
