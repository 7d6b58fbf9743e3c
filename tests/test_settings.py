"""Settings: through TOML and screenshots, from start to start, of 0.1.0, and shared ones."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.programs import ROOT, environment
from wheatstone.gpu.parameters import completed, controls, defaults
from wheatstone.gpu.pipelines.sgm import FORMER, SGM, SgmParams
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import likeness, presets_of
from wheatstone.viewer.files.held import HAS_LOCKS, hold, locked
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.folders import settings_folder
from wheatstone.viewer.settings.recent import MOST, recent_sources
from wheatstone.viewer.settings.screenshot import read_recipe, unused_stem, write_screenshot

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
    text = settings.dumps(settings.to_recipe(state, {"scene": "orbit", "seed": 3}))
    restored = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    settings.apply_recipe(restored, settings.loads(text))
    assert restored == state


def test_a_recipe_from_a_gpu_keeps_a_variant_that_runs_here_and_says_why() -> None:
    recipe = settings.to_recipe(changed_state(), {})
    recipe["view"]["variant"] = "shared"
    restored = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    settings.apply_recipe(restored, recipe)
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
    recipe = settings.to_recipe(changed_state(), {})
    recipe[section][name] = value
    with pytest.raises(ValueError, match=r"settings of wheatstone .* cannot be restored"):
        settings.apply_recipe(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


@pytest.mark.parametrize(
    ("section", "name", "value", "said"),
    [
        ("view", "pipeline", "nope", "pipeline must be one of .*sgm.* .got 'nope'"),
        ("view", "colormap", "nope", "colormap must be one of .*turbo.* .got 'nope'"),
        ("view", "zoom", 0.0, r"zoom must be in \[0.05, 256.0\] \(got 0.0\)"),
        ("view", "zoom", -3, r"zoom must be in \[0.05, 256.0\] \(got -3.0\)"),
        ("view", "zoom", 1e308, r"zoom must be in"),
        ("view", "zoom", 10**400, r"view.zoom must be a finite number"),
        ("view", "zoom", float("nan"), r"view.zoom must be a finite number \(got nan\)"),
        ("view", "frame", float("inf"), r"view.frame must be a whole number \(got inf\)"),
        ("view", "frame", True, r"view.frame must be a whole number"),
        ("view", "center", [0.5], r"view.center must be a list of 2"),
        ("view", "center", [0.5, float("inf")], r"view.center\[1\] must be a finite number"),
        ("view", "zoomed", 3, r"view knows no 'zoomed' .did you mean 'zoom'..; there is .*zoom"),
        ("params", "speed", 3, r"params knows no 'speed'.*; there is .*p1"),
    ],
)
def test_what_does_not_fit_is_named_with_what_would(
    section: str, name: str, value: object, said: str
) -> None:
    recipe = settings.to_recipe(changed_state(), {})
    recipe[section][name] = value
    with pytest.raises(ValueError, match=said):
        settings.apply_recipe(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


@pytest.mark.parametrize("name", ["source", "view", "params", "compare", "b", "chosen"])
def test_a_section_that_is_no_table_is_named(name: str) -> None:
    recipe = settings.to_recipe(changed_state(), {}) | {name: 3}
    with pytest.raises(ValueError, match=rf"{name} must be a table \(got 3\)"):
        settings.apply_recipe(ViewerState(default_slot("sgm", ABSENT), ABSENT), recipe)


def test_a_screenshot_with_damaged_settings_is_named(tmp_path: Path) -> None:
    text = PngImagePlugin.PngInfo()
    text.add_itxt("wheatstone", "view = [")
    Image.new("L", (3, 3)).save(tmp_path / "shot.png", pnginfo=text)
    with pytest.raises(ValueError, match=r"shot\.png: its settings are damaged"):
        read_recipe(tmp_path / "shot.png")


def test_a_screenshot_carries_its_recipe(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (7, 9, 3), np.uint8)
    recipe = settings.to_recipe(changed_state(), {"left": "/pictures/ä b.png"})
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
    assert unused_stem(tmp_path, "wheatstone", (".png",)).name == "wheatstone-002"


def test_a_name_for_several_files_is_free_for_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "wheatstone-001.npy").touch()
    (tmp_path / "wheatstone-003.png").touch()
    assert unused_stem(tmp_path, "wheatstone", (".png", ".npy")).name == "wheatstone-002"
    assert unused_stem(tmp_path, "wheatstone", (".png",)).name == "wheatstone-001"


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
    user_settings.save(left, SCENE)
    state = state_of()
    recipe = user_settings.read(user_settings.last_session())
    user_settings.restore(state, recipe)
    assert recipe["source"] == SCENE
    left.shelf.pop("sgm")  # the pipeline shown is no other one
    assert state == left


def test_settings_lie_in_the_folder_for_settings(own_settings: Path) -> None:
    user_settings.save(used(), SCENE)
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
    recipe = user_settings.document(used(), SCENE)
    recipe["params"]["p1"] = -1
    state = state_of()
    with pytest.raises(ValueError, match="cannot be restored: p1"):
        user_settings.restore(state, recipe)
    assert state == state_of()


def test_a_pipeline_that_does_not_fit_is_left_out_and_unknown_panels_too() -> None:
    recipe = user_settings.document(used(), SCENE)
    recipe["shelf"]["canny"]["variant"] = "imaginary"
    recipe["window"]["panels"] = ["imaginary"]
    state = state_of()
    user_settings.restore(state, recipe)
    assert (state.shelf, state.open_panels) == ({}, set())
    assert state.slot == used().slot


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"shelf": 3}, "shelf must be a table"),
        ({"window": 3}, "window must be a table"),
        ({"window": {"panels": 3}}, "window.panels must be a list"),
        ({"window": {"panels": [["a"]]}}, r"window.panels\[0\] must be text"),
        ({"window": {"seen": "x"}}, "window.seen must be true or false"),
    ],
)
def test_sections_that_do_not_fit_are_named_and_leave_the_state(
    section: dict[str, object], said: str
) -> None:
    state = state_of()
    recipe = user_settings.document(used(), SCENE) | section
    with pytest.raises(ValueError, match=said):
        user_settings.restore(state, recipe)
    assert state == state_of()


def test_a_shelf_that_holds_no_pipeline_is_left_out() -> None:
    recipe = user_settings.document(used(), SCENE) | {"shelf": {"canny": 3, "nope": {}}}
    state = state_of()
    user_settings.restore(state, recipe)
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
    said: list[str] = []
    assert list(user_settings.presets(said.append)["sgm"]) == ["good"]
    assert [Path(note.split(": ")[1]).stem for note in said] == "bad deep none type worse".split()
    assert "p1" in said[3] and said[3].endswith("(line 3)")


def test_settings_that_cannot_be_written_are_no_reason_to_fail(
    own_settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_settings.parent.mkdir(exist_ok=True)
    own_settings.write_text("a file where the folder belongs")
    user_settings.save_quietly(used(), SCENE)
    assert len(capsys.readouterr().err.splitlines()) == 1


NEWER = ("gradient", "outside", "guided_median")
VIEW = {"pipeline": "sgm", "variant": "cpu", "view": "disparity"}


def written(**changes: Any) -> dict[str, Any]:
    """The parameters as 0.1.0 wrote them: its defaults, but for some that were changed."""
    values = SgmParams(**FORMER["balanced of 0.1.0"]).values() | {"subpixel": True} | changes
    return {name: value for name, value in values.items() if name not in NEWER}


def test_old_parameters_say_nothing_of_newer_ones_and_mean_what_they_meant() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()))
    settings.apply_recipe(state, {"wheatstone": "0.1.0", "view": VIEW, "params": written(p1=17)})
    values = state.slot.params.values()
    assert {name: values[name] for name in NEWER} == dict(zip(NEWER, (False, -1, 0), strict=True))
    assert (values["cost"], values["paths"], values["p1"]) == ("census-mean", 8, 17)
    assert values["subpixel"] == "parabola"


def test_what_newer_parameters_are_set_to_is_kept() -> None:
    values = SgmParams(outside=30).values()
    assert completed(SgmParams, values) == values
    assert SgmParams(**completed(SgmParams, written() | {"outside": 30})).values()["outside"] == 30


def test_some_parameters_alone_leave_the_others_at_their_defaults() -> None:
    assert SgmParams(**completed(SgmParams, {"p1": 17})) == SgmParams(p1=17)
    names = [name for name, control in controls(SgmParams).items() if control.before is not None]
    assert tuple(names) == NEWER
    assert all(controls(SgmParams)[n].allows(controls(SgmParams)[n].before) for n in names)


def test_presets_of_the_user_keep_their_numbers() -> None:
    path = user_settings.preset_path("sgm", "mine")
    path.parent.mkdir(parents=True)
    path.write_text(settings.dumps({"wheatstone": "0.1.0", "params": written(p1=17)}))
    said = user_settings.presets()["sgm"]["mine"]
    assert SgmParams(**said) == SgmParams(**FORMER["balanced of 0.1.0"]).changed(p1=17)


def test_presets_that_were_chosen_anew_are_kept_for_whoever_has_settings_of_then() -> None:
    assert not user_settings.presets()
    path = user_settings.last_session()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings.dumps({"wheatstone": "0.1.0", "view": VIEW, "params": written()}))
    state = ViewerState(Run(SGM, "cpu", SgmParams(**FORMER["balanced of 0.1.0"])))
    user_settings.keep_former_presets()
    state.presets = user_settings.presets()
    assert set(FORMER) <= presets_of(state, SGM).keys()
    assert str(likeness(state, state.slot)) == "balanced of 0.1.0"
    user_settings.save(state, {"scene": "orbit"})
    assert set(FORMER) <= user_settings.presets()["sgm"].keys(), "they stay from then on"
    user_settings.delete_preset("sgm", "fast of 0.1.0")
    user_settings.keep_former_presets()
    assert set(FORMER) - user_settings.presets()["sgm"].keys() == {"fast of 0.1.0"}


@pytest.mark.parametrize("name", FORMER)
def test_a_former_preset_names_every_parameter_that_presets_name(name: str) -> None:
    declared = SGM.presets[re.sub(" of .*", "", name)]
    assert FORMER[name].keys() == declared.keys()
    assert set(NEWER) <= declared.keys() <= defaults(SgmParams).keys()


NOTES = """\
import sys
from pathlib import Path
from wheatstone.viewer.commands.cli import parse
from wheatstone.viewer.commands.start import open_view
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recent import note_source, recent_sources, seal_kept
from wheatstone.viewer.sources.opening import open_source

