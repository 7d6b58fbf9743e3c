"""Several files of values: each with its image, none lost unseen."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.pictures import read
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.series import ValueOutput, value_outputs

WORDS = ["render", "--scene-size", "48x32", "--disparities", "16", "--variant", "reference"]
A, B, C = Path("a.npy"), Path("b.pfm"), Path("c.tiff")


@pytest.mark.parametrize(
    ("words", "outputs"),
    [
        ("--values a.npy", [(A, "")]),
        ("--values a.npy --values b.pfm", [(A, ""), (B, "")]),
        ("--values a.npy --image depth", [(A, "depth")]),
        ("--values a.npy --values b.pfm --image depth", [(A, "depth"), (B, "depth")]),
        ("--image x --values a.npy --values b.pfm --image y", [(A, "x"), (B, "y")]),
        (
            "--values a.npy --values b.pfm --values c.tiff --image x --image y --image z",
            [(A, "x"), (B, "y"), (C, "z")],
        ),
        ("--out a.png", []),
    ],
)
def test_files_pair_with_images_in_order(words: str, outputs: list[tuple[Path, str]]) -> None:
    assert value_outputs(parse(["render", *words.split()])) == [
        ValueOutput(*one) for one in outputs
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--image x", "give --values FILE"),
        ("--values a.npy --image x --image y", r"\(2 times --image, 1 times --values\)"),
        ("--values a.npy --values b.pfm --values c.tiff --image x --image y", "2 times --image"),
        ("--values a.npy --values b.exr", "b.exr: values go to"),
    ],
)
def test_what_does_not_pair_is_refused(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        value_outputs(parse(["render", *words.split()]))


@pytest.mark.opengl
def test_every_file_of_a_still_and_of_a_sequence_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = ["--image", "disparity", "--image", "depth"]
    assert main([*WORDS, "--values", "d.npy", "--values", "z.npy", *pair]) == 0
    disparity, depth = np.load("d.npy"), np.load("z.npy")
    known = np.isfinite(disparity) & np.isfinite(depth) & (disparity > 0)
    assert known.any()
    products = disparity[known] * depth[known]  # focal length times baseline
    np.testing.assert_allclose(products, products[0], rtol=1e-5)
    several = ["--frames", "2", "--values", "d%d.npy", "--values", "e%d.png"]
    assert main([*WORDS, *several]) == 0
    np.testing.assert_array_equal(np.load("d0.npy"), disparity)
    for number in (0, 1):
        values = np.load(f"d{number}.npy")
        stored = np.where(np.isnan(values), 0, np.maximum(values * 256, 1))  # 0: no result
        np.testing.assert_array_equal(read(f"e{number}.png", cv2.IMREAD_UNCHANGED), stored)
