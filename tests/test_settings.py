"""A view's settings survive the way through TOML and through a screenshot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.files.output import unused_stem
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.screenshot import read_recipe, write_screenshot

ABSENT = {"cpu": "", "cuda": "no GPU"}


def changed_state() -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    params = state.slot.params.changed(disparities=96, min_disparity=-7, cost="absolute")
    state.slot = replace(state.slot, variant="reference", params=params)
    state.views["sgm"] = "pair"
    state.paused = True
    state.colormap, state.frame, state.zoom, state.center = "cividis", 12, 2.5, (0.25, 0.75)
    return state


def test_a_recipe_restores_every_setting() -> None:
    state = changed_state()
    text = settings.dumps(
        settings.to_recipe(state, SourceSpec.from_dict({"scene": "orbit", "seed": 3}))
    )
    restored = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    settings.restore(restored, settings.loads(text))
    assert restored == state


def test_a_recipe_from_a_gpu_keeps_a_variant_that_runs_here_and_says_why() -> None:
    recipe = settings.to_recipe(changed_state())
    recipe["view"]["variant"] = "shared"
    restored = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    settings.restore(restored, recipe)
    assert restored.slot.variant == "cpu"
    assert restored.slot.params == changed_state().slot.params
    assert "no GPU" in restored.message


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("view", "pipeline", "warp"),
        ("params", "p1", -4),
        ("params", "speed", 3),
        ("view", "zoom", "x"),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused_with_its_version(
    section: str, name: str, value: object
) -> None:
    recipe = settings.to_recipe(changed_state())
    recipe[section][name] = value
    with pytest.raises(ValueError, match=r"settings of wheatstone .* cannot be restored"):
        settings.restore(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


@pytest.mark.parametrize(
    ("section", "name", "value", "message"),
    [
        ("view", "pipeline", "nope", "pipeline must be one of .*sgm.* .got 'nope'"),
        ("view", "colormap", "nope", "colormap must be one of .*turbo.* .got 'nope'"),
        ("view", "zoom", 0.0, r"zoom must be in \[0.05, 256.0\] \(got 0.0\)"),
        ("view", "zoom", -3, r"zoom must be in \[0.05, 256.0\] \(got -3.0\)"),
        ("view", "zoom", 1e308, r"zoom must be in"),
        ("view", "zoom", 10**400, r"view.zoom must be a finite number"),
        ("view", "zoom", float("nan"), r"view.zoom must be a finite number \(got nan\)"),
        ("view", "frame", float("inf"), r"view.frame must be an integer \(got inf\)"),
        ("view", "frame", True, r"view.frame must be an integer"),
        ("view", "center", [0.5], r"view.center must be a list of 2"),
        ("view", "center", [0.5, float("inf")], r"view.center\[1\] must be a finite number"),
        ("view", "zoomed", 3, r"view knows no 'zoomed' .did you mean 'zoom'..; there is .*zoom"),
        ("params", "speed", 3, r"params knows no 'speed'.*; there is .*p1"),
    ],
)
def test_what_does_not_fit_is_named_with_what_would(
    section: str, name: str, value: object, message: str
) -> None:
    recipe = settings.to_recipe(changed_state())
    recipe[section][name] = value
    with pytest.raises(ValueError, match=message):
        settings.restore(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


@pytest.mark.parametrize("name", ["source", "view", "params", "compare", "b", "chosen"])
def test_a_section_that_is_no_table_is_named(name: str) -> None:
    recipe = settings.to_recipe(changed_state()) | {name: 3}
    with pytest.raises(ValueError, match=rf"{name} must be a table \(got 3\)"):
        settings.source_of(recipe)
        settings.restore(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


def test_a_screenshot_with_damaged_settings_is_named(tmp_path: Path) -> None:
    text = PngImagePlugin.PngInfo()
    text.add_itxt("wheatstone", "view = [")
    Image.new("L", (3, 3)).save(tmp_path / "shot.png", pnginfo=text)
    with pytest.raises(ValueError, match=r"shot\.png: its settings are damaged"):
        read_recipe(tmp_path / "shot.png")


def test_a_screenshot_carries_its_recipe(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (7, 9, 3), np.uint8)
    recipe = settings.to_recipe(
        changed_state(), SourceSpec.from_dict({"left": "/pictures/ä b.png"})
    )
    write_screenshot(tmp_path / "shot.png", pixels, recipe)
    assert read_recipe(tmp_path / "shot.png") == recipe
    assert np.array_equal(np.asarray(Image.open(tmp_path / "shot.png")), pixels)


def test_other_files_carry_no_recipe(tmp_path: Path) -> None:
    Image.new("L", (3, 3)).save(tmp_path / "plain.png")
    (tmp_path / "text.png").write_text("not a picture")
    for name in ("plain.png", "text.png", "absent.png", "."):
        assert read_recipe(tmp_path / name) is None


def test_a_picture_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    pixels = np.zeros((2, 2, 3), np.uint8)
    with pytest.raises(ValueError, match=r"\.png \(got \.jpg\)"):
        write_screenshot(tmp_path / "shot.jpg", pixels, {"wheatstone": "0"})
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_screenshot(tmp_path / "no" / "shot.png", pixels, {"wheatstone": "0"})
    with pytest.raises(TypeError):
        write_screenshot(tmp_path / "shot.png", pixels, {"wheatstone": object()})
    assert list(tmp_path.iterdir()) == []


def test_screenshots_are_numbered(tmp_path: Path) -> None:
    (tmp_path / "wheatstone-001.png").touch()
    assert unused_stem(tmp_path, (".png",)).name == "wheatstone-002"


def test_a_name_for_several_files_is_free_for_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "wheatstone-001.npy").touch()
    (tmp_path / "wheatstone-003.png").touch()
    assert unused_stem(tmp_path, (".png", ".npy")).name == "wheatstone-002"
    assert unused_stem(tmp_path, (".png",)).name == "wheatstone-001"
