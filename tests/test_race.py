"""Every variant in turn, without a window: the race, the sweep and what they give back."""

import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.toy import TOY
from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.gpu.analysis.measurement import summarize
from wheatstone.gpu.bands import prepare_in_bands
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.pipeline import Pipeline, Stage, Sweep, Variant
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.viewer.display.frames.worker import Worker
from wheatstone.viewer.panels.race.race_board import board, endings, extent
from wheatstone.viewer.panels.race.standings import Race, Standing, ranked
from wheatstone.viewer.panels.race.sweeping import Curve, SweepRace
from wheatstone.viewer.panels.race.timed_run import Contest, Limits, RunSeries

HEIGHT, WIDTH = 48, 64
ABSENT = {"cuda": "no GPU here"}
FEW = Limits(frames=4, seconds=5.0)
WRONG = Variant(
    "wrong",
    "cpu",
    "tests.toy",
    "One score is wrong.",
    fused=(Stage("lie", ("left", "searched"), ("scores",), ("template",), covers=("scores",)),),
)
LYING = replace(
    TOY,
    variants=(
        Variant("reference", "cpu", "tests.toy", "Plain."),
        WRONG,
        *TOY.variants,
        replace(TOY.variant("cpu"), name="peer", peer=True),
    ),
    sweep=Sweep("threshold", "threshold", "grey level", (10, 90, 300)),
)


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


def contest(pipeline: Pipeline, **params: Any) -> Contest:
    generator = np.random.default_rng(4)
    noise = generator.integers(1, 256, (2, HEIGHT, WIDTH), np.uint8)
    views = {"left": noise[0], "right": noise[1]}
    return Contest(pipeline, pipeline.params(**params), views)


def finish(series: RunSeries) -> list[float]:
    """Step until the end, as a display would; the progress on the way."""
    progress, ends = [0.0], time.perf_counter() + 60
    while not series.done and time.perf_counter() < ends:
        series.step(8.0)
        progress.append(series.progress)
        time.sleep(0.001)
    assert series.done
    return progress


def test_a_race_times_every_variant_and_compares_it(worker: Worker) -> None:
    race = Race(contest(LYING), worker, ABSENT, FEW)
    progress = finish(race)
    by_name = {one.variant.name: one for one in race.standings}
    assert {name: one.identity for name, one in by_name.items()} == {
        "reference": "reference",
        "wrong": "different",
        "cpu": "identical",
        "narrow": "identical",
        "fused": "identical",
        "cuda": "unknown",
        "peer": "peer",
    }
    assert [d.first for d in by_name["wrong"].differences] == [(5, 2)]
    assert (by_name["cuda"].phase, by_name["cuda"].why, by_name["cuda"].times) == (
        "out",
        ABSENT["cuda"],
        None,
    )
    assert {one.times.frames for one in by_name.values() if one.times} == {4}
    assert by_name["reference"].speed_up == 1 and by_name["wrong"].speed_up is None
    assert progress == sorted(progress) and progress[-1] == 1


def test_a_race_counts_the_variants_that_can_run_and_names_the_one_that_does(
    worker: Worker,
) -> None:
    race = Race(contest(LYING), worker, ABSENT, FEW)
    able = [one for one in LYING.variants if not one.on_gpu]
    race.step(8.0)
    assert race.step_words.startswith(f"reference, 1 of {len(able)}, ")
    finish(race)
    assert race.step_words == "" and race.seconds > 0


def test_who_refuses_the_parameters_says_why(worker: Worker) -> None:
    race = Race(contest(LYING, template=(0, 0, 21, 9)), worker, ABSENT, FEW)
    finish(race)
    (narrow,) = (one for one in race.standings if one.variant.name == "narrow")
    assert narrow.phase == "out" and "20 are the most" in narrow.why
    assert [one.identity for one in race.standings if one.variant.name == "fused"] == ["identical"]


def test_a_view_that_is_missing_is_reported_by_every_variant(worker: Worker) -> None:
    one = contest(LYING, search="right")
    race = Race(replace(one, views={"left": one.views["left"]}), worker, ABSENT, FEW)
    finish(race)
    assert all("right" in s.why for s in race.standings if not s.variant.on_gpu)


