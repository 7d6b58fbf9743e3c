"""Networks of the user's as variants of ``sgm``: conventions, sizes, verbs, workers, bad input."""

import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.patience import PATIENCE
from tests.stereo_networks import CARD, CONVENTIONS, BlockMatching, described, onnx
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.interruption import Interruption
from wheatstone.gpu.own_variants import own_variant
from wheatstone.gpu.peers import runtime
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.peers.network import StereoNetwork
from wheatstone.gpu.peers.runtime import (
    PROVIDERS,
    network_device,
    open_session,
    providers,
    run_bound,
    run_on_host,
)
from wheatstone.gpu.peers.tensors import channels_of, mixed, on_gpu
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.inputs import with_presence
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.peers import own_peer
from wheatstone.viewer.run.peers.own_peer import peer
from wheatstone.viewer.run.run import Run

SHIFT = 7
SMALL = ("--scene", "garden", "--size", "64x48", "--disparities", "16")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs write their records into the current folder."""
    monkeypatch.chdir(tmp_path)


def pair(height: int = 41, width: int = 90, shift: int = SHIFT) -> Frame:
    """Two colour views, the right of which is shifted."""
    texture = np.random.default_rng(3).integers(0, 256, (height, width + shift, 3), np.uint8)
    left, right = texture[:, :width], texture[:, shift:]
    return Frame(np.ascontiguousarray(left), np.ascontiguousarray(right), 0)


def variant(folder: Path, network: BlockMatching, card: ModelCard | None = None) -> str:
    path = network.write(folder / "network.onnx")
    described(path, card or network.card)
    return peer(f"onnx:{path}")


def inner(result: Any, margin: int = 12) -> Any:
    return result.disparity[4:-4, margin:-4]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_shift_is_recovered_in_every_convention(tmp_path: Path, name: str) -> None:
    run = Run("sgm", variant=variant(tmp_path, BlockMatching(CONVENTIONS[name])), disparities=16)
    assert np.all(inner(run(pair())) == SHIFT)


@pytest.mark.parametrize("axes", [2, 3])
def test_a_grey_input_may_lack_axes(tmp_path: Path, axes: int) -> None:
    network = BlockMatching(replace(CARD, order="grey"), axes=axes)
    run = Run("sgm", variant=variant(tmp_path, network), disparities=16)
    assert np.all(inner(run(pair())) == SHIFT)


def test_views_are_resized_to_a_fixed_size_and_disparities_back(tmp_path: Path) -> None:
    name = variant(tmp_path, BlockMatching(shape=(96, 192), disparities=32))
    texture = np.kron(pair(12, 24, 2).left, np.ones((4, 4, 1), np.uint8))
    left, right = texture[:, :-8], texture[:, 8:]
    result = Run("sgm", variant=name, disparities=16)(left, right)
    assert np.median(inner(result, 20)) == pytest.approx(8, abs=0.3)


def test_views_are_padded_to_a_multiple(tmp_path: Path) -> None:
    seen: list[tuple[int, ...]] = []
    name = variant(tmp_path, BlockMatching(replace(CARD, multiple=32)))
    run = Run("sgm", variant=name, disparities=16)
    own = own_variant("sgm", name)
    assert isinstance(own, own_peer.OwnModel)
    network = own_peer._network(own)
    views = (np.zeros((41, 90, 4), np.uint8),) * 2
    network.prepare(*views)
    seen += [tensor.shape for tensor in network._frame.feeds.values()]
    assert seen == [(1, 3, 64, 96)] * 2
    assert np.all(inner(run(pair())) == SHIFT)


def test_verbs_take_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = variant(tmp_path, BlockMatching())
    assert main(["evaluate", "--variant", name, *SMALL]) == 0
    assert "In short" in capsys.readouterr().out
    scene = ("--scene-size", "64x48", "--disparities", "16")
    assert main(["compare", "opencv-sgbm", name, *scene]) == 1
    assert "peer" in capsys.readouterr().out
    out = tmp_path / "a.png"
    assert (
        main(["render", f"--variant={name}", *scene, "--size", "320x200", "--out", str(out)]) == 0
    )


def test_another_process_gets_the_network(tmp_path: Path) -> None:
    name = variant(tmp_path, BlockMatching())
    words = ("evaluate", "--variant", name, *SMALL)
    assert main([*words, "--processes", "2"]) == 0
    run = Run("sgm", variant=name)
    assert pickle.loads(pickle.dumps(run)) == run


def test_a_run_is_another_one_when_its_network_changes(tmp_path: Path) -> None:
    before = Run("sgm", variant=variant(tmp_path, BlockMatching())).digest()
    assert Run("sgm", variant=variant(tmp_path, BlockMatching(disparities=9))).digest() != before


def test_the_times_of_the_network_alone_are_known(tmp_path: Path) -> None:
    from wheatstone.viewer.run.engine import prepare_run
    from wheatstone.viewer.run.inputs import host_inputs

    run = Run("sgm", variant=variant(tmp_path, BlockMatching()), disparities=16)
    execution = prepare_run(run, 41, 90)
    execution.upload(**host_inputs(run.inputs, pair()))
    execution.run(stages=True)
    times = execution.stage_milliseconds()
    assert {"network_input", "network", "network_output"} <= times.keys()
    assert "ONNX Runtime (CPU)" in run.declaration.remark(run.params, 41, 90)


def no_graph(path: Path) -> None:
    path.write_bytes(b"this is a text\n" * 40)


def unknown_operator(path: Path) -> None:
    model = BlockMatching().model()
    model.graph.node[-1].op_type, model.graph.node[-1].domain = "Foo", "of.the.author"
    model.opset_import.append(onnx.helper.make_opsetid("of.the.author", 1))
    onnx.save(model, path)


def unknown_standard_operator(path: Path) -> None:
    model = BlockMatching().model()
    model.graph.node[-1].op_type = "Foo"
    onnx.save(model, path)


def later_opset(path: Path) -> None:
    model = BlockMatching().model()
    model.opset_import[0].version = 99
    onnx.save(model, path)


def empty(path: Path) -> None:
    path.touch()


def truncated(path: Path) -> None:
    path.write_bytes(BlockMatching().model().SerializeToString()[:-200])


def data_in(path: Path, place: str, file: Path) -> None:
    """Write a network whose kernel is in another file."""
    model = BlockMatching().model()
    kernel = next(each for each in model.graph.initializer if list(each.dims) == [1, 1, 5, 5])
    file.write_bytes(kernel.raw_data)
    kernel.ClearField("raw_data")
    kernel.data_location = onnx.TensorProto.EXTERNAL
    entry = kernel.external_data.add()
    entry.key, entry.value = "location", place
    path.write_bytes(model.SerializeToString())


def outside_data(path: Path) -> None:
    data_in(path, "../w.bin", path.parent.parent / "w.bin")


def absolute_data(path: Path) -> None:
    file = path.parent.parent / "w.bin"
    data_in(path, str(file), file)


def linked_data(path: Path) -> None:
    file = path.parent.parent / "w.bin"
    (path.parent / "w.bin").symlink_to(file)
    data_in(path, "w.bin", file)


def missing_data(path: Path) -> None:
    data_in(path, "w.bin", path.parent.parent / "w.bin")


def one_axis(path: Path) -> None:
    model = BlockMatching().model()
    for each in model.graph.input:
        del each.type.tensor_type.shape.dim[1:]
    onnx.save(model, path)


def text_input(path: Path) -> None:
    model = BlockMatching().model()
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.STRING
    onnx.save(model, path)


def five_axes(path: Path) -> None:
    model = BlockMatching().model()
    model.graph.input[0].type.tensor_type.shape.dim.add().dim_value = 1
    onnx.save(model, path)


def further_input(path: Path) -> None:
    model = BlockMatching().model()
    more = onnx.helper.make_tensor_value_info("iterations", onnx.TensorProto.FLOAT, [1])
    model.graph.input.append(more)
    onnx.save(model, path)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (no_graph, "not an ONNX file"),
        (unknown_operator, "it needs the operator"),
        (later_opset, "it needs opset 99"),
        (empty, "it is empty"),
        (truncated, "not an ONNX file, or damaged"),
        (unknown_standard_operator, "it needs the operator Foo, which"),
        (outside_data, "'../w.bin', outside its folder"),
        (absolute_data, "outside its folder"),
        (linked_data, "'w.bin', outside its folder"),
        (missing_data, "'w.bin', which is missing"),
        (five_axes, "network.onnx"),
        (one_axis, "network.onnx"),
        (text_input, "network.onnx"),
        (further_input, "further input, 'iterations'"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    write: Callable[[Path], None],
    message: str,
) -> None:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "network.onnx"
    write(path)
    described(path, CARD)
    assert main(["evaluate", "--variant", f"onnx:{path}", *SMALL]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ('inputs = ["a", "right"]\noutput = "disparity"', "no input 'a'"),
        ('inputs = ["left", "right"]\noutput = "depth"', "no output 'depth'"),
        ('inputs = []\noutput = "disparity"', "one or two names"),
        ('inputs = ["left", "right"]\noutput = "disparity"\nmean = [1.0]', "3 numbers"),
        ('inputs = ["left", "right"]\noutput = "disparity"\nsign = 2', "sign"),
        ('inputs = ["left", "right"]\noutput = "disparity"\nscale = nan', "scale"),
        ('inputs = ["left", "right"]\noutput = "disparity"\nwidth = 2', "width"),
    ],
)
def test_a_bad_description_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], card: str, message: str
) -> None:
    path = BlockMatching().write(tmp_path / "network.onnx")
    path.with_name("network.onnx.toml").write_text(card)
    assert main(["evaluate", "--variant", f"onnx:{path}", *SMALL]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_network_without_description_says_what_writes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = BlockMatching().write(tmp_path / "network.onnx")
    assert main(["evaluate", "--variant", f"onnx:{path}", *SMALL]) == 2
    assert f"model probe {path}" in capsys.readouterr().err


def test_an_output_that_is_no_number_is_named(tmp_path: Path) -> None:
    model = BlockMatching(replace(CARD, sign=-1)).model()
    last = model.graph.node[-1]  # of numbers that are 0 or negative
    shifted = onnx.helper.make_node("Sub", [last.input[0], "one"], ["shifted"])
    model.graph.node.insert(len(model.graph.node) - 1, shifted)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.float32(1), "one"))
    last.op_type, last.input[0] = "Log", "shifted"
    path = tmp_path / "network.onnx"
    onnx.save(model, path)
    described(path, CARD)
    run = Run("sgm", variant=peer(f"onnx:{path}"))
    with pytest.raises(ValueError, match="not a number anywhere"):
        run(pair())


def test_a_channel_that_the_output_lacks_is_named(tmp_path: Path) -> None:
    name = variant(tmp_path, BlockMatching(), replace(CARD, channel=3))
    with pytest.raises(ValueError, match="no channel 3"):
        Run("sgm", variant=name)(pair())


def test_settings_that_name_a_network_open_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = BlockMatching().write(tmp_path / "network.onnx")
    described(path, CARD)
    name = f"onnx:{path}"
    settings = f'[slots.a]\npipeline = "sgm"\nvariant = "{name}"\n'
    (tmp_path / "view.toml").write_text(settings)
    main(["render", "--settings", "view.toml", "--size", "64x48", "--out", "a.png"])
    assert name not in [variant.name for variant in PIPELINES["sgm"].variants]
    run = Run("sgm").to_toml().replace(f'variant = "{Run("sgm").variant}"', f'variant = "{name}"')
    with pytest.raises(ValueError, match="no variant"):
        Run.from_toml(run)


def test_weights_in_the_folder_are_read(tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    data_in(path, "w.bin", tmp_path / "w.bin")
    described(path, CARD)
    run = Run("sgm", variant=peer(f"onnx:{path}"), disparities=16)
    assert np.all(inner(run(pair())) == SHIFT)


def test_an_axis_that_the_file_fixes_is_named(tmp_path: Path) -> None:
    model = BlockMatching().model()
    for each in model.graph.input:
        each.type.tensor_type.shape.dim[2].dim_value = 96  # rows; columns are free
    path = tmp_path / "network.onnx"
    onnx.save(model, path)
    described(path, CARD)
    with pytest.raises(
        ValueError, match=r"network\.onnx: with \[1, 3, 41, 90\]: its input .* 96 along axis 2"
    ):
        Run("sgm", variant=peer(f"onnx:{path}"))(pair())


def test_a_network_that_needs_more_memory_than_there_is_fails_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostDevice, "free_bytes", lambda self: 50_000_000)
    run = Run("sgm", variant=variant(tmp_path, BlockMatching(disparities=48)), disparities=16)
    with pytest.raises(ValueError, match=r"\[1, 3, 500, 700\].*needs \d+ MB more memory") as error:
        run(pair(500, 700))
    assert "\n" not in str(error.value)
    assert np.all(inner(run(pair())) == SHIFT)  # smaller ones are computed still


def test_the_memory_that_a_network_takes_is_shown(tmp_path: Path) -> None:
    run = Run("sgm", variant=variant(tmp_path, BlockMatching()), disparities=16)
    run(pair(400, 600))
    assert re.search(r", [1-9]\d* MB of memory", run.declaration.remark(run.params, 400, 600))


def test_tensors_that_are_bound_give_the_same_numbers(tmp_path: Path) -> None:
    path = BlockMatching().write(tmp_path / "network.onnx")
    session = open_session(path)
    views = np.random.default_rng(1).integers(0, 256, (2, 1, 3, 40, 60)).astype(np.float32)
    feeds = dict(zip(("left", "right"), views, strict=True))
    (bound,), (plain,) = (
        run_bound(session, ["disparity"], feeds),
        session.run(["disparity"], feeds),
    )
    assert np.array_equal(bound, plain)


def test_a_running_network_can_be_interrupted(tmp_path: Path) -> None:
    session = open_session(BlockMatching(disparities=128).write(tmp_path / "network.onnx"))
    views = np.zeros((2, 1, 3, 600, 800), np.float32)
    feeds = dict(zip(("left", "right"), views, strict=True))
    interruption, entered = Interruption(), threading.Event()

    def interrupt() -> None:
        entered.wait(PATIENCE)
        interruption.request()

    other = threading.Thread(target=interrupt)
    other.start()
    for compute in (run_on_host, run_bound):
        with interruption.current(), pytest.raises(Exception, match="terminate flag"):
            entered.set()
            compute(session, ["disparity"], feeds)
    other.join()


@pytest.mark.parametrize("order", ["rgb", "bgr", "grey"])
def test_channels_are_those_of_opencv(order: Any) -> None:
    view = np.random.default_rng(1).integers(0, 256, (300, 400, 4), np.uint8)
    codes = {"rgb": cv2.COLOR_RGBA2RGB, "bgr": cv2.COLOR_RGBA2BGR, "grey": cv2.COLOR_RGBA2GRAY}
    expected = cv2.cvtColor(view, codes[order]).reshape(300, 400, -1)
    expected = cv2.copyMakeBorder(expected, 0, 20, 0, 16, cv2.BORDER_REPLICATE).reshape(
        320, 416, -1
    )
    channels = channels_of(view, ModelCard(("a", "b"), "c", order, multiple=32), None)
    assert np.array_equal(channels.transpose(1, 2, 0), expected)
    assert order != "grey" or np.array_equal(mixed(view), expected[:300, :400])


@pytest.mark.parametrize("error", ["ImportError", "OSError", "AttributeError"])
def test_tensorrt_is_used_only_where_it_is_installed_and_loads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: str
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: list(PROVIDERS))
    (tmp_path / "tensorrt.py").write_text(f"raise {error}('broken')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tensorrt", raising=False)
    for library, expected in ((None, PROVIDERS[1:]), ("libnvinfer.so.10", PROVIDERS)):
        runtime._has_libraries.cache_clear()
        monkeypatch.setattr(runtime, "find_library", lambda name, found=library: found)
        assert providers() == list(expected)
    runtime._has_libraries.cache_clear()


@pytest.mark.cuda
def test_tensors_stay_on_the_gpu_and_numbers_are_those_of_the_cpu(tmp_path: Path) -> None:
    if network_device() != "cuda":
        pytest.skip("ONNX Runtime here has no CUDA, or there is no CuPy with a GPU")
    name = variant(tmp_path, BlockMatching(replace(CARD, multiple=32)))
    run, views = Run("sgm", variant=name, disparities=16), pair()
    assert run.declaration.on_gpu
    result = run(views)
    own = own_variant("sgm", name)
    assert isinstance(own, own_peer.OwnModel)
    network = own_peer._network(own)
    frame = network._frame
    assert all(map(on_gpu, (*frame.feeds.values(), *frame.outputs)))
    host = StereoNetwork(network.path, network.card)
    assert views.right is not None
    host.prepare(with_presence(views.left), with_presence(views.right))
    host.infer()
    assert np.allclose(result.disparity, host.disparity(), atol=1 / 32)


def test_a_network_without_its_prefix_is_refused_with_the_right_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["render", "--variant", "net.onnx", "--out", "new.png"])
    assert "a network is named onnx:net.onnx" in capsys.readouterr().err


def test_onnx_runtime_keeps_no_device_number(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    code = "from wheatstone.gpu.peers.runtime import providers; assert providers()"
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert not [*tmp_path.rglob("*")]
