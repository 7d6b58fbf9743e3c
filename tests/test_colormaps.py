"""Colours of labels stay apart for eyes that lack a kind of cone."""

from itertools import combinations
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.viewer.colormaps import (
    COLORMAPS,
    ERROR_STEPS,
    ERRORS,
    INVALID,
    LABELS,
    SIGNED,
    colormap,
)
from wheatstone.viewer.display.picture.panes import LONE, NO_RESULT, UNJUDGED

# What linear RGB looks like without the long, the middle or the short wavelength cones: Machado,
# Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# 2009, table 1, severity 1.
EYES = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def seen(colors: NDArray[np.uint8], eye: NDArray[Any]) -> NDArray[np.float32]:
    """Colours in CIELAB, where a distance of 2 is just visible."""
    levels = colors / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    there = np.clip(linear @ eye.T, 0, 1).astype(np.float32)
    return np.asarray(cv2.cvtColor(there[None], cv2.COLOR_LRGB2Lab)[0], np.float32)


@pytest.mark.parametrize("eye", EYES)
def test_the_usual_map_grows_lighter_for_every_eye(eye: str) -> None:
    lightness = seen(colormap(COLORMAPS[0])[::5], EYES[eye])[:, 0]
    assert (np.diff(lightness) > 0).all()
    assert not (np.diff(seen(colormap("turbo")[::5], EYES[eye])[:, 0]) > 0).all()


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", LABELS)
def test_labels_stay_apart_without_a_kind_of_cone(name: str, eye: str) -> None:
    colors = np.unique(colormap(name), axis=0)
    places = seen(colors, EYES[eye])
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) >= 20


@pytest.mark.parametrize("eye", EYES)
def test_signs_of_a_difference_stay_apart_without_a_kind_of_cone(eye: str) -> None:
    places = seen(colormap(SIGNED), EYES[eye])
    for apart in (
        64,
        96,
        127,
    ):  # entries from the middle, of 128
        assert np.linalg.norm(places[128 + apart] - places[128 - apart]) >= 20
    away = np.abs(np.arange(256) - 127.5)
    assert np.corrcoef(places[:, 0], away)[0, 1] > 0.95  # lighter is farther from 0


@pytest.mark.parametrize("name", [*COLORMAPS, SIGNED])
def test_places_with_one_value_only_are_in_no_colour_of_a_map(name: str) -> None:
    others = [*colormap(name), INVALID[name]]
    for color in LONE:
        assert min(np.linalg.norm(np.subtract(other, color)) for other in others) >= 40
    assert np.linalg.norm(np.subtract(*LONE)) >= 60


@pytest.mark.parametrize("eye", EYES)
def test_steps_of_errors_stay_apart_from_each_other_and_from_pixels_without(eye: str) -> None:
    steps = np.unique(colormap(ERRORS), axis=0)
    assert len(steps) == len(ERROR_STEPS) + 1
    colors = np.array([*steps, INVALID[ERRORS], NO_RESULT, UNJUDGED], np.uint8)
    places = seen(colors, EYES[eye])
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) >= 25
