"""``model probe`` identifies the convention of a network by trial, and writes its description."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.stereo_networks import CARD, CONVENTIONS, BlockMatching, onnx
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.run.peers.probing import TIE, ModelReading, probe

DISPARITIES = 32  # of the scenes at the size of a trial


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs write their records into the current folder."""
    monkeypatch.chdir(tmp_path)


TOGETHER = {
    "-1..1, negative, an eighth of a pixel": replace(
        CONVENTIONS["negative"], range=(-1.0, 1.0), scale=0.125
    ),
    "ImageNet, flow": replace(CONVENTIONS["ImageNet"], channel=1),
}
"""Conventions whose peculiarities are found independently of each other."""
ALONE = ("BGR", "grey, one input", "one input of six channels, channels last")
FIXED = ("grey, one input", "one input of six channels, channels last", "ImageNet, flow")
"""Networks of a fixed shape; others are tried with larger pictures."""
TRIED = {name: CONVENTIONS[name] for name in ALONE} | TOGETHER


@pytest.mark.parametrize("name", TRIED)
def test_a_convention_is_identified(tmp_path: Path, name: str) -> None:
    network = BlockMatching(TRIED[name], DISPARITIES, (120, 160) if name in FIXED else None)
    best, *others = probe(network.write(tmp_path / "a.onnx"), lambda words, share: None)
    assert best.card == network.card
    assert all(other.wrong > best.wrong for other in others)


def test_a_description_is_written_and_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = CONVENTIONS["grey, one input"]
    path = BlockMatching(card, DISPARITIES, (160, 256)).write(tmp_path / "a.onnx")
    assert main(["model", "probe", str(path)]) == 0
    out = capsys.readouterr().out
    assert "grey, 0 to 1" in out and "the second-best convention, grey, -1 to 1" in out
    written = path.with_name("a.onnx.toml")
    assert read_document(written, ModelCard) == card
    scene = ("--scene", "garden", "--size", "128x96", "--disparities", "32")
    assert main(["evaluate", "--variant", f"onnx:{path}", *scene]) == 0


def test_a_description_is_replaced_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = BlockMatching(CARD, DISPARITIES, (96, 160)).write(tmp_path / "a.onnx")
    written = path.with_name("a.onnx.toml")
    written.write_text("my own words")
    assert main(["model", "probe", str(path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert written.read_text() == "my own words"
    assert main(["model", "probe", str(path), "--replace"]) == 0
    assert read_document(written, ModelCard).inputs == CARD.inputs


def test_a_network_that_matches_nothing_is_not_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = BlockMatching(CARD, 1, (60, 80)).write(tmp_path / "a.onnx")
    assert main(["model", "probe", str(path)]) == 1
    assert f"{path}.toml is not written" in capsys.readouterr().err
    assert not path.with_name("a.onnx.toml").exists()


def test_a_network_of_three_inputs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = BlockMatching().model()
    more = onnx.helper.make_tensor_value_info("iterations", onnx.TensorProto.FLOAT, [1])
    model.graph.input.append(more)
    onnx.save(model, tmp_path / "a.onnx")
    assert main(["model", "probe", str(tmp_path / "a.onnx")]) == 2
    assert "3 inputs" in capsys.readouterr().err


def test_of_equally_good_readings_the_usual_one_is_written(tmp_path: Path) -> None:
    best, second, *_ = probe(indifferent(tmp_path / "a.onnx"), lambda words, share: None)
    assert best.card == CARD
    assert second.wrong - best.wrong < TIE


def indifferent(path: Path) -> Path:
    """Write a network that compares the difference of inputs only: any range serves it."""
    make, floats = onnx.helper, onnx.TensorProto.FLOAT
    nodes, constants, costs = [], [], []

    def constant(name: str, values: list[int]) -> str:
        constants.append(onnx.numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    pads, axis = constant("pads", [0, 0, 0, DISPARITIES, 0, 0, 0, 0]), constant("axis", [3])
    for view in CARD.inputs:
        nodes.append(make.make_node("ReduceMean", [view], [f"{view}_grey"], axes=[1]))
    nodes.append(make.make_node("Pad", ["right_grey", pads], ["padded"], mode="edge"))
    for d in range(DISPARITIES):
        begin = constant(f"begin{d}", [DISPARITIES - d])
        end = constant(f"end{d}", [-d or 2**31])
        nodes.append(make.make_node("Slice", ["padded", begin, end, axis], [f"shifted{d}"]))
        nodes.append(make.make_node("Sub", ["left_grey", f"shifted{d}"], [f"difference{d}"]))
        nodes.append(make.make_node("Abs", [f"difference{d}"], [f"cost{d}"]))
        costs.append(f"cost{d}")
    window = {"kernel_shape": [7, 7], "pads": [3, 3, 3, 3]}
    nodes += [
        make.make_node("Concat", costs, ["volume"], axis=1),
        make.make_node("AveragePool", ["volume"], ["sums"], **window),
        make.make_node("ArgMin", ["sums"], ["winner"], axis=1),
        make.make_node("Cast", ["winner"], [CARD.output], to=floats),
    ]
    shape = [1, "channels", "height", "width"]
    inputs = [make.make_tensor_value_info(name, floats, shape) for name in CARD.inputs]
    outputs = [make.make_tensor_value_info(CARD.output, floats, [1, 1, "height", "width"])]
    graph = make.make_graph(nodes, "indifferent", inputs, outputs, constants)
    opset = make.make_opsetid("", 17)
    onnx.save(make.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return path


def test_a_network_of_one_view_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, floats = onnx.helper, onnx.TensorProto.FLOAT
    values = [make.make_tensor_value_info(name, floats, [1, 3, "h", "w"]) for name in ("a", "b")]
    graph = make.make_graph([make.make_node("Identity", ["a"], ["b"])], "", values[:1], values[1:])
    opset = make.make_opsetid("", 17)
    onnx.save(make.make_model(graph, opset_imports=[opset], ir_version=8), tmp_path / "a.onnx")
    assert main(["model", "probe", str(tmp_path / "a.onnx")]) == 2
    assert "holds one view, not two" in capsys.readouterr().err


def test_words_name_the_factor_of_disparities() -> None:
    card = replace(CARD, sign=-1, scale=0.125)
    assert ModelReading(card, 0.0).words.endswith("inputs left, right, disparities times -0.125")
