"""``wheatstone figure``: what its files hold, and that they can be made again."""

import base64
import io
import math
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.offscreen_app import keys, running_app, settle
from wheatstone.gpu.analysis.conventions import MIDDLEBURY, measures
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.colormaps import colormap
from wheatstone.viewer.display.picture.panes import Pane
from wheatstone.viewer.display.picture.truth import judged_of, largest_searched
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.figures.cells import OTHER_VIEWS
from wheatstone.viewer.figures.files import read_plan
from wheatstone.viewer.figures.templates import TEMPLATES
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl

Run = Callable[..., tuple[int, str]]
SMALL = ("--scene-size", "96x64", "--disparities", "16", "--variant", "reference")
FEW = (*SMALL, "--views", "left", "result")
Pixels = NDArray[np.uint8]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``figure`` in an empty folder: exit code, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str]:
        try:
            code = main(["figure", *words])
        except SystemExit as leaving:  # argparse
            code = int(leaving.code or 0)
        return code, capsys.readouterr().err

    return command


def images(svg: Path) -> list[Pixels]:
    """The images embedded in an SVG, in the order in which they are drawn: (H, W, 3)."""
    groups = re.findall(r'"data:image/png;base64,\s*([^"]+)"', svg.read_text())
    pictures = [Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB") for one in groups]
    return [np.array(picture) for picture in pictures]


def texts(svg: Path) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())]


def rendered(tmp_path: Path, *words: str) -> Pixels:
    shot = tmp_path / "shot.png"
    assert main(["render", "sgm", *SMALL, "--no-colorbar", *words, "--out", str(shot)]) == 0
    return np.array(Image.open(shot).convert("RGB"))


def holds(whole: Pixels, part: Pixels) -> bool:
    high = len(part)
    tops = range(len(whole) - high + 1)
    return any(np.array_equal(whole[top : top + high], part) for top in tops)


def test_cells_hold_the_pixels_of_the_views(run: Run, tmp_path: Path) -> None:
    wanted = ("result", "errors", "reasons")
    code, output = run(*SMALL, "--views", *wanted, "--out", "f.svg")
    assert code == 0, output
    shown = {"result": (), "errors": ("--error-map",), "reasons": ("--view", "reasons")}
    for name, pixels in zip(wanted, images(tmp_path / "f.svg"), strict=False):
        assert pixels.shape == (64, 96, 3)
        assert holds(rendered(tmp_path, *shown[name]), pixels), name


def test_colours_of_a_cell_are_those_of_the_map(run: Run, tmp_path: Path) -> None:
    run(*SMALL, "--views", "result", "--colormap", "viridis", "--range", "2,10", "--out", "f.svg")
    frame = Scene("orbit", 0, (96, 64)).first()
    params = SGM.params().changed(disparities=16)
    stored = compute(SGM, "reference", params, **grey_views(frame))
    image = SGM.image("disparity")
    low, entries = map(np.float32, Pane("disparity", image.scale, 2, 10).ramp)
    entry = np.clip(np.floor((stored.astype(np.float32) - low) * entries), 0, 255)
    expected = colormap("viridis")[entry.astype(np.intp)]
    known = np.isfinite(in_units(stored, image, params))
    assert known.mean() > 0.9
    assert np.array_equal(images(tmp_path / "f.svg")[0][known], expected[known])


def test_text_is_text_and_the_size_is_as_asked(run: Run, tmp_path: Path) -> None:
    pair = ("--preset", "balanced", "libsgm")
    outs = [f"--out=f{ending}" for ending in (".svg", ".pdf", ".png")]
    code, output = run(*SMALL, *pair, "--width", "84", "--dpi", "100", *outs)
    assert code == 0, output
    svg, pdf = (tmp_path / "f.svg").read_text(), (tmp_path / "f.pdf").read_bytes()
    assert {"left view", "balanced", "libsgm: errors", "disparity, px"} < set(
        texts(tmp_path / "f.svg")
    )
    (points,) = re.findall(r'<svg[^>]* width="([\d.]+)pt"', svg)
    assert math.isclose(float(points) / 72 * 25.4, 84, abs_tol=0.01)
    (width,) = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+)", pdf)
    assert math.isclose(float(width) / 72 * 25.4, 84, abs_tol=0.01)
    assert Image.open(tmp_path / "f.png").size[0] == int(84 / 25.4 * 100)
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert "balanced" in "".join(words_of(pdf))
    assert "@font-face" in svg and "20" not in re.findall(r"<dc:date>(..)", svg)


