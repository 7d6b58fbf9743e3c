"""The public package: what a notebook imports, and that it computes what the program computes."""

import doctest
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import wheatstone as ws
from tests.programs import environment

SIZE = (96, 64)
DOCUMENTED = (
    "wheatstone",
    "wheatstone.opencv",
    "wheatstone.sources",
    "wheatstone.viewer.run.engine",
    "wheatstone.viewer.run.run",
)


@pytest.fixture(scope="module")
def pair() -> ws.Source:
    return ws.open("scene:garden", size=SIZE)


@pytest.fixture(scope="module")
def run() -> ws.Run:
    return ws.Run("sgm", variant="cpu", preset="fast", disparities=32)


@pytest.fixture(scope="module")
def views(pair: ws.Source) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    frame = pair.frame(0)
    assert frame.right is not None
    return frame.left, frame.right


@pytest.mark.parametrize("module", DOCUMENTED)
def test_examples_in_docstrings_print_what_they_say(module: str) -> None:
    tested = doctest.testmod(importlib.import_module(module))
    assert tested.attempted and not tested.failed


def test_the_import_is_light() -> None:
    code = (
        "import sys, wheatstone, wheatstone.viewer.run.run;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    heavy = {"argparse", "OpenGL", "glfw", "imgui_bundle", "cv2", "numba", "cupy"}
    assert not heavy & set(ran.stdout.split())


def test_all_public_names_are_there() -> None:
    assert dir(ws) == ws.__all__
    assert all(getattr(ws, name) is not None for name in ws.__all__)
    with pytest.raises(AttributeError, match="nothing_here"):
        ws.nothing_here  # noqa: B018


def test_api_and_command_line_compute_the_same_bytes(
    pair: ws.Source, run: ws.Run, views: tuple[NDArray[np.uint8], ...], tmp_path: Path
) -> None:
    for name, view in zip(("left", "right"), views, strict=True):
        cv2.imwrite(str(tmp_path / f"{name}.png"), view[..., ::-1])
    words = ["batch", "left.png", "--variant", "cpu", "--preset", "fast", "--disparities", "32"]
    command = [sys.executable, "-m", "wheatstone", *words, "--values", "npy", "--out", "out"]
    subprocess.run(command, cwd=tmp_path, env=environment(), check=True)
    (written,) = (tmp_path / "out").rglob("*.npy")
    expected = np.load(written)
    of_files = run(ws.open(tmp_path / "left.png", tmp_path / "right.png"))
    for result in (run(pair), run(*views), of_files, next(run.over(pair))):
        assert result.disparity.tobytes() == expected.tobytes()


def test_colour_and_its_grey_levels_give_the_same_disparity(
    run: ws.Run, views: tuple[NDArray[np.uint8], ...]
) -> None:
    grey = [cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for view in views]
    assert np.array_equal(run(*grey).stored["disparity"], run(*views).stored["disparity"])


def test_a_run_survives_toml_pickle_and_replacing(run: ws.Run) -> None:
    kept = run.replace(keep=["confidence"], p2=120, p1=9)
    for same in (ws.Run.from_toml(kept.to_toml()), pickle.loads(pickle.dumps(kept))):
        assert same == kept and same.digest() == kept.digest()
    assert kept != run and kept.digest() != run.digest()
    assert kept.replace(keep=(), preset="fast") == run
    assert len({run, kept, kept.replace()}) == 2
    usual = ws.Run("sgm", variant="cpu", disparities=64)
    copies = ws.Run.from_toml(usual.to_toml()), pickle.loads(pickle.dumps(usual)), usual.replace()
    assert all(each.range_given and "disparities=64" in repr(each) for each in copies)
    assert not ws.Run.from_toml(ws.Run("sgm", variant="cpu").to_toml()).range_given


def test_only_sources_have_frames_to_compute(run: ws.Run) -> None:
    with pytest.raises(TypeError, match=r"film\.mp4"):
        next(run.over("film.mp4"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("smg",), "sgm"),
        (("sgm", {"disparities": 17}), "17"),
        (("sgm", {"disparitys": 16}), "disparitys"),
        (("sgm", {"variant": "gpuu"}), "gpuu"),
        (("sgm", {"preset": "fastt"}), "fast"),
        (("sgm", {"keep": ["cots"]}), "cots"),
    ],
)
def test_what_no_run_can_be_is_named(words: tuple[object, ...], named: str) -> None:
    name, *more = words
    with pytest.raises(ValueError, match=named):
        ws.Run(name, **(more[0] if more else {}))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "pipeline = 'sgm'", "pipeline = 'sgm'\nparams = 3", "[["])
def test_a_damaged_document_is_no_run(text: str) -> None:
    with pytest.raises(ValueError):
        ws.Run.from_toml(text)


