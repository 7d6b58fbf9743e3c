"""Determine the input and output conventions of a stereo network by trial.

Names and shapes of the file give a part. The rest is tried on built-in scenes, whose ground truth
is exact: the reading with the fewest wrong pixels is the convention of the network.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.image import Float32
from wheatstone.gpu.peers.model_card import Layout, ModelCard, Order
from wheatstone.gpu.peers.network import StereoNetwork
from wheatstone.gpu.peers.runtime import open_session
from wheatstone.gpu.pipelines.inputs import with_presence
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.scene import Scene

SCENES = ("garden", "orbit")
SIZE = 261, 195  # of a pair for a network that takes any: a multiple of nothing
COLOURS = 3  # channels of a view
MULTIPLES = (1, 2, 4, 8, 16, 32, 64, 128)
IMAGENET: tuple[tuple[float, ...], ...] = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
WRONG = 2.0  # pixels from which on a disparity is wrong
SCALES = tuple(2.0**power for power in range(-5, 6))
NEAR = 0.15  # share by which a measured scale may differ from one of SCALES
MOST_CHANNELS = 4  # of an output
TIE = 0.001
"""The difference of shares of wrong pixels below which two readings are equally good."""


@dataclass(frozen=True)
class ModelReading:
    """An interpretation of a network's inputs and outputs, and its error.

    Attributes:
        wrong: share of the pixels that both views see whose disparity is wrong.
    """

    card: ModelCard
    wrong: float

    @property
    def words(self) -> str:
        """Describe the interpretation in one line."""
        card = self.card
        low, high = card.range
        mean = ", ImageNet's mean and deviation" if card.mean else ""
        words = f"{card.order}, {low:g} to {high:g}{mean}, inputs {', '.join(card.inputs)}"
        factor = f", disparities times {card.sign * card.scale:g}"
        return words + (factor if card.sign * card.scale != 1 else "")


def probe(path: Path, tell: Callable[[str, float], None]) -> list[ModelReading]:
    """Try all interpretations of a network; return those that work, the best first.

    Of those that are equally good, the first is the most usual one.

    Args:
        tell: called before each trial with words and the share that is done.

    Raises:
        OSError, ValueError: it is no network, or none of stereo; the message names the file.
        Unavailable: ONNX Runtime is not installed.
    """
    session = open_session(path)
    cards = list(_cards(path, session))
    size = StereoNetwork(path, cards[0], session).size
    pairs = [Scene(name, 0, size[::-1] if size else SIZE).first() for name in SCENES]
    multiple = 1 if size else _multiple(path, session, cards[0], pairs[0])
    readings: list[ModelReading] = []
    for number, card in enumerate(cards):
        tell(f"trying {card.order}, {card.range[0]:g} to {card.range[1]:g}", number / len(cards))
        readings += _tried(path, session, replace(card, multiple=multiple), pairs)
    ranked = sorted(readings, key=lambda reading: reading.wrong)
    usual = next((each for each in readings if each.wrong - ranked[0].wrong < TIE), None)
    return sorted(ranked, key=lambda reading: reading is not usual)


def _cards(path: Path, session: Any) -> Iterator[ModelCard]:
    """Yield the possible conventions of a network's input, the usual ones first."""
    inputs = session.get_inputs()
    if len(inputs) not in (1, 2):
        raise ValueError(f"{path}: it has {len(inputs)} inputs; a stereo network has one or two")
    shape = inputs[0].shape
    after = len(shape) > 2 and shape[-1] in (1, 2, 3, 6) and shape[-3] not in (2, 3, 6)
    layout: Layout = "nhwc" if after else "nchw"
    channels = shape[-1] if after else shape[-3] if len(shape) > 2 else 1
    if not isinstance(channels, int):  # the file fixes none: colours, which most networks take
        channels = COLOURS * (3 - len(inputs))
    if len(inputs) == 1 and channels % 2:
        raise ValueError(f"{path}: its only input, of shape {shape}, holds one view, not two")
    each = channels // (3 - len(inputs))
    if each not in (1, COLOURS):
        raise ValueError(f"{path}: an input of shape {shape} holds no grey or colour views")
    orders: tuple[Order, ...] = ("grey",) if each == 1 else ("rgb", "bgr")
    names = [one.name for one in inputs]
    right_first = len(names) == 2 and "left" in names[1].lower()
    sides = sorted(permutations(names), key=lambda pair: (pair != tuple(names)) != right_first)
    ranges = (0.0, 255.0), (0.0, 1.0), (-1.0, 1.0)
    output = session.get_outputs()[0].name
    for side, order, values in product(sides, orders, ranges):
        yield ModelCard(side, output, order, values, layout=layout)
    if each == COLOURS:
        for side, order in product(sides, orders):
            turn = slice(None, None, 1 if order == "rgb" else -1)
            mean, std = IMAGENET[0][turn], IMAGENET[1][turn]
            yield ModelCard(side, output, order, (0.0, 1.0), mean, std, layout)


def _computed(network: StereoNetwork, pair: Frame) -> None:
    assert pair.right is not None
    network.prepare(with_presence(pair.left), with_presence(pair.right))
    network.infer()


def _multiple(path: Path, session: Any, card: ModelCard, pair: Frame) -> int:
    """Return the smallest number of which the network's input sides must be multiples."""
    for multiple in MULTIPLES:
        try:
            _computed(StereoNetwork(path, replace(card, multiple=multiple), session), pair)
        except ValueError as error:
            reason = error
        else:
            return multiple
    raise reason


def _tried(path: Path, session: Any, card: ModelCard, pairs: list[Frame]) -> Iterator[ModelReading]:
    """Try one input convention with every output and channel; yield the usable interpretations."""
    outputs = [each.name for each in session.get_outputs()]
    for output, channel in product(outputs, range(MOST_CHANNELS)):
        network = StereoNetwork(path, replace(card, output=output, channel=channel), session)
        try:
            disparities = []
            for pair in pairs:
                _computed(network, pair)
                disparities.append(network.disparity())
        except ValueError:  # no such channel, or no image
            if channel == 0:
                continue
            break
        factor = _factor(disparities, pairs)
        shares = [_wrong(d * factor, p) for d, p in zip(disparities, pairs, strict=True)]
        wrong = float(np.mean(shares))
        sign = -1 if factor < 0 else 1
        yield ModelReading(replace(network.card, sign=sign, scale=abs(factor)), wrong)


def _seen(pair: Frame) -> Any:
    """Return a mask of the pixels that both views see."""
    assert pair.truth is not None and pair.occluded is not None
    return np.isfinite(pair.truth) & ~pair.occluded


def _factor(disparities: list[Float32], pairs: list[Frame]) -> float:
    """Return the factor from a network's output to disparities: a sign and a power of two."""
    ratios = []
    for values, pair in zip(disparities, pairs, strict=True):
        assert pair.truth is not None
        usable = _seen(pair) & np.isfinite(values) & (np.abs(values) > np.float32(1e-6))
        ratios.append(pair.truth[usable] / values[usable])
    ratio = float(np.median(np.concatenate(ratios))) if any(map(np.size, ratios)) else 1.0
    near = min(SCALES, key=lambda scale: abs(np.log(abs(ratio) / scale)))
    scale = near if abs(abs(ratio) / near - 1) < NEAR else 1.0
    return -scale if ratio < 0 else scale


def _wrong(disparity: Float32, pair: Frame) -> float:
    """Return the share of wrong disparities among the pixels that both views see."""
    assert pair.truth is not None
    seen = _seen(pair)
    right = np.abs(disparity[seen] - pair.truth[seen]) <= WRONG
    return 1 - float(np.mean(right))
