"""The random comparison of variants: what it draws, that it finds a planted lie, what it says."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import parity
from benchmarks.runner import run
from tests.toy import TOY, ToyParams
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.run.parity.cases import VIEWS, Case, case_of
from wheatstone.viewer.run.parity.checking import outcomes_of

LIE = Stage("lie", ("left", "searched"), ("scores",), ("template",), covers=("scores",))
WRONG = Stage("absent", ("left", "searched"), ("scores",), ("template",), covers=("scores",))


def toy(**changed: Any) -> Pipeline:
    plain, narrow = TOY.variant("cpu"), TOY.variant("narrow")
    others = (replace(plain, name="other", **changed), narrow)
    return replace(TOY, variants=(replace(plain, name="reference"), *others))


def toy_case(pipeline: Pipeline, height: int = 24, **params: Any) -> Case:
    return Case(7, 0, pipeline, ToyParams(**params), height, 31, "noise", again=True)


def outcomes(case: Case) -> dict[str, str]:
    return {each.variant: each.outcome for each in outcomes_of(case)}


def test_an_outcome_of_a_derived_pipeline_can_be_sent_to_another_process() -> None:
    numbers = (
        n for n in range(100) if "rectif" in case_of(n, 0, ("mean",)).pipeline.stages[0].name
    )
    (outcome, *_) = outcomes_of(case_of(next(numbers), 0, ("mean",)))
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_a_variant_that_tells_the_truth_is_found_the_same() -> None:
    result = outcomes_of(toy_case(toy()))
    assert [(each.variant, each.outcome) for each in result] == [
        ("other", "same"),
        ("narrow", "same"),
    ]
    kept_by_both = 24 * 31 * 4 + 6 * 4  # searched, edges, labels, scores; boxes
    assert result[0].elements == kept_by_both + 24 * 31, "negated stands for left"


def test_a_planted_lie_is_found_and_named() -> None:
    lying, honest = outcomes_of(toy_case(toy(fused=(LIE,))))
    assert (lying.outcome, lying.differing, honest.outcome) == ("differs", 1, "same")
    assert lying.note == "scores: 1 of 744 differ, first at (5, 2), largest by 0.25"
    assert str(lying).startswith("case 7: toy 31x24 noise, threshold 128, negative False")


def test_what_a_declaration_refuses_counts_as_refused_with_its_reason() -> None:
    wide = toy_case(toy(), template=(0, 0, 25, 5))
    assert outcomes(wide) == {"other": "same", "narrow": "refused"}
    outside = toy_case(toy(), height=5)
    assert outcomes(outside) == {"other": "refused", "narrow": "refused"}
    assert outcomes_of(outside)[0].note == "the template leaves the image of 31x5"


def test_a_variant_that_falls_over_has_failed() -> None:
    failed, _ = outcomes_of(toy_case(toy(fused=(WRONG,))))
    assert failed.outcome == "failed" and failed.note.startswith("ModuleNotFoundError: ")


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_cases_are_the_same_again_and_reach_the_bounds(pipeline: str) -> None:
    drawn = [case_of(number, 5, [pipeline]) for number in range(400)]
    assert [str(case_of(case.number, 5, [pipeline])) for case in drawn] == list(map(str, drawn))
    assert {case.kind for case in drawn} == set(VIEWS)
    assert min(case.height * case.width for case in drawn) <= 9
    assert max(case.height * case.width for case in drawn) > 200 * 200
    for name, control in controls(PIPELINES[pipeline].params).items():
        values = {case.params.values()[name] for case in drawn}
        if control.kind == "choice":
            assert values == set(control.choices)
        elif control.kind != "region":
            assert control.low in values and (control.high in values or name == "disparities")


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("size", [(1, 1), (1, 9), (200, 640), (480, 33)])
def test_every_kind_of_images_comes_in_every_size(kind: str, size: tuple[int, int]) -> None:
    views = VIEWS[kind](np.random.default_rng(2), *size)
    assert all(view.shape == size and view.dtype == np.uint8 for view in views)


def test_a_run_without_findings_ends_with_0_and_keeps_its_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--cases", "30", "--seed", "1"]
    assert run(["parity", *words, "--processes", "1", "--json", str(tmp_path / "found.json")]) == 0
    record = json.loads((tmp_path / "found.json").read_text())
    assert record["cases"] == 30 and record["elements"] > 10000 and record["differing"] == 0
    assert parity.passed(record) and "| canny | cpu |" in capsys.readouterr().out


def test_a_finding_ends_with_1_and_is_computed_again_by_its_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lying = toy(fused=(LIE,))
    monkeypatch.setitem(PIPELINES, "toy", lying)
    words = ["--only", "toy", "--processes", "1", "--seed", "3"]
    assert run(["parity", *words, "--cases", "40"]) == 1
    output = capsys.readouterr().out
    first = next(line for line in output.splitlines() if line.startswith("case "))
    number = first.split(":")[0].removeprefix("case ")
    assert run(["parity", *words, "--case", number]) == 1
    assert first in capsys.readouterr().out
