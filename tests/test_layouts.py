"""Layouts: views are cut out of pictures that hold both, as told or as found out."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.matching import match_views
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.layouts import LayoutViews, views_of
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.io.sources.source_spec import LAYOUTS, SourceSpec
from wheatstone.viewer.settings.command_line import command_line

SIZE = (256, 160)


@pytest.fixture(scope="module")
def pair() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    frame = Scene("corridor", 0, SIZE).render(0)
    assert frame.right is not None
    return frame.left, frame.right


def written(path: Path, pixels: NDArray[np.uint8]) -> str:
    Image.fromarray(pixels).save(path)
    return str(path)


def squeezed(view: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(view).resize((SIZE[0] // 2, SIZE[1]), Image.Resampling.BOX))


@pytest.mark.parametrize("layout", LAYOUTS[1:])
def test_views_are_cut_out(layout: str, pair: tuple[NDArray[np.uint8], NDArray[np.uint8]]) -> None:
    left, right = pair
    pictures = {
        "side-by-side": np.hstack([left, right]),
        "swapped": np.hstack([right, left]),
        "top-bottom": np.vstack([left, right]),
        "half-side-by-side": np.hstack([squeezed(left), squeezed(right)]),
    }
    views = LayoutViews(layout).split("a.png", pictures[layout], None)
    for view, expected in zip(views, pair, strict=True):
        assert isinstance(view, np.ndarray)
        assert view.shape == expected.shape and view.flags.c_contiguous
        if layout == "half-side-by-side":
            assert np.abs(view.astype(int) - expected).mean() < 6
        else:
            assert np.array_equal(view, expected)


def test_two_pictures_are_swapped_but_not_halved(
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> None:
    left, right = pair
    assert LayoutViews("swapped").split("a.png", left, right) == (right, left)
    with pytest.raises(ValueError, match="side-by-side is a layout of one picture"):
        LayoutViews("side-by-side").split("a.png", left, right)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("side-by-side", "a.png is 7 wide; side-by-side needs an even width"),
        ("top-bottom", "a.png is 5 high; top-bottom needs an even height"),
    ],
)
def test_odd_sizes_are_refused(layout: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LayoutViews(layout).split("a.png", np.zeros((5, 7), np.uint8), None)


def test_a_layout_is_detected_where_halves_match(
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> None:
    left, right = pair
    noise = np.random.default_rng(1).integers(0, 256, (SIZE[1], 2 * SIZE[0]), np.uint8)
    assert views_of(None, np.hstack([left, right]), None) == LayoutViews(
        "side-by-side", detected=True
    )
    named = views_of(None, np.hstack([right, left]), None, Path("a.right-left.png"))
    assert named == LayoutViews("swapped", True, "as its name says")
    for right_first in (False, True):  # what is not known is not claimed: the usual order
        layout = views_of(None, np.hstack(pair[::-1] if right_first else pair), None)
        assert layout.layout == "side-by-side" and "exchanges them" in layout.note
        assert layout.choices(None)[1:3] == ("swapped", "pair")
        assert set(layout.choices(None)) == set(LAYOUTS)
    for left_picture, right_picture in ((noise, None), (left, None), (left, right)):
        assert views_of(None, left_picture, right_picture).layout == "pair"


def test_squeezed_views_and_views_above_each_other_are_found(
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> None:
    squeezed_pair = np.hstack([squeezed(view) for view in pair])
    for picture, layout in ((np.vstack(pair), "top-bottom"), (squeezed_pair, "half-side-by-side")):
        result = views_of(None, picture, None)
        assert result.layout == layout and "(for the halves match)" in result.note
    for name in ("corridor", "garden", "basket"):
        assert views_of(None, Scene(name, 0, SIZE).render(0).left, None).layout == "pair"


def test_a_bar_between_the_views_is_named(
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> None:
    left, right = pair
    bar = np.zeros((SIZE[1], 16, *left.shape[2:]), np.uint8)
    for views, name, size in (
        ((left, right), "a.png", "small"),
        ((right, left), "rl.png", "large"),
    ):
        layout = views_of(None, np.hstack([views[0], bar, views[1]]), None, Path(name))
        assert f"a bar of 16 columns between them makes disparities 8 px too {size}" in layout.note


def test_stills_and_folders_are_split(
    tmp_path: Path, pair: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> None:
    both = np.hstack(pair)
    still = written(tmp_path / "a.png", both)
    written(tmp_path / "b.png", both)
    for source in (open_source(SourceSpec(still)), open_source(SourceSpec(str(tmp_path)))):
        frame = source.frame(0)
        assert frame.right is not None and np.array_equal(frame.right, pair[1])
        assert source.notes[0].startswith("shown as two views side by side")
        assert open_source(source.spec).frame(0).right is not None
        source.close()
    as_one = open_source(SourceSpec(still, layout="pair"))
    assert as_one.frame(0).right is None and as_one.width == 2 * SIZE[0] and not as_one.notes


def test_layouts_are_an_option(
    tmp_path: Path,
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    odd = written(tmp_path / "odd.png", np.hstack(pair)[:, 1:])
    out = ["--out", str(tmp_path / "out.png"), "--fresh"]
    assert main(["render", "sgm", odd, "--layout", "side-by-side", *out]) == 2
    assert "odd.png is 511 wide; side-by-side needs an even width" in capsys.readouterr().err
    assert main(["render", "sgm", "--layout", "swapped", *out]) == 2
    assert "the built-in scene is a pair" in capsys.readouterr().err


def test_two_files_are_not_halved(
    tmp_path: Path,
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]],
) -> None:
    from tests.painted_videos import write_video

    stills = [written(tmp_path / f"{n}.png", view) for n, view in enumerate(pair)]
    videos = [str(write_video(tmp_path / f"{side}.avi", count=2)) for side in "lr"]
    for side, view in zip(("left", "right"), pair, strict=True):
        (tmp_path / "pairs" / side).mkdir(parents=True)
        written(tmp_path / "pairs" / side / "0.png", view)
    for words in (stills, videos, [str(tmp_path / "pairs")]):
        with pytest.raises(ValueError, match="top-bottom is a layout of one picture"):
            open_source(SourceSpec(*words, layout="top-bottom")).frame(0)


def test_a_layout_is_in_the_command_line(tmp_path: Path) -> None:
    from wheatstone.gpu.pipelines.sgm import SGM
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.run.run import Run

    path = written(tmp_path / "a.png", np.zeros((8, 16), np.uint8))
    source = open_source(SourceSpec(path, layout="swapped"))
    state = ViewerState(Run(SGM, "cpu", SGM.params()))
    assert "--layout=swapped" in command_line(state, source.spec)


def test_a_geometry_that_is_not_found_at_first_is_sought_in_another_order(
    pair: tuple[NDArray[np.uint8], NDArray[np.uint8]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a pair whose matches all lie in their rows OpenCV's search sometimes finds none."""
    left, right = (grey_levels(view) for view in pair)
    usual, search, tries = match_views(left, right, 600), cv2.findFundamentalMat, list[int]()

    def fails_at_first(*given: Any) -> Any:
        tries.append(len(given[0]))
        return search(*given) if len(tries) > 1 else (None, None)

    monkeypatch.setattr(cv2, "findFundamentalMat", fails_at_first)
    again = match_views(left, right, 600)
    assert len(tries) == 2 and again.count > 0.9 * usual.count > 50