def test_kept_images_come_in_their_units(pair: ws.Source, run: ws.Run) -> None:
    result = run.replace(keep=["confidence", "cost", "depth"])(pair)
    assert result["cost"].shape == (64, 96, 32) and result["cost"].dtype == np.uint8
    assert result.confidence.dtype == np.float32 and np.nanmax(result.confidence) <= 100
    assert np.array_equal(result["depth"], result.depth, equal_nan=True)
    with pytest.raises(KeyError, match=r"keep=\['sums'\]"):
        result["sums"]


def test_depths_that_were_not_kept_are_computed_from_the_disparity(
    pair: ws.Source, run: ws.Run, tmp_path: Path
) -> None:
    kept, bare = run.replace(keep=["depth"])(pair), run(pair)
    for name in ("npy", "png"):
        notes = [
            result.save(tmp_path / f"{which}.{name}", "depth")
            for which, result in (("kept", kept), ("bare", bare))
        ]
        files = [(tmp_path / f"{which}.{name}").read_bytes() for which in ("kept", "bare")]
        assert notes[0] == notes[1] and files[0] == files[1]
    assert "depth" not in bare.stored
    with pytest.raises(ValueError, match="canny has no image 'depth'"):
        ws.Run("canny", variant="cpu")(pair).save(tmp_path / "e.npy", "depth")


def test_truth_in_an_array_is_judged_as_truth_in_a_file(
    pair: ws.Source, run: ws.Run, tmp_path: Path
) -> None:
    frame = pair.frame(0)
    right, truth = frame.right, frame.truth
    assert right is not None and truth is not None
    views = frame.left, right
    files = [tmp_path / "left.png", tmp_path / "right.png"]
    for path, view in zip(files, views, strict=True):
        Image.fromarray(view).save(path)
    np.save(tmp_path / "truth.npy", truth)
    result = run(ws.open(*files, truth=tmp_path / "truth.npy"))
    measures = result.judge()
    assert run(ws.open(*views, truth=truth)).judge() == measures
    assert result.judge(truth=truth) == result.judge(truth=truth, region="seen") == measures
    assert result.judge(region="known") != measures


