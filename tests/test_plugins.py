"""Variants and pipelines of other packages: declared, checked, timed, and loaded on start."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import wheatstone as ws
from tests.programs import environment
from wheatstone.gpu.reference.descriptors import census_transform

Grey = NDArray[np.uint8]
Words = NDArray[np.uint32]


def test_a_correct_variant_is_identical_and_a_wrong_one_is_named() -> None:
    @ws.variant("invert", "mine", stage="invert")
    def by_complement(image: Grey, inverted: Grey) -> None:
        np.bitwise_not(image, out=inverted)

    @ws.variant("invert", "wrong", stage="invert")
    def by_subtraction(image: Grey, inverted: Grey) -> None:
        np.subtract(254, image, out=inverted)

    right, wrong = (ws.check("invert", name, cases=8) for name in ("mine", "wrong"))
    assert right.identical and right.elements > 1000 and "identical" in str(right)
    assert not wrong.identical and "inverted" in str(wrong)


def test_one_stage_is_replaced_and_the_others_are_those_of_the_base() -> None:
    calls = []

    @ws.variant("sgm", "mine", stage="census_transform")
    def noted(image: Grey, words: Words, *more: object) -> None:
        calls.append(image.shape)
        census_transform(image, words, *more)  # type: ignore[arg-type]

    pair = ws.open("scene:orbit", size=(40, 24))
    run = ws.Run("sgm", variant="mine", disparities=16)
    result = run(pair)
    assert calls == [(24, 40)] * len(calls) and calls
    expected = run.replace(variant="reference")(pair)
    assert np.array_equal(result.stored["disparity"], expected.stored["disparity"])
    timed = {each.variant: each for each in ws.bench(run, ["reference", "mine"], pair, frames=1)}
    assert timed["mine"].identical and (timed["mine"].milliseconds or 0) > 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"pipeline": "smg", "name": "x"}, "smg"),
        ({"pipeline": "sgm", "name": "cpu"}, "another name"),
        ({"pipeline": "sgm", "name": "x", "base": "nothing"}, "nothing"),
        ({"pipeline": "sgm", "name": "x", "stage": "censu_transform"}, "census_transform"),
    ],
)
def test_a_variant_that_cannot_be_declared_is_named(words: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        ws.variant(**words)(lambda: None)


PLUGIN = """
import numpy as np
import wheatstone as ws

@ws.variant("invert", "from-plugin", stage="invert")
def complement(image, inverted):
    np.bitwise_not(image, out=inverted)
"""


def test_the_plugins_of_installed_packages_are_loaded_and_broken_ones_named(tmp_path: Path) -> None:
    (tmp_path / "complement.py").write_text(PLUGIN)
    (tmp_path / "broken.py").write_text("raise RuntimeError('no')\n")
    meta = tmp_path / "complement-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Name: complement\nVersion: 1.0\n")
    points = "[wheatstone.pipelines]\ncomplement = complement\nbroken = broken\n"
    (meta / "entry_points.txt").write_text(points)
    words = ("bench", "invert", "--variants", "from-plugin", "--size", "64x48", "--repeat", "2")
    path = os.pathsep.join((str(tmp_path), environment()["PYTHONPATH"]))
    ran = subprocess.run(
        [sys.executable, "-m", "wheatstone", *words],
        env=environment(PYTHONPATH=path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "from-plugin" in ran.stdout and "identical" in ran.stdout
    assert "broken: RuntimeError" in ran.stderr
