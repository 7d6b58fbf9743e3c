"""Runs of ``batch`` on small pairs, and what they wrote."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from wheatstone.viewer.cli.cli import main

WIDTH, HEIGHT, SHIFT = 64, 40, 6
LEAN = ("--variant", "cpu", "--disparities", "16", "--no-confidence", "--no-rows")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run ``batch`` into the folder ``out``; return exit code, output and messages."""

    def called(*words: object, out: str = "out") -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["batch", *map(str, words), "--out", str(tmp_path / out), *LEAN])
        return (code, *capsys.readouterr())

    return called


def pair(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Both views of a textured wall at disparity 6."""
    scene = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH + SHIFT), np.uint8)
    return scene[:, :WIDTH], scene[:, SHIFT:]


@pytest.fixture
def walls(tmp_path: Path) -> Path:
    """A folder of four pairs."""
    for side, folder in enumerate(("left", "right")):
        (tmp_path / "walls" / folder).mkdir(parents=True)
        for number in range(4):
            place = tmp_path / "walls" / folder / f"{number}.png"
            assert cv2.imwrite(str(place), pair(number)[side])
    return tmp_path / "walls"


def files_in(folder: Path) -> dict[str, bytes]:
    """What a run wrote, but for the table and the record, which name times."""
    listed = (path for path in folder.rglob("*") if path.is_file() and path.parent != folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in listed}


def rows(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))