def test_a_result_is_judged_and_saved(pair: ws.Source, run: ws.Run, tmp_path: Path) -> None:
    result = run(pair)
    measures = result.judge("kitti")
    truth = pair.frame(0).truth
    assert truth is not None and measures == result.judge("kitti", truth)
    assert result.judge(truth=result.disparity)["bad-0.5"] == 0
    for name in ("d.npy", "d.pfm", "d.png", "d.tiff", "d.ply"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    assert np.array_equal(np.load(tmp_path / "d.npy"), result.disparity, equal_nan=True)
    with pytest.raises(ValueError, match="gif"):
        result.save(tmp_path / "d.gif")
    matches = np.arange(result.depth.shape[1]) - result.disparity
    seen = np.isfinite(result.depth) & (matches >= -0.5)
    assert 0 < len(result.points().places) == seen.sum() < seen.size


def test_other_pipelines_have_an_output_and_no_disparity(pair: ws.Source) -> None:
    result = ws.Run("canny", variant="cpu")(pair)
    assert result.output.shape == (64, 96) and result.output.dtype == np.uint8
    with pytest.raises(ValueError, match="canny"):
        result.disparity  # noqa: B018


GREY = np.zeros((20, 30), np.uint8)


@pytest.mark.parametrize(
    ("left", "right", "named"),
    [
        (GREY, GREY[:, :29], r"20x30"),
        (GREY.astype(np.complex64), GREY, "complex64"),
        (GREY[None, None], GREY, r"\(1, 1, 20, 30\)"),
        (GREY[:0], GREY[:0], r"\(0, 30\)"),
        (GREY, None, "right view"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    run: ws.Run, left: NDArray[np.uint8], right: NDArray[np.uint8] | None, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        run(left, right)


@pytest.mark.parametrize("left", [3, "left.png", None, [[1, 2]]])
def test_what_is_neither_source_nor_array_is_a_type_error(run: ws.Run, left: object) -> None:
    with pytest.raises(TypeError, match=type(left).__name__):
        run(left)  # type: ignore[arg-type]


def test_files_and_arrays_do_not_mix() -> None:
    with pytest.raises(TypeError, match="str"):
        ws.open(GREY, "right.png")
    with pytest.raises(TypeError, match="calibration"):
        ws.open(GREY, GREY, calibration="calib.txt")


def test_arrays_with_a_calibration_give_metres(
    run: ws.Run, views: tuple[NDArray[np.uint8], ...]
) -> None:
    calibration = ws.Calibration(focal=100.0, baseline=0.5, principal=(48.0, 32.0))
    result = run(ws.open(*views, calibration=calibration))
    assert result.unit == "m"
    known = np.isfinite(result.depth)
    assert np.allclose(result.depth[known], 50 / result.disparity[known])


def test_the_drop_in_matcher_answers_as_opencv_does(views: tuple[NDArray[np.uint8], ...]) -> None:
    left, right = (np.ascontiguousarray(view[..., ::-1]) for view in views)
    words = {"numDisparities": 32, "uniquenessRatio": 10, "speckleWindowSize": 20, "P1": 72}
    ours, theirs = ws.StereoSGBM_create(**words), cv2.StereoSGBM.create(**words)
    computed, expected = ours.compute(left, right), theirs.compute(left, right)
    assert (computed.dtype, computed.shape) == (expected.dtype, expected.shape)
    both = (computed >= 0) & (expected >= 0)
    assert (computed < 0).any() and set(computed[computed < 0]) == {-16}
    assert np.median(np.abs(computed[both] - expected[both])) <= 16
    out = np.zeros_like(computed)
    assert ours.compute(left, right, out) is out and np.array_equal(out, computed)


def test_the_drop_in_matcher_has_every_getter_and_setter_of_opencv() -> None:
    ours, theirs = ws.StereoSGBM_create(), cv2.StereoSGBM.create()
    names = {name[3:] for name in dir(theirs) if name.startswith(("get", "set"))} - {"DefaultName"}
    for name in names:
        assert getattr(ours, f"get{name}")() == getattr(theirs, f"get{name}")()
        getattr(ours, f"set{name}")(1 if name == "Mode" else 16)
        assert getattr(ours, f"get{name}")() == (1 if name == "Mode" else 16)
    with pytest.raises(AttributeError):
        ours.getNothing()


def test_a_mode_that_opencv_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="mode"):
        ws.StereoSGBM_create(mode=7)


def test_a_prepared_run_gives_the_same_values_and_allocates_no_execution(
    run: ws.Run, views: tuple[NDArray[np.uint8], ...]
) -> None:
    prepared = run.prepared((64, 96))
    expected = run(*views).disparity
    for _ in range(2):
        assert np.array_equal(prepared(*views), expected, equal_nan=True)
    with pytest.raises(ValueError, match="left"):
        prepared(views[0][:32], views[1][:32])
    with pytest.raises(ValueError, match="right view"):
        prepared(views[0])


@pytest.mark.cuda
def test_arrays_on_a_gpu_give_the_same_bits_on_any_stream(
    views: tuple[NDArray[np.uint8], ...],
) -> None:
    cupy = pytest.importorskip("cupy", reason="comes with the extra cuda")
    run = ws.Run("sgm", variant="fast", preset="fast", disparities=32, keep=["confidence"])
    expected = run(*views)
    prepared = run.prepared((64, 96))
    grey = [cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for view in views]
    for given in (views, grey):
        with cupy.cuda.Stream(non_blocking=True):
            left, right = (cupy.asarray(view) for view in given)
            changed = prepared(left, right).copy()
            confidence = prepared["confidence"].copy()
            left[:], right[:] = 0, 0  # ordered behind the reading
            cupy.cuda.get_current_stream().synchronize()
        assert np.array_equal(changed.get(), expected.disparity, equal_nan=True)
        assert np.array_equal(confidence.get(), expected.confidence)
    with pytest.raises(ValueError, match=r"left must be \(64, 96\)"):
        prepared(cupy.zeros((3, 3), "uint8"), cupy.zeros((3, 3), "uint8"))
    with pytest.raises(ValueError, match="same memory"):
        prepared(cupy.asarray(views[0]), views[1])
    with pytest.raises(ValueError, match="CPU"):
        run.replace(variant="cpu").prepared((64, 96))(*map(cupy.asarray, views))


@pytest.mark.parametrize("index", [1, -1, 10**30])
def test_a_frame_that_a_source_does_not_have_is_named(run: ws.Run, index: int) -> None:
    with pytest.raises(IndexError, match="0 to 0"):
        run(ws.open(GREY, GREY), index=index)


@pytest.mark.parametrize(("focal", "baseline"), [(-1.0, 1.0), (1.0, 0.0), (float("nan"), 1.0)])
def test_a_calibration_that_cannot_be_is_refused(focal: float, baseline: float) -> None:
    with pytest.raises(ValueError, match="focal"):
        ws.open(GREY, GREY, calibration=ws.Calibration(focal, baseline, (0.0, 0.0)))


def test_views_that_were_not_read_and_impossible_shapes_are_named(run: ws.Run) -> None:
    with pytest.raises(TypeError, match="NoneType"):
        ws.StereoSGBM_create().compute(None, GREY)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        run.prepared((-3, 4))


def test_a_run_and_a_result_are_shown_in_a_line(pair: ws.Source) -> None:
    run = ws.Run("sgm", variant="cpu", disparities=16, keep=["depth"])
    assert repr(run) == "Run('sgm', variant='cpu', disparities=16, keep=('depth',))"
    shown = repr(run(pair))
    assert shown.startswith(f"<Result of {run!r}: disparity (64, 96)") and shown.endswith(" ms>")