def test_what_the_cpu_computes_never_runs_on_the_display(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def noted(*asked: Any) -> Execution:
        threads.append(threading.current_thread())
        return prepare_in_bands(*asked)

    monkeypatch.setattr("wheatstone.viewer.run.engine.prepare_in_bands", noted)
    finish(Race(contest(MEAN), worker, ABSENT, FEW))
    assert len(threads) == 2 and threading.current_thread() not in threads


def test_a_race_holds_one_execution_at_a_time_and_none_at_its_end(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays: list[weakref.ref[Any]] = []

    def noted(*asked: Any) -> Execution:
        assert not any(array() is not None for array in arrays)
        execution = prepare_in_bands(*asked)
        arrays.extend(map(weakref.ref, execution.images.values()))
        return execution

    monkeypatch.setattr("wheatstone.viewer.run.engine.prepare_in_bands", noted)
    race = Race(contest(LYING), worker, ABSENT, FEW)
    finish(race)
    assert arrays and not any(array() is not None for array in arrays)
    assert not any("AssertionError" in one.why for one in race.standings)


def test_a_race_that_is_stopped_keeps_what_it_knows(worker: Worker) -> None:
    race = Race(contest(LYING), worker, ABSENT, Limits(10**9, 3600.0))
    ends = time.perf_counter() + 60
    while not race.standings[0].times and time.perf_counter() < ends:
        race.step(8.0)
        time.sleep(0.001)
    race.cancel()
    first, *others = race.standings
    assert race.done and race.current is None
    assert (first.phase, first.why) == ("done", "the race was stopped") and first.times
    assert all((s.phase, s.times) == ("out", None) for s in others)
    after = worker.submit("next", lambda task: 1)
    assert after.result(10) == 1  # nothing of the race holds the worker up


def test_a_sweep_makes_a_curve_of_every_variant(worker: Worker) -> None:
    sweep = SweepRace(contest(MEAN), worker, ABSENT, Limits(2, 1.0))
    progress = finish(sweep)
    curves = {curve.variant.name: curve for curve in sweep.curves}
    assert curves["reference"].places == curves["cpu"].places == (1, 2, 3, 4, 5, 6, 7)
    assert min(curves["reference"].milliseconds) > 0
    assert (curves["shared"].places, curves["shared"].why) == ((), ABSENT["cuda"])
    assert progress == sorted(progress)


def test_places_that_are_refused_end_a_curve_with_a_reason(worker: Worker) -> None:
    sweep = SweepRace(contest(LYING), worker, ABSENT, Limits(1, 1.0))
    finish(sweep)
    curve = sweep.curves[0]
    assert curve.places == (10, 90)
    assert "threshold must be in [0, 255] (got 300)" in curve.why


def test_a_slow_variant_is_spared_the_places_beyond(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.panels.race.sweeping.SLOWEST", 0.0)
    sweep = SweepRace(contest(MEAN), worker, ABSENT, Limits(1, 1.0))
    finish(sweep)
    assert sweep.curves[0].places == (1,)
    assert sweep.curves[0].why.endswith("s there")


def test_a_pipeline_without_a_sweep_says_so(worker: Worker) -> None:
    with pytest.raises(ValueError, match="toy declares nothing to sweep over"):
        SweepRace(contest(TOY), worker, ABSENT)


def standing(name: str, milliseconds: float, identity: Any = "identical") -> Standing:
    variant = replace(WRONG, name=name)
    result = () if identity != "different" else (Difference("scores", 3, 40, (1, 2), 0.5),)
    return Standing(variant, "done", "", summarize([milliseconds] * 3), identity, result, 2.0)


def test_wrong_results_and_peers_have_no_place() -> None:
    field = [
        standing("slow", 8.0, "reference"),
        standing("wrong", 1.0, "different"),
        standing("peer", 2.0, "peer"),
        standing("quick", 4.0),
        Standing(WRONG, "out", "no GPU"),
    ]
    order = [(place, one.times.median if one.times else None) for place, one in ranked(field)]
    assert order == [(None, 1.0), (None, 2.0), (1, 4.0), (2, 8.0), (None, None)]
    rows = board(field)
    assert [row.leads for row in rows] == [False, False, True, False, False]
    assert [row.place for row in rows] == ["", "", "1", "2", ""]
    assert rows[0].wrong and "3 of 40 differ" in rows[0].details
    assert rows[1].details == "CPU, 3 frames, p95 2.000 ms, peer: not comparable"
    # Bars run from half the fastest time: 0.5, 1, 2, 4, 8 ms are equally far apart.
    assert [round(row.share, 3) for row in rows[:4]] == [0.25, 0.5, 0.75, 1.0]


def test_variants_that_cannot_run_for_one_reason_share_a_line() -> None:
    out = [Standing(replace(WRONG, name=n), "out", "no GPU") for n in ("shared", "texture")]
    (row,) = board([*out])
    assert (row.name, row.details, row.time) == ("shared, texture", "no GPU", "")


def test_the_axes_hold_all_places_and_whole_decades() -> None:
    curves = [Curve(WRONG, (16, 32), (0.3, 1.2)), Curve(WRONG, (16,), (45.0,))]
    bounds = extent(curves, (16, 32, 256))
    assert (bounds.bottom, bounds.top, bounds.logarithmic) == (0.1, 100.0, True)
    assert bounds.left < 16 and bounds.right > 256
    assert not extent(curves, tuple(MeanParams(radius=r).radius for r in range(1, 8))).logarithmic
    assert extent([], (1, 2)).top > extent([], (1, 2)).bottom


def test_curves_that_end_for_one_reason_share_a_line() -> None:
    shared, texture = (replace(WRONG, name=name) for name in ("shared", "texture"))
    curves = [Curve(shared, (), (), "no GPU"), Curve(texture, (), (), "no GPU")]
    curves.append(Curve(WRONG, (1, 2), (3.0, 4.0), "a frame takes 1.2 s there"))
    assert endings(curves) == (
        "shared, texture not timed: no GPU",
        "wrong up to 2: a frame takes 1.2 s there",
    )


@pytest.mark.cuda
def test_a_gpus_variants_race_on_the_display_and_agree(worker: Worker) -> None:
    race = Race(contest(MEAN, radius=3), worker, {}, FEW)
    finish(race)
    assert {one.identity for one in race.standings} == {"reference", "identical"}
    assert all(one.times and one.times.median > 0 for one in race.standings)
