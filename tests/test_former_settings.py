"""Settings and presets that version 0.1.0 wrote keep their own numbers."""

import re
from typing import Any

import pytest

from wheatstone.gpu.parameters import completed, controls, defaults
from wheatstone.gpu.pipelines.sgm import FORMER, SGM, SgmParams
from wheatstone.viewer.choices.declared import FORMER_NAMES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import likeness, presets_of
from wheatstone.viewer.choices.workspaces import PanelPlace
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.lesson_states import panel_of
from wheatstone.viewer.settings.saved_choices import set_choices

NEWER = {
    "search": "full",
    "search_sides": False,
    "gradient": False,
    "outside": -1,
    "guided_median": 0,
    "decimation": 1,
    "temporal_alpha": 1.0,
    "temporal_delta": 1.0,
    "persistence": "off",
}
VIEW = {"pipeline": "sgm", "variant": "cpu", "view": "disparity"}


def written(**changes: Any) -> dict[str, Any]:
    """The parameters as 0.1.0 wrote them: its defaults, but for some that were changed."""
    values = SgmParams(**FORMER["balanced of 0.1.0"]).values() | {"subpixel": True} | changes
    return {name: value for name, value in values.items() if name not in NEWER}


def test_old_parameters_say_nothing_of_newer_ones_and_mean_what_they_meant() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()))
    settings.restore(state, {"wheatstone": "0.1.0", "view": VIEW, "params": written(p1=17)})
    values = state.slot.params.values()
    assert {name: values[name] for name in NEWER} == NEWER
    assert (values["cost"], values["paths"], values["p1"]) == ("census-mean", 8, 17)
    assert values["subpixel"] == "parabola"


def test_what_newer_parameters_are_set_to_is_kept() -> None:
    values = SgmParams(outside=30).values()
    assert completed(SgmParams, values) == values
    assert SgmParams(**completed(SgmParams, written() | {"outside": 30})).values()["outside"] == 30


def test_some_parameters_alone_leave_the_others_at_their_defaults() -> None:
    assert SgmParams(**completed(SgmParams, {"p1": 17})) == SgmParams(p1=17)
    names = [name for name, control in controls(SgmParams).items() if control.before is not None]
    assert names == list(NEWER)
    assert all(controls(SgmParams)[n].allows(controls(SgmParams)[n].before) for n in names)


def test_presets_of_the_user_keep_their_numbers() -> None:
    path = user_settings.preset_path("sgm", "mine")
    path.parent.mkdir(parents=True)
    path.write_text(settings.dumps({"wheatstone": "0.1.0", "params": written(p1=17)}))
    text = user_settings.presets()["sgm"]["mine"]
    assert SgmParams(**text) == SgmParams(**FORMER["balanced of 0.1.0"]).changed(p1=17)


def test_presets_chosen_again_are_kept_for_settings_of_that_time() -> None:
    assert not user_settings.presets()
    path = user_settings.last_session()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings.dumps({"wheatstone": "0.1.0", "view": VIEW, "params": written()}))
    state = ViewerState(Run(SGM, "cpu", SgmParams(**FORMER["balanced of 0.1.0"])))
    user_settings.keep_former_presets()
    state.presets = user_settings.presets()
    assert set(FORMER) <= presets_of(state, SGM).keys()
    assert str(likeness(state, state.slot)) == "balanced of 0.1.0"
    user_settings.save(state, SourceSpec.from_dict({"scene": "orbit"}))
    assert set(FORMER) <= user_settings.presets()["sgm"].keys(), "they stay from then on"
    user_settings.delete_preset("sgm", "fast of 0.1.0")
    user_settings.keep_former_presets()
    assert set(FORMER) - user_settings.presets()["sgm"].keys() == {"fast of 0.1.0"}


@pytest.mark.parametrize("name", FORMER)
def test_a_former_preset_names_every_parameter_that_presets_name(name: str) -> None:
    declared = SGM.presets[re.sub(" of .*", "", name)]
    assert FORMER[name].keys() == declared.keys()
    of_range = {"search", "search_sides"}  # depend on the pair, as its range does
    assert set(NEWER) - of_range <= declared.keys() <= defaults(SgmParams).keys()


def test_the_former_names_of_panels_and_choices_mean_those_of_today(
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()))
    place = {"place": "left", "share": 2.0}
    arranged = {"Tune": {"panels": ["multiples"], "places": {"multiples": place}}}
    window = {"panels": ["multiples"], "workspace": "Tune", "arrangements": arranged}
    recipe = settings.document(state) | {"chosen": {"multiples": {"size": 7}}}
    settings.restore(state, recipe | {"window": window})
    assert state.open_panels == {"parameter_grid"} and state.parameter_grid.size == 7
    assert state.workspaces.places["parameter_grid"] == PanelPlace("left", 2.0)
    assert state.workspaces.kept["Tune"].panels == ("parameter_grid",)
    assert capsys.readouterr().err == ""  # a file is written again with the names of today
    set_choices(state, [("multiples", "size", 3)])
    assert "'multiples' is called 'parameter_grid'" in capsys.readouterr().err
    assert state.parameter_grid.size == 3 and panel_of("multiples") == "parameter_grid"
    assert not {*FORMER_NAMES} & ({panel.name for panel in PANELS} | {*vars(state)})