def words_of(pdf: bytes) -> Iterator[str]:
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        for written in re.findall(rb"\[(.*?)\]\s*TJ", content, re.DOTALL):
            letters = re.findall(rb"\(((?:\\.|[^\\)])*)\)", written)
            yield b"".join(letters).replace(b"\0", b"").decode("latin-1") + "\n"


def test_a_figure_is_made_again_from_its_own_file(run: Run, tmp_path: Path) -> None:
    every = (".png", ".svg", ".pdf")
    insets = ("--inset", "3,4,20,10", "30,20,10,10", "--theme", "dark")
    code, output = run(*FEW, *insets, *(f"--out=one{other}" for other in every))
    assert code == 0, output
    assert run("one.pdf", *(f"--out=two{other}" for other in reversed(every)))[0] == 0
    for other in every:
        one, two = ((tmp_path / f"{name}{other}") for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
        assert read_plan(one) == read_plan(tmp_path / "one.svg")
    assert run("one.png", "--width", "60", "--out", "narrow.svg")[0] == 0
    plan = read_plan(tmp_path / "narrow.svg")
    assert plan and plan.style.width == 60 and plan.style.theme == "dark"


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_fill_their_cells(template: str, run: Run, tmp_path: Path) -> None:
    more = {"ablation": ("--over", "p2=40,99"), "variants": ("--variants", "reference", "cpu")}
    code, output = run(*SMALL, "--template", template, *more.get(template, ()), "--out", "f.svg")
    assert code == 0, output
    expected = {
        "two-presets": {"left view", "balanced", "| balanced - indoor |", "indoor: errors"},
        "ablation": {"p2 40", "p2 99", "p2 99: errors"},
        "variants": {"reference", "cpu"},
        "error-anatomy": {"ground truth", "disparity", "errors", "reasons", "confidence"},
        "course": {"left view", "reference"},
    }[template]
    assert expected <= set(texts(tmp_path / "f.svg"))
    if template == "variants":
        table = (tmp_path / "f.md").read_text().splitlines()
        assert [line.split("|")[-2].strip() for line in table[4:6]] == ["reference", "identical"]
        assert any("times: median of a frame, on" in text for text in texts(tmp_path / "f.svg"))


def test_metrics_below_a_cell_are_those_of_its_own_result(run: Run, tmp_path: Path) -> None:
    assert run(*SMALL, "--over", "p2=40,255", "--p1", "5", "--out", "f.svg")[0] == 0
    frame, choice = Scene("orbit", 0, (96, 64)).first(), TruthChoice()
    assert frame.truth is not None
    image, messages = SGM.image("disparity"), []
    for p2 in (40, 255):
        params = SGM.params().changed(disparities=16, p1=5, p2=p2)
        stored = compute(SGM, "reference", params, **grey_views(frame))
        mask, disparity = judged_of(frame, choice), in_units(stored, image, params)
        searched = largest_searched(image, params)
        values = measures(MIDDLEBURY, disparity, frame.truth, mask, searched)
        messages.append(
            f"bad-2 {values['bad-2']:.2f} %, average error {values['average error']:.3f} px"
        )
    assert messages[0] != messages[1]
    assert [text for text in texts(tmp_path / "f.svg") if text.startswith("bad-2")] == messages


def test_what_cannot_be_shown_leaves_its_cell_empty(run: Run, tmp_path: Path) -> None:
    frame = Scene("orbit", 0, (96, 64)).first()
    assert frame.right is not None
    Image.fromarray(frame.left).save(tmp_path / "wall_left.png")
    Image.fromarray(frame.right).save(tmp_path / "wall_right.png")
    words = ("--disparities", "16", "--variant", "reference", "--views", "result", "truth")
    code, output = run("wall_left.png", "absent.png", *words, "--out", "f.svg")
    assert code == 1
    assert "empty: ground truth: this source has no ground truth" in output
    assert f"{tmp_path}/absent.png: no such file" in output
    result = " ".join(texts(tmp_path / "f.svg"))
    assert "absent.png: no such file" in result and str(tmp_path) not in result
    assert "this source has no ground truth" in result and "no such file or folder" in result
    assert "wall" in texts(tmp_path / "f.svg") and len(images(tmp_path / "f.svg")) == 2
    assert run("f.svg", "--out", "again.svg")[0] == 1
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "f.svg").read_bytes()