state, scene = open_view(parse(["view", "invert", "--scene-size", "64x48", "--fresh"]))
sources = {path: open_source(path) for path in sys.argv[1:]}
print("ready", flush=True)
sys.stdin.readline()
for path, source in sources.items():
    note_source(source, source.frame(0).left)
    user_settings.save(state, scene.recipe)
    user_settings.read(user_settings.last_session())
    assert path in [str(recent.recipe["left"]) for recent in recent_sources()]
    source.close()
scene.close()
"""


def test_two_programs_note_sources_and_save_settings_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / f"street-{number}.png" for number in range(MOST)]
    for number, path in enumerate(paths):
        Image.fromarray(np.full((20, 30), number, np.uint8)).save(path)
    pipe = subprocess.PIPE
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", NOTES, *map(str, share)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        for share in (paths[::2], paths[1::2])
    ]
    for program in programs:
        assert program.stdout and program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        _, said = program.communicate(timeout=120)
        assert (program.returncode, said) == (0, "")
    kept = recent_sources()
    assert {str(recent.recipe["left"]) for recent in kept} == set(map(str, paths))
    assert all(recent.thumbnail for recent in kept)
    assert user_settings.read(user_settings.last_session())["source"]["size"] == "64x48"
    assert sorted(path.name for path in settings_folder().iterdir()) == [
        *(".recent.lock", "recent", "recent.json", "seal.key", "settings.toml")
    ]


@pytest.mark.skipif(not HAS_LOCKS, reason="this system has no locks of files")
def test_a_lock_that_another_holds_is_waited_for_but_not_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as file:
        assert hold(file)
        with pytest.raises(TimeoutError, match="held it for 0"), locked(path, 0.1):
            pass
    with locked(path, 0.1):
        pass
