"""Stereo networks for tests: block matching built of convolutions, in every convention.

Each computes, for a few disparities, the sum of absolute differences over a window, and the
disparity of the smallest sum. It undoes the normalisation that its convention asks for, so that
only views given by that convention are matched well: mixed colours and wrong ranges are made to
matter by thresholds that are fixed in grey levels.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.peers.model_card import ModelCard

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CARD = ModelCard(("left", "right"), "disparity")


@dataclass(frozen=True)
class BlockMatching:
    """A network to build.

    Attributes:
        card: the convention that it follows.
        disparities: how many it compares, from 0.
        shape: height and width; None: any.
        window: side of the window.
        axes: number of axes of an input, 2 to 4.
    """

    card: ModelCard = CARD
    disparities: int = 24
    shape: tuple[int, int] | None = None
    window: int = 5
    axes: int = 4

    def write(self, path: Path) -> Path:
        onnx.save(self.model(), path)
        return path

    def model(self) -> Any:
        make, card = onnx.helper, self.card
        nodes: list[Any] = []
        constants: dict[str, Any] = {}

        def constant(value: Any, kind: Any = np.float32) -> str:
            name = f"c{len(constants)}"
            constants[name] = onnx.numpy_helper.from_array(np.asarray(value, kind), name)
            return name

        def node(kind: str, *inputs: str, **attributes: Any) -> str:
            name = f"n{len(nodes)}"
            nodes.append(make.make_node(kind, list(inputs), [name], **attributes))
            return name

        channels = card.channels * (2 if len(card.inputs) == 1 else 1)
        sides: tuple[Any, ...] = self.shape or ("height", "width")
        plane = [*sides]
        if self.axes > 2:
            plane = [channels, *plane] if card.layout == "nchw" else [*plane, channels]
        whole = [1, *plane] if self.axes == 4 else plane
        values = [
            make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, whole) for name in card.inputs
        ]
        views = []
        for name in card.inputs:
            view = name
            while (self.axes == 2 and view == name) or (self.axes == 3 and view == name):
                axes = [0, 1] if self.axes == 2 else [0]
                view = node("Unsqueeze", view, constant(axes, np.int64))
            if card.layout == "nhwc":
                view = node("Transpose", view, perm=[0, 3, 1, 2])
            views.append(view)
        if len(views) == 1:
            half, end = constant([card.channels], np.int64), constant([2 * card.channels], np.int64)
            axis, zero = constant([1], np.int64), constant([0], np.int64)
            views = [node("Slice", views[0], *ends, axis) for ends in ((zero, half), (half, end))]
        views = [self._levels(view, node, constant) for view in views]
        costs = []
        kernel = constant(np.full((1, 1, self.window, self.window), 1 / self.window**2))
        pads = [self.window // 2] * 4
        for d in range(self.disparities):
            begins, ends = constant([0], np.int64), constant([-d if d else 1 << 30], np.int64)
            moved = node("Slice", views[1], begins, ends, constant([3], np.int64))
            padding = constant([0, 0, 0, d, 0, 0, 0, 0], np.int64)
            moved = node("Pad", moved, padding, constant(np.float32(1e4)), mode="constant")
            apart = node("Abs", node("Sub", views[0], moved))
            costs.append(node("Conv", apart, kernel, pads=pads, kernel_shape=[self.window] * 2))
        best = node("ArgMin", node("Concat", *costs, axis=1), axis=1, keepdims=1)
        best = node("Cast", best, to=onnx.TensorProto.FLOAT)
        best = node("Mul", best, constant(np.float32(card.sign / card.scale)))
        if card.layout == "nhwc":
            best = node("Transpose", best, perm=[0, 2, 3, 1])
        if card.channel:
            last = 1 if card.layout == "nchw" else 3
            empty = node("Mul", best, constant(np.float32(0)))
            best = node("Concat", *[empty] * card.channel, best, axis=last)
        nodes.append(make.make_node("Identity", [best], [card.output]))
        out = make.make_tensor_value_info(card.output, onnx.TensorProto.FLOAT, [None] * 4)
        graph = make.make_graph(nodes, "block matching", values, [out], list(constants.values()))
        return make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=9)

    def _levels(self, view: str, node: Any, constant: Any) -> Any:
        """Undo the normalisation of a view, and mix its channels to one that is bent.

        Weights that differ much by channel, and a bend where grey levels of 0 to 255 bend, make
        the cost worse for views of another convention.
        """
        card = self.card

        def columns(numbers: Any) -> Any:
            return constant(np.asarray(numbers, np.float32).reshape(1, -1, 1, 1))

        if card.std:
            view = node("Mul", view, columns(card.std))
        if card.mean:
            view = node("Add", view, columns(card.mean))
        low, high = card.range
        above = node("Sub", view, constant(np.float32(low)))
        view = node("Mul", above, constant(255 / (high - low)))
        if card.order != "grey":
            # Red decides; what is blue of a view is worth nothing.
            weights = (1.0, 0.3, 0.0) if card.order == "rgb" else (0.0, 0.3, 1.0)
            kernel = constant(np.asarray(weights, np.float32).reshape(1, 3, 1, 1))
            view = node("Conv", view, kernel, kernel_shape=[1, 1])
        low_end, high_end = constant(np.float32(0)), constant(np.float32(400))
        coarse = node("Div", node("Clip", view, low_end, high_end), constant(np.float32(8)))
        return node("Floor", coarse)


def described(path: Path, card: ModelCard) -> None:
    """Write the document that describes a network."""
    import tomli_w

    values = {key: value for key, value in vars(card).items() if value not in ((), "")}
    lists = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}
    path.with_name(f"{path.name}.toml").write_text(tomli_w.dumps(lists))


CONVENTIONS = {
    "two inputs, 0..255": CARD,
    "0..1": replace(CARD, range=(0.0, 1.0)),
    "-1..1": replace(CARD, range=(-1.0, 1.0)),
    "ImageNet": replace(CARD, range=(0.0, 1.0), mean=MEAN, std=STD),
    "BGR": replace(CARD, order="bgr"),
    "negative": replace(CARD, sign=-1),
    "one input of six channels, channels last": replace(
        CARD, inputs=("input",), range=(0.0, 1.0), layout="nhwc"
    ),
    "grey, one input": replace(CARD, inputs=("input",), order="grey", range=(0.0, 1.0)),
    "flow": replace(CARD, channel=1),
    "an eighth of a pixel": replace(CARD, scale=0.125),
}
"""The conventions of exported networks, by their peculiarities."""