def test_an_inset_beyond_an_image_is_reported(run: Run, tmp_path: Path) -> None:
    words = (*SMALL, "--views", "left", "--out", "f.svg", "--inset", "4,4,20,20", "90,4,20,20")
    code, output = run(*words)
    assert code == 1 and len(images(tmp_path / "f.svg")) == 2
    assert "omitted: inset 90,4,20,20 of orbit: beyond an image of 96 x 64 pixels" in output


def test_a_screenshot_and_settings_become_a_cell(run: Run, tmp_path: Path) -> None:
    rendered(tmp_path, "--view", "confidence", "--zoom", "3")
    code, output = run("shot.png", "--out", "f.svg")
    assert code == 0, output
    assert "sgm/reference: confidence" in texts(tmp_path / "f.svg")
    assert images(tmp_path / "f.svg")[0].shape == (64, 96, 3)


def test_images_of_another_size_than_the_source_keep_their_pixels(run: Run, tmp_path: Path) -> None:
    words = ("ncc", "--scene-size", "96x64", "--variant", "reference", "--template", "10,10,21,15")
    code, output = run(*words, "--views", "scores", "left", "--out", "f.svg")
    assert code == 0, output
    scores, left = images(tmp_path / "f.svg")[:2]
    assert left.shape == (64, 96, 3)
    shape = (64 - 15 + 1, 96 - 21 + 1, 3)
    assert scores.shape in (shape, left.shape)


def test_names_are_shown_whatever_letters_they_have(run: Run, tmp_path: Path) -> None:
    frame = Scene("orbit", 0, (96, 64)).first()
    name = "\u7acb $x_1$ & <b>"
    Image.fromarray(frame.left).save(tmp_path / f"{name}_left.png")
    words = ("mean", f"{name}_left.png", "orbit", "--variant", "reference", "--views", "left")
    code, output = run(*words, "--out", "f.svg", "--out", "f.pdf")
    assert code == 0 and name in texts(tmp_path / "f.svg")
    assert "DejaVu Sans has no \u7acb: boxes stand for them" in output and "Warning" not in output
    assert run("f.pdf", "--out", "again.svg")[0] == 0
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "f.svg").read_bytes()


def test_nothing_is_written_where_nothing_can_be_shown(run: Run, tmp_path: Path) -> None:
    code, output = run("absent.png", "--out", "f.svg")
    assert code == 2 and "absent.png: no such file" in output and output.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_strangers_figure_opens_nothing_elsewhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = Scene("orbit", 0, (96, 64)).first()
    Image.fromarray(frame.left).save(tmp_path / "left.png")
    folder = tmp_path / "inner"
    folder.mkdir()
    words = ("mean", "left.png", "--variant", "reference", "--views", "left")
    assert run(*words, "--out", "inner/f.svg")[0] == 0
    assert run("inner/f.svg", "--out", "again.svg")[0] == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another user"))
    code, output = run("inner/f.svg", "--out", "again.svg")
    assert code == 2 and "outside its folder" in output
    assert run("inner/f.svg", "--trust-sources", "--out", "again.svg")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--out", "f.jpg"), "figures are .png, .svg, .pdf (got .jpg)"),
        (("--out", "no/f.svg"), "the folder no does not exist"),
        (("--out", "f.svg", "--over", "p9=1"), "sgm has no parameter 'p9'"),
        (("--out", "f.svg", "--over", "p2=x"), "p2 cannot be 'x'"),
        (("--out", "f.svg", "--template", "ablation"), "give --over NAME=VALUE,VALUE"),
        (("--out", "f.svg", "--views", "depht"), "sgm has no view 'depht'"),
        (("--out", "f.svg", "--width", "3"), "width must be in [20, 2000] (got 3)"),
        (("--out", "f.svg", "--width", "2000", "--dpi", "1200"), "is over 20000 pixels"),
        (("--out", "f.svg", "--inset", "1,2,0,4"), "an inset is X,Y,WIDTH,HEIGHT in pixels"),
        (("--out", "f.svg", "--preset", "no"), "sgm has no preset 'no'"),
        (("--out", "f.svg", "--views", "difference"), "a difference is of two"),
        (
            ("--out", "f.svg", "--template", "variants", "--preset", "fast", "indoor"),
            "one --preset",
        ),
        (
            ("canny", "--out", "f.svg", "--template", "error-anatomy"),
            "canny computes no disparity",
        ),
    ],
)
def test_bad_words_are_refused_in_one_line(words: tuple[str, ...], message: str, run: Run) -> None:
    code, output = run(*words)
    assert code == 2 and message in output and output.count("\n") == 1


