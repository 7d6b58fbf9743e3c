"""Provide the built-in scenes as a data set, whose truth and occlusions are exact."""

import argparse
import hashlib
import math

import numpy as np

from wheatstone.gpu.analysis.conventions import MIDDLEBURY
from wheatstone.viewer.commands.evaluate.data_sets import DataSet, ScenePair
from wheatstone.viewer.commands.evaluate.videos import VideoPair, load_video_pair
from wheatstone.viewer.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.scenes import SCENES
from wheatstone.viewer.sources.frame import LARGEST, Frame
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.pairs import Pair, PairFiles, load

NAME = "scenes"


def open_scenes(options: argparse.Namespace) -> DataSet:
    """List the scenes that a command line names, or all, as a data set.

    Raises:
        ValueError: a scene cannot have such a size or seed.
    """
    width, height = options.size or SCENE_SIZE
    seed = options.seed or 0
    if seed < 0:
        raise ValueError(f"seed must be 0 or more (got {seed})")
    if max(width, height) > LARGEST:
        raise ValueError(f"a scene has {LARGEST} pixels a side at most (got {width}x{height})")
    names = dict.fromkeys(options.scene or SCENES)
    entries = tuple(_rendered(name, seed, width, height) for name in names)
    return DataSet(NAME, MIDDLEBURY.name, entries)


def _rendered(name: str, seed: int, width: int, height: int) -> ScenePair:
    frame = _frame(name, seed, width, height)
    assert frame.truth is not None and frame.right is not None
    arrays = (frame.left, frame.right, frame.truth)
    content = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    disparities = math.ceil(float(np.nanmax(frame.truth))) + 1
    return ScenePair(name, seed, width, height, disparities, content)


def _frame(name: str, seed: int, width: int, height: int) -> Frame:
    from wheatstone.viewer.sources.scene import Scene

    return Scene(name, seed, (width, height)).first()


def load_entry(entry: PairFiles | ScenePair | VideoPair) -> Pair:
    """Read a pair from its files or its video, or render it.

    Raises:
        OSError, ValueError: see ``load`` and ``load_video_pair``.
    """
    if isinstance(entry, PairFiles):
        return load(entry)
    if isinstance(entry, VideoPair):
        return load_video_pair(entry)
    frame = _frame(entry.name, entry.seed, entry.width, entry.height)
    assert frame.right is not None and frame.truth is not None and frame.occluded is not None
    return Pair(grey_levels(frame.left), grey_levels(frame.right), frame.truth, ~frame.occluded)
