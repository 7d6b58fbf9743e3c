"""``wheatstone compare``: what it finds, its picture and its exit codes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import wheatstone as ws
from tests.pictures import read
from tests.toy import TOY
from wheatstone.gpu.execution import compute
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Stage, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.compare.picture import (
    ONLY_A,
    ONLY_B,
    SAME,
    colored,
    range_of,
    write_difference,
)
from wheatstone.viewer.cli.compare.verb import place
from wheatstone.viewer.io.files.values import write_values
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.options import option_name

Run = Callable[..., tuple[int, str, str]]
SMALL = ("--scene-size", "96x64", "--disparities", "16")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``compare`` in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        try:
            code = main(["compare", *words])
        except SystemExit as exit:  # argparse
            code = int(exit.code or 0)
        return code, *capsys.readouterr()

    return command


def test_variants_are_compared_in_every_image_that_both_keep(run: Run) -> None:
    code, out, err = run("sgm", "reference", "cpu", *SMALL)
    assert code == 0, err
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[3:] if line}
    for name in ("cost", "sums", "disparity", "confidence", "invalid_reason"):
        sizes = ["0", "0.00%"] if name in ("disparity", "confidence") else []
        assert rows[name] == ["0", str(96 * 64 * (16 if name in ("cost", "sums") else 1)), *sizes]
    assert "path_costs" not in rows
    assert "identical" in out and "DIFFERENT" not in out


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    covered = tuple(stage.name for stage in TOY.stages)
    wrong = Stage("lie", ("left", "searched"), ("scores",), ("template",), covers=covered)
    liar = Variant("liar", "cpu", "tests.toy", "Wrong.", fused=(wrong,))
    monkeypatch.setitem(PIPELINES, "toy", replace(TOY, variants=(*TOY.variants, liar)))


@pytest.mark.usefixtures("toy")
def test_a_difference_is_shown_with_its_place(run: Run) -> None:
    code, out, _ = run("toy", "cpu", "liar", "--scene-size", "64x48")
    assert code == 1
    assert out.split("scores")[1].split("\n")[0].split() == "1 3072 x 5, y 2 0.25 0 0.00%".split()
    assert "DIFFERENT" in out


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_parameter_is_an_option(run: Run, pipeline: str) -> None:
    code, out, _ = run(pipeline, "--help")
    assert code == 0
    assert all(option_name(name) in out for name in controls(PIPELINES[pipeline].params))


def test_axes_are_named() -> None:
    assert place(SGM.image("cost"), (3, 12, 5)) == "d 3, x 12, y 5"


def test_a_peer_claims_nothing(run: Run) -> None:
    code, out, _ = run("cpu", "opencv-sgbm", *SMALL)
    assert code == 1
    assert "opencv-sgbm is a peer, not comparable bit for bit." in out


def test_a_peer_has_the_median_difference_and_the_share_above_a_pixel(
    run: Run, tmp_path: Path
) -> None:
    source = ws.open(f"scene:{SCENES[0]}", size=(96, 64))
    a, b = (ws.Run("sgm", name, disparities=16)(source) for name in ("cpu", "opencv-sgbm"))
    apart = np.abs(a.disparity - b.disparity)
    apart = apart[np.isfinite(apart)]
    expected = [f"{np.median(apart):.4g}", f"{np.mean(apart > 1):.2%}"]
    assert expected != ["0", "0.00%"] and apart.size > 1000
    b.save(tmp_path / "theirs.npy")
    for other in ("opencv-sgbm", "theirs.npy"):
        out = run("cpu", other, *SMALL)[1]
        assert out.split("disparity")[1].split("\n")[0].split()[-2:] == expected


def write_pair(folder: Path) -> dict[str, np.ndarray]:
    """A textured wall at disparity 5, written as left.png and right.png."""
    scene = np.random.default_rng(3).integers(0, 256, (33, 70), np.uint8)
    views = {"left": scene[:, :64].copy(), "right": scene[:, 5:69].copy()}
    for name, view in views.items():
        cv2.imwrite(str(folder / f"{name}.png"), view)
    return views


PAIR = ("left.png", "right.png", "--disparities", "16")


@pytest.mark.parametrize("ending", ["npy", "tiff", "pfm", "png"])
def test_a_variant_equals_the_file_of_its_values(run: Run, tmp_path: Path, ending: str) -> None:
    params = SGM.params().changed(disparities=16, fill_holes=False)
    disparity = compute(SGM, "reference", params, **write_pair(tmp_path))
    disparity[3, 4] = 0  # KITTI's PNG stores it as 1
    write_values(tmp_path / f"d.{ending}", disparity, SGM.image("disparity"), params)
    code, out, _ = run("cpu", f"d.{ending}", *PAIR, "--no-fill-holes")
    assert (code, "disparity 1 2112 x 4, y 3" in " ".join(out.split())) == (1, True)
    write_values(tmp_path / "e.npy", disparity, SGM.image("disparity"), params)
    assert run(f"d.{ending}", "e.npy")[0] == 0


def test_course_pictures_hold_four_times_the_disparity(run: Run, tmp_path: Path) -> None:
    whole = ("--preset", "aveiro-2016")
    params = SGM.preset("aveiro-2016").changed(disparities=16)
    disparity = compute(SGM, "cpu", params, **write_pair(tmp_path)) // 16
    cv2.imwrite(str(tmp_path / "d.pgm"), (4 * disparity).astype(np.uint8))
    cv2.imwrite(str(tmp_path / "e.png"), disparity.astype(np.uint8))
    assert run("cpu", "d.pgm", *PAIR, *whole)[0] == 0
    assert run("e.png", "cpu", *PAIR, *whole, "--scale", "1")[0] == 0
    code, out, _ = run("cpu", "d.pgm", *PAIR, *whole, "--unknown", "0")
    assert (code, "inf" in out) == (1, True)


def test_the_course_program_is_equalled_on_its_own_pair(run: Run, data: Path) -> None:
    golden = data / "sgm_golden"
    pair = [str(golden / "inputs" / f"{side}cones.pgm") for side in "lr"]
    words = ("cpu", str(golden / "reference.pgm"), *pair, "--preset", "aveiro-2016")
    assert run(*words, "--paths", "8")[0] == 0
    code, out, _ = run(*words, "--paths", "4")
    assert (code, "35836" in out) == (1, True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("cpu", "warp"), "warp is neither a file nor a variant of sgm; it has reference"),
        (("a.npy", "b.npy"), "sizes differ: disparity of a.npy is 4x3, of b.npy 5x3"),
        (("cpu", "a.npy", *SMALL), "disparity of cpu is 96x64, of a.npy 4x3"),
        (("a.npy", "b.npy", "a.png"), "two files are compared without images"),
        (("a.npy", "text.npy"), "text.npy"),
        (("cpu", "cpu", "--image", "cost", "--out", "d.png"), "cost is height x width x disp"),
        (("cpu", "cpu", "--out", "d.jpg"), "pictures are written as .png"),
        (("cpu", "cpu", "--out", "no/d.png"), "folder no does not exist"),
        (("cpu", "reference", "absent.png"), "absent.png"),
    ],
)
def test_bad_input_is_refused(run: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    np.save(tmp_path / "a.npy", np.zeros((3, 4)))
    np.save(tmp_path / "b.npy", np.zeros((3, 5)))
    (tmp_path / "text.npy").write_text("hello")
    code, out, err = run(*words)
    assert (code, out) == (2, "") and says in err and "Traceback" not in err


def test_the_picture_has_the_difference_above_its_legend(run: Run, tmp_path: Path) -> None:
    code, _, err = run("cpu", "opencv-sgbm", *SMALL, "--out", "d.png")
    assert code == 1 and "wrote d.png" in err
    picture = read(tmp_path / "d.png")
    assert picture.shape[1] == 5 * 96 and picture.shape[0] > 5 * 64


def test_every_pixel_has_the_colour_of_what_is_there() -> None:
    a = np.array([[1, np.nan, 3, np.nan, 5]], np.float32)
    b = np.array([[1, 2, np.nan, np.nan, 9]], np.float32)
    colors = colored(a, b, 4)[0]
    assert [tuple(c) for c in colors[:3]] == [SAME, ONLY_B, ONLY_A]
    assert len({tuple(c) for c in colors.tolist()}) == 5


def test_few_far_outliers_do_not_hide_the_rest(tmp_path: Path) -> None:
    apart = np.full((50, 50), 2, np.float32)
    assert range_of(apart) == (2, False)
    apart[0, 0] = 1000
    assert range_of(apart) == (2, True)
    assert range_of(np.zeros((2, 2), np.float32)) == (1, False)
    nothing = np.full((2, 3), np.nan, np.float32)
    write_difference(tmp_path / "n.png", ("a", "b"), nothing, nothing, "disparity", "px")