def test_a_truth_of_the_whole_picture_is_ignored_where_it_is_cut(tmp_path: Path) -> None:
    left = written(tmp_path / "left.png", np.zeros((20, 40), np.uint8))
    header = b"Pf\n40 20\n-1.0\n"
    (tmp_path / "disp0.pfm").write_bytes(header + np.zeros((20, 40), "<f4").tobytes())
    cut = open_source(SourceSpec(left, layout="side-by-side"))
    assert cut.frame(0).truth is None and cut.width == 20
    assert any(note.startswith("ground truth ignored: ") for note in cut.notes)
    named = SourceSpec(left, layout="side-by-side", truth=str(tmp_path / "disp0.pfm"))
    with pytest.raises(ValueError, match=r"disp0\.pfm: must have the left image's size 20x20"):
        open_source(named)


@pytest.mark.parametrize("two", [False, True])
def test_layouts_follow_each_other(two: bool) -> None:
    right = np.zeros((4, 4), np.uint8) if two else None
    seen = [LayoutViews("pair").choices(right)]
    for _ in seen[0]:
        seen.append(LayoutViews(seen[-1][1]).choices(right))
    assert seen[-1] == seen[0] and {each[0] for each in seen} == set(seen[0])
    assert set(seen[0]) == ({"pair", "swapped"} if two else set(LAYOUTS))
