"""Hostile networks and their descriptions: ONNX files with other graphs, and damaged bytes."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tomli_w
from pytest import MonkeyPatch

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated, mutated_text
from tests.fuzz.tampering import tampered
from wheatstone.gpu.host import HostDevice
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.run.peers.own_peer import OwnModel, _network

SIDES = 24, 40
FREE = 500_000_000  # bytes of memory of the machine that opens the networks
NAME = "network.onnx"
PLACES = ("../w.bin", "/etc/passwd", "link.bin", "w.bin", "/dev/zero", "", "a/../../w.bin", "\x00")
OPERATORS = ("Foo", "Loop", "If", "Range", "Expand", "Tile", "Pad", "NonZero", "Reshape", "Log", "")
SIZES = (0, 1, -1, 3, 2**16, 2**31, 2**40, 2**63 - 1)
CARD: dict[str, Any] = {
    "inputs": ["left", "right"],
    "output": "disparity",
    "order": "rgb",
    "range": [0.0, 255.0],
    "mean": [0.0, 0.0, 0.0],
    "std": [1.0, 1.0, 1.0],
    "layout": "nchw",
    "size": [],
    "multiple": 1,
    "channel": 0,
    "sign": 1,
    "scale": 1.0,
    "confidence": "",
    "least_confidence": 0.0,
    "licence": "mine",
    "source": "here",
}
VALUES: dict[str, tuple[Any, ...]] = {
    "inputs": ([], ["left"], ["right", "left"], ["left", "left"], [""], ["a"] * 9, "left"),
    "output": ("", "right", "left", *WORDS[:6]),
    "size": ([0, 0], [24, 40], [8192, 8192], [-1, 5], [1, 2, 3], [1.5, 2.5], [10**30, 1]),
    "multiple": (0, 7, 64, 1024, 2**31, -8),
    "channel": (1, 5, 1023, -1),
    "scale": (0.0, -1.0, 1e308, 1e-320, float("nan"), float("inf")),
    "range": ([0.0, 0.0], [1.0, -1.0], [1e308, -1e308], [float("nan"), 1.0], []),
    "std": ([0.0, 1.0, 1.0], [1e-320] * 3, [1.0]),
    "confidence": ("disparity", "left", "absent"),
    "order": ("bgr", "grey", "yuv"),
    "layout": ("nhwc", "hwc"),
}


@cache
def _model() -> bytes:
    """Make a network that matches blocks of three disparities."""
    from tests.stereo_networks import BlockMatching

    content: bytes = BlockMatching(disparities=3).model().SerializeToString()
    return content


def _another_operator(random: Random, model: Any) -> None:
    node = random.choice(model.graph.node)
    node.op_type = random.choice((*OPERATORS, *(each.op_type for each in model.graph.node)))
    node.domain = random.choice(("", "", "com.microsoft", "of.the.author", "ai.onnx.ml"))


def _other_names(random: Random, model: Any) -> None:
    node = random.choice(model.graph.node)
    names = [*(each for one in model.graph.node for each in one.output), *WORDS[:8]]
    if node.input and random.random() < 0.7:
        node.input[random.randrange(len(node.input))] = random.choice(names)
    else:
        node.output[0] = random.choice(names)


def _other_shape(random: Random, model: Any) -> None:
    each = random.choice([*model.graph.input, *model.graph.output])
    shape = each.type.tensor_type.shape
    how = random.random()
    if how < 0.5 and shape.dim:
        random.choice(shape.dim).dim_value = random.choice(SIZES)
    elif how < 0.7 and shape.dim:
        random.choice(shape.dim).dim_param = random.choice(WORDS[:8])
    elif how < 0.85:
        shape.dim.add().dim_value = 1
    else:
        each.type.tensor_type.elem_type = random.randrange(0, 24)


def _other_constant(random: Random, model: Any) -> None:
    tensor = random.choice(model.graph.initializer)
    how = random.random()
    if how < 0.3 and tensor.dims:
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice(SIZES)
    elif how < 0.6:
        tensor.raw_data = mutated(random, tensor.raw_data)
    else:
        tensor.ClearField("raw_data")
        tensor.data_location = 1
        for key in ("location", random.choice(("offset", "length", "checksum", "location"))):
            entry = tensor.external_data.add()
            entry.key = key
            entry.value = random.choice(PLACES) if key == "location" else random.choice(NUMBERS)


def _another_attribute(random: Random, model: Any) -> None:
    attributes = [each for node in model.graph.node for each in node.attribute]
    each = random.choice(attributes)
    if each.ints:
        each.ints[random.randrange(len(each.ints))] = random.choice(SIZES)
    else:
        each.i = random.choice(SIZES)


def _other_version(random: Random, model: Any) -> None:
    model.ir_version = random.choice((0, 1, 9, 99, 2**40))
    model.opset_import[0].version = random.choice((0, 1, 17, 99, 2**40))


CHANGES: tuple[Callable[[Random, Any], None], ...] = (
    _another_operator,
    _other_names,
    _other_shape,
    _other_constant,
    _another_attribute,
    _other_version,
)


def _network_bytes(random: Random) -> bytes:
    """Make a network: another graph, or damaged bytes."""
    how = random.random()
    if how < 0.3:
        return mutated(random, _model())
    if how < 0.35:
        return random.choice((b"", b"\x00" * 99, b"\x3a" * 5000, b"\x3a\xff\xff\xff\xff\xff\x0f"))
    import onnx

    model = onnx.load_from_string(_model())
    for _ in range(random.choice((1, 1, 2, 5))):
        random.choice(CHANGES)(random, model)
    content: bytes = model.SerializeToString()
    return content


def _document(random: Random) -> bytes:
    """Make a description: values that fit nothing, or a damaged text."""
    how = random.random()
    if how < 0.5:
        name = random.choice(list(VALUES))
        return tomli_w.dumps({**CARD, name: random.choice(VALUES[name])}).encode()
    if how < 0.75:
        document = _plain(tampered(random, CARD))
        return tomli_w.dumps(document if isinstance(document, dict) else {}).encode()
    return mutated_text(random, tomli_w.dumps(CARD))


def _plain(value: Any) -> Any:
    """Return what TOML can hold of a value."""
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value if each is not None]
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def make(random: Random, folder: Path) -> None:
    """Write a network with its description, at least one of them damaged."""
    which = random.random()
    network = _network_bytes(random) if which < 0.6 else _model()
    document = _document(random) if which > 0.4 else tomli_w.dumps(CARD).encode()
    (folder / NAME).write_bytes(network)
    (folder / f"{NAME}.toml").write_bytes(document)
    (folder / "w.bin").write_bytes(b"\x00" * 100)
    (folder / "link.bin").symlink_to(random.choice(("/etc/passwd", "w.bin", "absent")))


def read(folder: Path) -> None:
    """Open the network by its description, and compute it on a small pair."""
    with MonkeyPatch.context() as patches:
        patches.setattr(HostDevice, "free_bytes", lambda device: FREE)
        own = OwnModel.read(f"onnx:{folder / NAME}")
        network, random = _network(own), np.random.default_rng(1)
        network.prepare(*random.integers(0, 256, (2, *SIDES, 4), np.uint8))
        network.infer()
        guided = np.zeros(SIDES, np.int16)
        network.finish(guided, 0)


def make_alone(random: Random, folder: Path) -> None:
    """Write a network without a description."""
    (folder / NAME).write_bytes(_network_bytes(random))


def probe(folder: Path) -> int:
    """Let the program determine the description of a network."""
    with MonkeyPatch.context() as patches:
        patches.setattr(HostDevice, "free_bytes", lambda device: FREE)
        return main(["model", "probe", str(folder / NAME)])


INSTALLED = all(map(find_spec, ("onnx", "onnxruntime")))
KINDS = [
    FuzzKind("networks", make, read),
    FuzzKind("probed_networks", make_alone, probe, (0, 1, 2), 0.1),
]
"""The kinds of hostile input of this module."""
KINDS = KINDS if INSTALLED else []