def test_a_table_never_replaces_a_paper(run: Run, tmp_path: Path) -> None:
    (tmp_path / "f.tex").write_text(r"\documentclass{article}")
    code, output = run(*SMALL, "--out", "f.pdf")
    assert code == 2 and "f.tex is no table of a figure" in output
    assert not (tmp_path / "f.pdf").exists()
    (tmp_path / "f.tex").unlink()
    assert run(*FEW, "--out", "f.pdf")[0] == run(*FEW, "--out", "f.pdf")[0] == 0
    assert (tmp_path / "f.tex").read_text().startswith("% Written by wheatstone figure")


def test_help_names_all_that_can_be_shown(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["figure", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert all(name in shown for name in (*TEMPLATES, *OTHER_VIEWS, "confidence", "p2"))


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with running_app("sgm", *SMALL) as running:
        yield running


def test_a_figure_of_a_difference_shows_both_settings_first(app: App, tmp_path: Path) -> None:
    app.state.look = replace(app.state.look, outside=True)
    keys(app, "D", "D")  # a comparison leaves the parameters open
    settle(app)
    before = app.session.display.read()
    keys(app, "D", "Ctrl+Shift+S")
    settle(app)
    assert app.state.mixing.mode == "difference" and app.state.truth.show == "off"
    shown = texts(tmp_path / "wheatstone-figure-001.svg")
    assert [text[:2] for text in shown if text[1:2] == ":"] == ["A:", "B:"] * 2
    assert any(text.startswith("difference: A") for text in shown)
    assert "match outside right view" in shown
    keys(app, "D")
    settle(app)
    assert np.array_equal(app.session.display.read(), before)


def test_a_key_writes_what_the_window_shows(app: App, run: Run, tmp_path: Path) -> None:
    before = app.session.display.read()
    keys(app, "Ctrl+Shift+S")
    settle(app)
    assert app.state.message == f"saved wheatstone-figure-001.png, .svg, .pdf in {tmp_path}"
    assert np.array_equal(app.session.display.read(), before)
    app.state.zoom, app.state.center = 2.0, (0.25, 0.5)
    keys(app, "C", "Y", "Ctrl+Shift+S")
    settle(app)
    shown = texts(tmp_path / "wheatstone-figure-002.svg")
    named = [
        f"{letter}: sgm/reference, preset {preset}{of}"
        for of in ("", ", errors")
        for letter, preset in (("A", "balanced"), ("B", "fast"))
    ]
    assert [text for text in shown if text[1:2] == ":"] == named
    assert sum(text.startswith("bad-") for text in shown) == 2
    plan = read_plan(tmp_path / "wheatstone-figure-002.png")
    assert plan and plan.columns == 2 and len(plan.insets) == 1
    assert images(tmp_path / "wheatstone-figure-002.svg")[0].shape == (64, 96, 3)
    assert len(images(tmp_path / "wheatstone-figure-002.svg")) == 9  # with insets and a bar
    app.close()
    assert run("wheatstone-figure-002.pdf", "--out", "again.svg", "--out", "again.pdf")[0] == 0
    for ending in (".svg", ".pdf"):
        again = (tmp_path / f"again{ending}").read_bytes()
        assert again == (tmp_path / f"wheatstone-figure-002{ending}").read_bytes()
