"""The command line: what it writes, and one clear line with the right exit code for bad input."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.pictures import read
from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.settings.screenshot import read_recipe

opengl = pytest.mark.opengl
SMALL = ["--disparities", "16", "--scene-size", "64x48"]


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHEATSTONE_DEBUG", raising=False)

    def command(*words: str | Path) -> Outcome:
        try:
            code = main([str(word) for word in words])
        except SystemExit as exit:  # argparse
            code = int(exit.code or 0)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return command


def write_pair(folder: Path, height: int = 48, width: int = 64) -> tuple[Path, Path]:
    noise = np.random.default_rng(5).integers(0, 256, (height, width), np.uint8)
    for name, shift in (("left.png", 0), ("right.png", -4)):
        cv2.imwrite(str(folder / name), np.roll(noise, shift, axis=1))
    return folder / "left.png", folder / "right.png"


def assert_refused(outcome: Outcome, code: int, *words: str) -> None:
    lines = [line for line in outcome.err.splitlines() if line.startswith("wheatstone")]
    assert outcome.code == code, outcome
    assert "Traceback" not in outcome.err
    assert all(word in lines[-1] for word in words), outcome.err
    assert max(map(len, lines)) < 1000
    assert outcome.out == ""


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_parameter_is_an_option(pipeline: str, run: Callable[..., Outcome]) -> None:
    text = run("render", pipeline, "--help").out
    for name, control in controls(PIPELINES[pipeline].params).items():
        assert f"--{name.replace('_', '-')}" in text
        assert control.help.split()[0] in text


def test_bare_words_mean_view_of_sgm_on_the_built_in_scene() -> None:
    options = parse([])
    assert (options.verb, options.pipeline.name, options.left) == ("view", "sgm", None)
    assert parse(["a.png", "b.png"]).right == "b.png"


def test_options_reach_the_parameters() -> None:
    words = "render --min-disparity -4 --p2-adaptation none --no-subpixel --median".split()
    assert parse(words).params == {
        "min_disparity": -4,
        "p2_adaptation": "none",
        "subpixel": "off",
        "median": True,
    }


def test_version_is_printed(run: Callable[..., Outcome]) -> None:
    assert run("--version").out.strip() == f"wheatstone {VERSION}"


@opengl
def test_render_writes_picture_and_values(run: Callable[..., Outcome], tmp_path: Path) -> None:
    left, right = write_pair(tmp_path)
    words = ["render", "sgm", left, right, "--disparities", "16", "--variant", "reference"]
    outcome = run(*words, "--out", "shot.png", "--values", "d.npy", "--size", "320x200")
    assert outcome.code == 0, outcome.err
    assert read("shot.png").shape == (200, 320, 3)
    disparity = np.load("d.npy")
    assert disparity.shape == (48, 64)
    assert np.nanmedian(disparity[:, 20:]) == 4


@opengl
def test_a_screenshot_restores_its_view(run: Callable[..., Outcome], tmp_path: Path) -> None:
    words = [*SMALL, "--variant", "reference", "--view", "pair", "--colormap", "viridis"]
    shown = run("render", *words, "--preset", "indoor", "--frame", "3", "--out", "first.png")
    assert shown.code == 0, shown.err
    again = run("render", "first.png", "--out", "second.png")
    assert again.code == 0, again.err
    first, second = (read_recipe(tmp_path / name) for name in ("first.png", "second.png"))
    assert first and second
    for section in ("source", "view", "params"):
        assert first[section] == second[section]
    assert np.array_equal(read("first.png"), read("second.png"))
    assert first["made"]["device"]


@opengl
@pytest.mark.parametrize("width", [1, 5])
def test_pictures_narrower_than_the_range_work(
    width: int, run: Callable[..., Outcome], tmp_path: Path
) -> None:
    left, right = write_pair(tmp_path, 7, width)
    words = ["render", left, right, "--variant", "reference", "--values", "d.npy", "--out", "s.png"]
    outcome = run(*words)
    assert outcome.code == 0, outcome.err
    assert np.load("d.npy").shape == (7, width)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["render", "absent.png", "absent.png", "--out", "s.png"], 2, ["absent.png"]),
        (["render", "--out", "s.jpg"], 2, ["s.jpg", ".png"]),
        (["render", "--values", "d.exr"], 2, ["d.exr", ".npy"]),
        (["render", "--out", "no/s.png"], 2, ["no", "does not exist"]),
        (["render"], 2, ["--out", "--values"]),
        (
            ["render", "--disparities", "40", "--out", "s.png"],
            2,
            ["disparities", "40", "[16, 2048]"],
        ),
        (["render", "--p1", "300", "--out", "s.png"], 2, ["p1 300", "p2 200"]),
        (["render", "--paths", "5", "--out", "s.png"], 2, ["paths", "4, 8", "5"]),
        (["render", "--variant", "warp", "--out", "s.png"], 2, ["--variant", "warp"]),
        (["render", "--size", "0x5", "--out", "s.png"], 2, ["--size", "0x5"]),
        (["render", "--size", "big", "--out", "s.png"], 2, ["WxH", "big"]),
        (["render", "--zoom", "0", "--out", "s.png"], 2, ["zoom", "0"]),
        (["render", "--speed", "9", "--out", "s.png"], 2, ["--speed"]),
        (["render", "--frame", "x", "--out", "s.png"], 2, ["--frame", "x"]),
        (["render", "--frame", "x" * 5000, "--out", "s.png"], 2, ["--frame", "x ... x"]),
        (["render", "x" * 5000, "--out", "s.png"], 2, ["x ... x", "File name too long"]),
        (["render", "--frame", "\x1b[31m\n\udcff", "--out", "s.png"], 2, ["\\x1b[31m\\n\\udcff"]),
        (["render", "--set", "look.pin=" + "[" * 5000, "--out", "s.png"], 2, ["pin"]),
        (["render", "--out", "s-%5d.png"], 2, ["s-%5d.png", "%03d"]),
        (["render", "--out", "s-%d-%d.png"], 2, ["one %d"]),
        (["render", "--values", "s-%d-%d.npy"], 2, ["one %d"]),
        (["render", "sgm", "a", "b", "c", "--out", "s.png"], 2, ["c"]),
    ],
)
def test_bad_arguments_are_refused_in_one_line(
    words: list[str], code: int, says: list[str], run: Callable[..., Outcome], tmp_path: Path
) -> None:
    assert_refused(run(*words), code, *says)
    assert list(tmp_path.iterdir()) == []


def test_different_sizes_are_refused(run: Callable[..., Outcome], tmp_path: Path) -> None:
    left, _ = write_pair(tmp_path)
    other = tmp_path / "other.png"
    cv2.imwrite(str(other), np.zeros((47, 64), np.uint8))
    outcome = run("render", left, other, "--out", "s.png")
    assert_refused(outcome, 2, "64x48", "64x47")
    assert not (tmp_path / "s.png").exists()


def test_text_named_png_is_refused(run: Callable[..., Outcome], tmp_path: Path) -> None:
    left, right = write_pair(tmp_path)
    right.write_text("this is no picture")
    assert_refused(run("render", left, right, "--out", "s.png"), 2, "right.png")


@opengl
def test_a_single_picture_is_not_enough_for_stereo(
    run: Callable[..., Outcome], tmp_path: Path
) -> None:
    left, right = write_pair(tmp_path)
    right.unlink()
    outcome = run("render", left, "--variant", "reference", "--out", "s.png")
    assert_refused(outcome, 2, "stereo pair", "right")


@opengl
def test_values_that_the_format_cannot_hold_leave_no_file(
    run: Callable[..., Outcome], tmp_path: Path
) -> None:
    left, right = write_pair(tmp_path)
    words = ["render", left, right, "--variant", "reference", "--disparities", "16"]
    words += ["--speckle-size", "0", "--min-disparity", "-16"]
    outcome = run(*words, "--values", "d.png", "--out", "s.png")
    assert_refused(outcome, 2, "KITTI", ".pfm")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["left.png", "right.png"]


@pytest.mark.skipif(not why_unavailable("cuda"), reason="this machine has a GPU")
def test_a_gpu_variant_without_a_gpu_is_refused(run: Callable[..., Outcome]) -> None:
    variant = next(v.name for v in SGM.variants if v.on_gpu)
    assert_refused(run("render", *SMALL, "--variant", variant, "--out", "s.png"), 3, "GPU", variant)


@opengl
def test_too_little_memory_is_refused_with_both_numbers(
    run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.gpu.host.HostDevice.free_bytes", lambda self: 10_000_000)
    words = ["render", "--scene-size", "640x480", "--disparities", "512", "--variant", "reference"]
    assert_refused(run(*words, "--out", "s.png"), 3, "GB of memory", "0.0 GB are free")


def test_a_missing_opengl_library_is_refused_with_the_command_that_mends_it(
    run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(cuda_ordinal: int | None) -> None:
        raise Unavailable("OpenGL is missing; install it with: apt-get install libegl1")

    monkeypatch.setattr("wheatstone.viewer.display.screen.offscreen.OffscreenContext", missing)
    assert_refused(run("render", *SMALL, "--out", "s.png"), 3, "apt-get install")


def test_a_window_without_a_display_is_refused(
    run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert_refused(run("view", *SMALL), 3, "no display", "wheatstone render")
    assert_refused(run("lesson", "mean"), 3, "no display", "lesson NAME --out FOLDER")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(
    run: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert_refused(run("render", *SMALL, "--out", "locked/s.png"), 2, "cannot be written")


@opengl
def test_a_script_writes_the_values_of_what_it_ends_with(
    run: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "steps").write_text("key Space\nkey .\nsettle\n")
    words = ["render", *SMALL, "--variant", "reference"]
    outcome = run(*words, "--script", "steps", "--values", "script.npy")
    assert outcome.code == 0, outcome.err
    assert "wrote script.npy" in outcome.err
    assert run(*words, "--frame", "1", "--values", "frame.npy").code == 0
    assert np.load("script.npy").shape == np.load("frame.npy").shape
    assert np.array_equal(np.load("script.npy"), np.load("frame.npy"), equal_nan=True)


@pytest.mark.parametrize(
    ("script", "words", "says"),
    [
        (b"settle\n", [], ["writes nothing", "shot"]),
        (b"settle\n", ["--out", "a.jpg"], ["a.jpg", ".png"]),
        (b"settle\n", ["--out", "no/a.png"], ["no", "does not exist"]),
        (b"settle\n", ["--values", "d.exr"], ["d.exr", ".npy"]),
        (b"shot no/a.png\n", [], ["no/a.png", "does not exist"]),
        (b"settle\njump 3\n", ["--out", "a.png"], ["steps", "line 2", "jump"]),
        (b"\xff\xfe\n", ["--out", "a.png"], ["steps", "UTF-8"]),
        (None, ["--out", "a.png"], ["steps", "no such file"]),
        (b"key Foo\n", ["--out", "a.png"], ["steps", "line 1", "Foo"]),
        (b"settle\n", ["--out", "a-%d.png"], ["a-%d.png", "without a number"]),
    ],
)
def test_a_script_is_checked_before_anything_is_opened(
    script: bytes | None,
    words: list[str],
    says: list[str],
    run: Callable[..., Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opened(options: object) -> None:
        raise AssertionError("opened before the script was checked")

    monkeypatch.setattr("wheatstone.viewer.cli.render.open_view", opened)
    if script is not None:
        (tmp_path / "steps").write_bytes(script)
    assert_refused(run("render", *SMALL, "--script", "steps", *words), 2, *says)
