"""``wheatstone rectify`` writes pairs that this and other programs open as rectified ones."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.rigs import write_pair
from tests.turned_pairs import turned_pair
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.rows import measure_rows
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str, str]:
    """Two images, and the file of the rig that took them."""
    return write_pair(tmp_path)


def test_rectify_writes_a_folder_that_opens_as_rectified(
    pair: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right, rig = pair
    out = tmp_path / "out"
    assert main(["rectify", left, right, "--calibration", rig, "--out", str(out)]) == 0
    assert "wrote 1 pair and calib.txt" in capsys.readouterr().err
    expected = open_source(SourceSpec(left, right, calibration=rig)).frame(0)
    with closing(open_source(SourceSpec(str(out)))) as source:
        frame = source.frame(0)
        assert frame.raw is None and frame.right is not None
        assert np.array_equal(frame.left, expected.left)
        assert np.array_equal(frame.right, expected.right)  # type: ignore[arg-type]
        calibration, known = frame.calibration, expected.calibration
        assert (
            calibration
            and known
            and calibration.depth(20.0) == pytest.approx(known.depth(20.0), 1e-12)
        )
        assert calibration.principal == known.principal
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
    with closing(open_source(SourceSpec(str(out)))) as source:
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
    assert "no calibration is next to it; give a rig's calibration" in capsys.readouterr().err


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
