"""What a start shows: the command line first, then the last session, then the defaults."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli import start
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.lesson.options import LessonRequest
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.cli.view import with_defaults_if_broken
from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.lessons.reading import read_lesson
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.saved_choices import apply_choices, of_window
from wheatstone.viewer.settings.screenshot import write_screenshot

ABSENT = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
SCENE: dict[str, str | int] = {"scene": "garden", "seed": 3, "size": "64x48"}


def started(*words: str) -> tuple[ViewerState, Source]:
    state, source = open_view(parse(words))
    source.close()
    return state, source


def begun() -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    apply_choices(state, of_window())
    return state


def leave(pipeline: str = "sgm", source: dict[str, str | int] | None = None) -> ViewerState:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    state.step_param("p1", 13)
    if pipeline != "sgm":
        state.choose_pipeline(pipeline)
    state.colormap, state.frame, state.zoom = "viridis", 5, 2.5
    state.open_panels = {"parameters"}
    try:
        user_settings.save(state, SourceSpec.from_dict(source or SCENE))
    except ValueError:  # a damaged source
        user_settings.save(state)
        recipe = settings.document(state) | {"source": source}
        user_settings.last_session().write_text(settings.dumps(recipe))
    return state


def test_a_first_start_shows_the_defaults() -> None:
    state, source = started()
    assert state == begun()
    assert source.spec.scene == "orbit"


def test_a_window_says_more_than_a_picture_until_that_is_switched_off() -> None:
    state, _ = started("--fresh")
    assert state.look.pixel_values and state.look.outside
    state.look = replace(state.look, pixel_values=False)
    user_settings.save(state, SourceSpec.from_dict(SCENE))
    state, _ = started()
    assert (state.look.pixel_values, state.look.outside) == (False, True)
    state, _ = started("render", "sgm")
    assert not state.look.pixel_values and not state.look.outside


def test_a_picture_of_before_comes_back_as_it_was(tmp_path: Path) -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    recipe = settings.to_recipe(state, SourceSpec.from_dict(SCENE))
    assert "chosen" not in recipe
    write_screenshot(tmp_path / "before.png", np.zeros((4, 4, 3), np.uint8), recipe)
    for verb in ("view", "render"):
        shown, _ = started(verb, str(tmp_path / "before.png"))
        assert not shown.look.pixel_values and not shown.look.outside
    state.look = replace(state.look, pixel_values=True, outside=True)
    recipe = settings.to_recipe(state, SourceSpec.from_dict(SCENE))
    write_screenshot(tmp_path / "since.png", np.zeros((4, 4, 3), np.uint8), recipe)
    shown, _ = started("render", str(tmp_path / "since.png"))
    assert shown.look.pixel_values and shown.look.outside


def test_the_last_session_comes_back() -> None:
    left = leave()
    state, source = started()
    assert source.spec.to_dict() == SCENE
    assert (state.slot, state.colormap, state.frame, state.zoom) == (left.slot, "viridis", 5, 2.5)
    assert (state.open_panels, state.message) == ({"parameters"}, "")


@pytest.mark.parametrize(
    "words", [["view"], ["serve"], ["view", "sgm"], ["lesson", "sgm"], ["view", "--seed", "4"]]
)
def test_a_start_names_the_settings_that_it_continues_and_how_to_ignore_them(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def lines(*more: str) -> list[str]:
        request = parse([*words, *more])
        if isinstance(request, LessonRequest):
            request = request.view(read_lesson(request.name))
        open_view(request)[1].close()
        return capsys.readouterr().err.splitlines()

    assert not lines()
    leave()
    (line,) = lines()
    assert str(user_settings.last_session()) in line and "--fresh" in line
    assert not lines("--fresh")


def test_fresh_and_render_do_not_restore() -> None:
    leave()
    for words in (["--fresh"], ["render", "sgm"]):
        state, source = started(*words)
        assert state.slot == default_slot("sgm", ABSENT)
        assert source.spec.scene == "orbit"


def test_options_win_over_the_last_session() -> None:
    leave()
    state, source = started("--p1", "7", "--colormap", "grey")
    assert state.slot.params.values()["p1"] == 7
    assert (state.colormap, state.zoom, source.spec.seed) == ("grey", 2.5, 3)


@pytest.mark.parametrize("verb", ["view", "serve", "render"])
def test_bands_apply_to_both_slots_and_to_later_changes(verb: str) -> None:
    state, _ = started(verb, "--fresh", "--bands", "3", "--b-preset", "fast")
    assert state.b and state.slot.bands == state.b.bands == 3
    state.choose_pipeline("canny")
    assert state.slot.bands is None
    state.choose_pipeline("sgm")
    assert state.slot.bands == 3


def test_another_source_is_shown_whole_from_its_first_frame() -> None:
    left = leave()
    state, source = started("--seed", "4", "--scene-size", "64x48")
    assert (source.spec.scene, source.spec.seed) == ("orbit", 4)
    assert (state.slot, state.frame, state.zoom) == (left.slot, 0, 1.0)


def test_a_pipeline_named_is_shown_as_it_was_left() -> None:
    leave("canny")
    assert started()[0].slot.pipeline.name == "canny"
    for words in (["sgm"], ["--median"], ["view", "sgm", "--view", "pair"]):
        state, _ = started(*words)
        assert (state.slot.pipeline.name, state.slot.params.values()["p1"]) == ("sgm", 48)


@pytest.mark.parametrize(
    "text",
    [
        "view = [",
        'wheatstone = "0"\n[view]\npipeline = "warp"\n',
        f'wheatstone = "0"\nview = {9999 * "["}',
        f'wheatstone = "0"\n[{"view." * 9999}x]',
    ],
)
def test_damaged_settings_are_reported_and_ignored(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    leave()
    user_settings.last_session().write_text(text)
    state, _ = started()
    assert state.slot == default_slot("sgm", ABSENT)
    lines = capsys.readouterr().err.splitlines()
    assert "settings of the last session ignored" in lines[0]
    assert len(lines) == 1 or ("pipeline" in text and "--fresh" in lines[1])
    aside = user_settings.last_session().with_name("settings.toml.damaged")
    assert aside.read_text() == text and lines[0].endswith(f"kept as {aside}")


def test_a_source_that_is_gone_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    left = leave(source={"left": "/gone/left.png", "right": "/gone/right.png"})
    state, source = started("--p2", "99")
    assert (source.spec.scene, state.zoom) == ("orbit", 1.0)
    assert state.slot.params == left.slot.params.changed(p2=99)
    assert "ignored: /gone/left.png: no such file" in capsys.readouterr().err


def images(folder: Path, damaged: bool = False) -> dict[str, str | int]:
    """A source of two files, one of them perhaps no image."""
    pair = {name: str(folder / f"{name}.png") for name in ("left", "right")}
    for path in pair.values():
        cv2.imwrite(path, np.zeros((48, 192), np.uint8))
    if damaged:
        Path(pair["right"]).write_bytes(Path(pair["right"]).read_bytes()[:40])
    return {**pair}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"right": "/tmp"}, "two images or two folders"),
        ({"truth": "/gone/truth.pfm"}, "/gone/truth.pfm: no such file"),
        ({"calibration": "/gone/calib.txt"}, "/gone/calib.txt"),
        ({"left": 3}, "source.left must be text"),
        ({"truth_scale": "x"}, "truth_scale must be a number"),
        ({"scene": "moon"}, "scene must be one of orbit"),
        ({"size": "0x0"}, "size must be WxH"),
        ({"seed": "x"}, "source.seed must be an integer"),
    ],
)
def test_a_source_that_cannot_be_read_gives_way_to_the_scene(
    values: dict[str, str | int], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(source={**images(tmp_path), **values})
    state, source = started()
    assert (source.spec.scene, state.zoom, state.frame) == ("orbit", 1.0, 0)
    ignored, continued = capsys.readouterr().err.splitlines()
    assert reason in ignored and "of the last session ignored: " in ignored
    assert "--fresh" in continued


def test_a_left_picture_named_alone_brings_the_right_one_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = images(tmp_path)
    left, right = str(pair["left"]), str(pair["right"])
    assert started("sgm", left)[1].spec.right == right
    assert "right view: right.png, next to left.png" in capsys.readouterr().err
    assert started("sgm", left, "--layout", "pair")[1].spec.right == right
    assert not started("sgm", left, "--layout", "side-by-side")[1].spec.right
    assert not started("canny", left)[1].spec.right
    assert not started("canny", right)[1].spec.right


def test_damaged_images_of_the_last_session_give_way_to_the_scene(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(source=images(tmp_path, damaged=True))
    assert started()[1].spec.scene == "orbit"
    assert "source of the last session ignored: " in capsys.readouterr().err


def test_images_that_fit_no_more_give_way_to_the_scene(tmp_path: Path) -> None:
    leave(source={"left": images(tmp_path)["left"]})
    state, source = started()
    assert source.spec.scene == "orbit"
    assert state == begun()


def test_a_file_that_an_option_names_is_no_fault_of_the_last_session(tmp_path: Path) -> None:
    leave(source=images(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"/gone/truth\.pfm"):
        started("--truth", "/gone/truth.pfm")


def test_what_another_source_allows_is_kept(tmp_path: Path) -> None:
    leave("canny")
    assert started("sgm", "--scene-size", "64x48")[0].slot.params.values()["p1"] == 48
    cv2.imwrite(str(tmp_path / "photo.png"), np.zeros((48, 64), np.uint8))
    assert started(str(tmp_path / "photo.png"))[0].slot.pipeline.name == "canny"


@pytest.mark.parametrize("left_at", ["sgm", "ncc", "a wipe to sgm"])
def test_what_another_source_does_not_allow_is_reported_and_ignored(
    left_at: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ViewerState(default_slot("invert", ABSENT), ABSENT, colormap="viridis")
    if left_at in PIPELINES:
        state.choose_pipeline(left_at)
    else:
        state.b, state.linked = default_slot("sgm", ABSENT), False
        state.mix(mode="wipe")
    user_settings.save(state, SourceSpec.from_dict(SCENE))
    cv2.imwrite(str(tmp_path / "photo.png"), np.zeros((16, 16), np.uint8))  # no pair, and small
    state, _ = started(str(tmp_path / "photo.png"))
    assert state == begun()
    (line,) = capsys.readouterr().err.splitlines()
    assert "settings of the last session ignored" in line


def test_a_file_of_settings_is_restored_and_options_override_it(tmp_path: Path) -> None:
    left = leave()
    user_settings.last_session().rename(tmp_path / "mine.toml")
    for verb in ("view", "render"):
        state, source = started(verb, "--settings", str(tmp_path / "mine.toml"), "--p2", "99")
        assert state.slot.params == left.slot.params.changed(p2=99)
        assert source.spec.to_dict() == SCENE
    with pytest.raises(FileNotFoundError):
        started("--settings", str(tmp_path / "absent.toml"))
    (tmp_path / "mine.toml").write_text(settings.dumps({"x": 1}))
    with pytest.raises(ValueError, match="holds no settings"):
        started("--settings", str(tmp_path / "mine.toml"))


def test_the_users_presets_are_options_too() -> None:
    user_settings.save_preset(leave().slot, "mine")
    for words in (["--fresh"], ["render", "sgm"]):
        state, _ = started(*words, "--preset", "mine", "--b-preset", "mine", "--p2", "99")
        assert state.slot.params.values()["p1"] == state.slot_b.params.values()["p1"] == 48
        assert state.slot.variant == state.slot_b.variant  # the presets alone differ
    with pytest.raises(ValueError, match=r"no preset 'theirs'; it has .*, mine"):
        started("--preset", "theirs")


def test_an_option_overrides_a_preset() -> None:
    params = started("render", "sgm", "--preset", "driving", "--p2", "99")[0].slot.params.values()
    assert (params["cost"], params["paths"], params["p2"]) == ("census-symmetric", 4, 99)


def saved(folder: Path, source: dict[str, str | int], pipeline: str = "sgm") -> tuple[str, str]:
    leave(pipeline, source)
    return "--settings", str(user_settings.last_session().rename(folder / "mine.toml"))


def test_a_scene_named_wins_over_that_of_settings(tmp_path: Path) -> None:
    words = saved(tmp_path, images(tmp_path))
    assert started("render", "sgm", *words)[1].spec.left
    assert started("render", "sgm", *words, "--scene", "corridor")[1].spec.scene == "corridor"
    words = saved(tmp_path, SCENE)
    assert started("render", "sgm", *words, "--seed", "4")[1].spec.to_dict() == SCENE | {"seed": 4}


def test_truth_and_calibration_named_win_over_those_of_settings(tmp_path: Path) -> None:
    np.save(tmp_path / "truth.npy", np.ones((48, 192), np.float32))
    source = images(tmp_path) | {"truth": "/gone.pfm", "truth_scale": "8"}
    words = saved(tmp_path, source)
    truth = str(tmp_path / "truth.npy")
    recipe = started("render", "sgm", *words, "--truth", truth)[1].spec.to_dict()
    assert (recipe["truth"], "truth_scale" in recipe) == (truth, False)
    with pytest.raises(OSError, match=r"/gone\.txt"):
        started("render", "sgm", *words, "--truth", truth, "--calibration", "/gone.txt")


def test_a_pipeline_named_wins_over_that_of_settings(tmp_path: Path) -> None:
    words = saved(tmp_path, SCENE)
    state, source = started("render", "canny", *words, "--sigma", "2.0")
    assert state.slot.params == default_slot("canny", ABSENT).params.changed(sigma=2.0)
    assert (source.spec.to_dict(), state.zoom) == (SCENE, 2.5)
    assert started("render", *words)[0].slot.pipeline.name == "sgm"


def test_options_win_over_a_screenshot(tmp_path: Path) -> None:
    path = tmp_path / "shot.png"
    write_screenshot(
        path,
        np.zeros((3, 3, 3), np.uint8),
        settings.to_recipe(leave(), SourceSpec.from_dict(SCENE)),
    )
    state, source = started("render", "canny", str(path), "--scene", "corridor")
    assert state.slot.pipeline.name == "canny"
    assert source.spec.to_dict() == SCENE | {"scene": "corridor"}


@pytest.mark.parametrize(
    "words", [("--truth", "t.pfm"), ("--truth-scale", "8"), ("--calibration-right", "c.yml")]
)
def test_the_scene_takes_nothing_that_goes_with_images(words: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="needs"):
        started("render", "sgm", *words)


def test_settings_that_do_not_fit_are_named_with_file_and_key(tmp_path: Path) -> None:
    _, path = saved(tmp_path, SCENE)
    text = Path(path).read_text()
    for before, after, key in (
        ("zoom = 2.5", "zoom = nan", "view.zoom"),
        ("frame = 5", "frame = inf", "view.frame"),
        ('scene = "garden"', "left = 3", "source.left"),
        ('panels = [\n    "parameters",\n]', "panels = 3", "window.panels"),
    ):
        assert before in text
        Path(path).write_text(text.replace(before, after))
        with pytest.raises(ValueError, match=rf"mine\.toml: .*{key} must be"):
            started("render", "sgm", "--settings", path)


def test_a_point_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="--center must be finite numbers"):
        started("render", "sgm", "--center", "nan,1")


def test_a_paused_session_comes_back_paused_unless_another_source_is_shown() -> None:
    state = leave()
    state.paused = True
    user_settings.save(state, SourceSpec.from_dict(SCENE))
    assert started()[0].paused
    assert not started("--scene", "corridor")[0].paused


def test_settings_without_parameters_take_the_pipeline_s_defaults(tmp_path: Path) -> None:
    text = 'wheatstone = "0"\n[view]\npipeline = "mean"\nvariant = "cpu"\nview = "mean"\n'
    (tmp_path / "bare.toml").write_text(text)
    state, _ = started("--settings", str(tmp_path / "bare.toml"))
    assert state.slot.params == PIPELINES["mean"].params()


def test_a_frame_beyond_the_last_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    for frame, text in (("95", ""), ("100", "frame 100 is frame 4: orbit")):
        started("render", "invert", "--scene-size", "32x24", "--frame", frame, "--out", "x.png")
        assert text in (errors := capsys.readouterr().err) and bool(errors) == bool(text)


def test_of_a_last_session_what_fits_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    left = leave()
    path = user_settings.last_session()
    recipe = user_settings.read(path)
    recipe["view"]["center"] = [1e308, 0.5]
    recipe["params"]["p2"] = 10**6
    recipe["chosen"]["look"] |= {"near": 1e308, "theme": "light"}
    path.write_text(settings.dumps(recipe))
    state, source = started()
    assert (state.zoom, state.center, state.colormap) == (2.5, (0.5, 0.5), "viridis")
    assert state.slot.params == left.slot.params
    assert (state.look.near, state.look.theme) == (None, "light")
    assert source.spec.to_dict() == SCENE and state.open_panels == {"parameters"}
    errors = capsys.readouterr().err
    assert "ignored: view.center, params.p2, chosen.look.near (" in errors
    assert path.with_name("settings.toml.damaged").exists()


def test_a_crash_of_what_was_remembered_stops_no_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leave()
    shown: list[ViewerState] = []

    @with_defaults_if_broken
    def show(request: WindowRequest) -> int:
        state, source = open_view(request)
        source.close()
        shown.append(state)
        return 0

    def crashes(state: ViewerState, source: Source) -> str:
        raise OverflowError("too far away")

    monkeypatch.setattr(start, "_why_impossible", crashes)
    assert show(parse(["view"])) == 0
    assert shown == [begun()]
    assert user_settings.last_session().with_name("settings.toml.damaged").exists()
    assert "ignored: OverflowError: too far away" in capsys.readouterr().err
