"""What stays from one start to the next."""

from dataclasses import replace
from pathlib import Path

import pytest

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recipe import document, restore
from wheatstone.viewer.settings.trust import settings_folder

NO_GPU = {"cpu": "", "cuda": "no GPU"}
SCENE: dict[str, str | int] = {"scene": "garden", "seed": 3, "size": "64x48"}


def state_of() -> ViewerState:
    return ViewerState(default_slot("sgm", NO_GPU), NO_GPU)


def used() -> ViewerState:
    state = state_of()
    state.choose_pipeline("canny")
    state.slot = replace(state.slot, variant="reference")
    state.views["canny"] = state.slot.pipeline.views[-1].name
    state.choose_pipeline("sgm")
    state.slot = replace(state.slot, params=state.slot.params.changed(p1=33, fill_holes=False))
    state.link(False)
    state.mix(mode="wipe", seam=0.25)
    state.colormap, state.frame, state.zoom = "viridis", 5, 2.5
    state.look = state.look.with_range("sgm.disparity", (3.0, 40.0))
    state.open_panels, state.panels = {PANELS[0].name}, False
    return state


def test_everything_chosen_comes_back() -> None:
    left = used()
    user_settings.save(left, SourceSpec.from_dict(SCENE))
    state = state_of()
    recipe = user_settings.read(user_settings.last_session())
    restore(state, recipe)
    assert recipe["source"] == SCENE
    left.shelf.pop("sgm")  # the pipeline shown is no other one
    assert state == left


def test_settings_lie_in_the_folder_for_settings(own_settings: Path) -> None:
    user_settings.save(used(), SourceSpec.from_dict(SCENE))
    assert [path.name for path in own_settings.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    "text",
    [
        "view = [",
        "\x00",
        "",
        "x = " + 9999 * "[",
        "x." * 9999 + "y = 1",
        "[view]\n",
        'wheatstone = "9"\n',
    ],
)
def test_a_file_that_holds_something_else_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(ValueError, match=r"x\.toml.* (is damaged|holds no settings|is empty)"):
        user_settings.read(tmp_path / "x.toml")


def test_settings_that_do_not_fit_leave_the_state_as_it_was() -> None:
    recipe = document(used(), SourceSpec.from_dict(SCENE))
    recipe["params"]["p1"] = -1
    state = state_of()
    with pytest.raises(ValueError, match="cannot be restored: p1"):
        restore(state, recipe)
    assert state == state_of()


def test_a_pipeline_that_does_not_fit_is_left_out_and_unknown_panels_too() -> None:
    recipe = document(used(), SourceSpec.from_dict(SCENE))
    recipe["shelf"]["canny"]["variant"] = "imaginary"
    recipe["window"]["panels"] = ["imaginary"]
    state = state_of()
    restore(state, recipe)
    assert (state.shelf, state.open_panels) == ({}, set())
    assert state.slot == used().slot


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"shelf": 3}, "shelf must be a table"),
        ({"window": 3}, "window must be a table"),
        ({"window": {"panels": 3}}, "window.panels must be a list"),
        ({"window": {"panels": [["a"]]}}, r"window.panels\[0\] must be text"),
        ({"window": {"seen": "x"}}, "window.seen must be true or false"),
    ],
)
def test_sections_that_do_not_fit_are_named_and_leave_the_state(
    section: dict[str, object], message: str
) -> None:
    state = state_of()
    recipe = document(used(), SourceSpec.from_dict(SCENE)) | section
    with pytest.raises(ValueError, match=message):
        restore(state, recipe)
    assert state == state_of()


def test_a_shelf_that_holds_no_pipeline_is_left_out() -> None:
    recipe = document(used(), SourceSpec.from_dict(SCENE)) | {"shelf": {"canny": 3, "nope": {}}}
    state = state_of()
    restore(state, recipe)
    assert state.shelf == {}


def test_a_preset_is_saved_listed_and_deleted() -> None:
    slot = used().slot
    path = user_settings.save_preset(slot, "street 2")
    assert path == settings_folder() / "presets" / "sgm" / "street 2.toml"
    assert user_settings.presets() == {"sgm": {"street 2": slot.params.values()}}
    user_settings.save_preset(state_of().slot, "street 2")
    assert user_settings.presets()["sgm"]["street 2"] == state_of().slot.params.values()
    user_settings.delete_preset("sgm", "street 2")
    assert user_settings.presets() == {}


@pytest.mark.parametrize(
    "name", ["", ".", "../x", "a/b", "-", "x" * 65, "a\n", next(iter(SGM.presets))]
)
def test_a_preset_cannot_have_just_any_name(name: str) -> None:
    with pytest.raises(ValueError, match="preset"):
        user_settings.save_preset(state_of().slot, name)
    assert user_settings.presets() == {}


def test_damaged_presets_are_left_out() -> None:
    path = user_settings.save_preset(state_of().slot, "good")
    (path.parent / "bad.toml").write_text("params = [")
    (path.parent / "worse.toml").write_bytes(b"\xff\xfe")
    (path.parent / "none.toml").write_text("x = 1")
    (path.parent / "deep.toml").write_text("params = " + 9999 * "[")
    (path.parent / "type.toml").write_text("[params]\n\np1 = []")
    texts: list[str] = []
    assert list(user_settings.presets(texts.append)["sgm"]) == ["good"]
    assert [Path(note.split(": ")[1]).stem for note in texts] == "bad deep none type worse".split()
    assert "p1" in texts[3] and texts[3].endswith("(line 3)")


def test_settings_that_cannot_be_written_are_no_reason_to_fail(
    own_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_settings.parent.mkdir(exist_ok=True)
    own_settings.write_text("a file where the folder belongs")
    user_settings.save_quietly(used(), SourceSpec.from_dict(SCENE))
    assert len(capsys.readouterr().err.splitlines()) == 1
