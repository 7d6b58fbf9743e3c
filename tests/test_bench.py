"""``wheatstone bench``: what it measures, what it writes, and its exit codes."""

import csv
import io
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest

from tests.programs import environment
from tests.toy import TOY
from wheatstone.gpu.analysis.cold_start import ColdStart
from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.gpu.analysis.measurement import Measurement, summarize
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipeline import Stage, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ncc import NCC
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.bench.verb import exit_code
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.run.measuring.result_files import to_csv
from wheatstone.viewer.run.measuring.results import (
    Results,
    RowJournal,
    check_matched,
    judge,
    read_baseline,
    verdict,
)
from wheatstone.viewer.run.measuring.row_types import BaselineDict, Identity, RowDict
from wheatstone.viewer.run.measuring.rows import MeasuredRow, from_json, to_json
from wheatstone.viewer.run.measuring.sweep import Configuration, configurations
from wheatstone.viewer.run.measuring.tables import number, tables, to_markdown
from wheatstone.viewer.run.measuring.terminal import print_tables

ROOT = Path(__file__).resolve().parent.parent
LEAN = ["--size", "64x48", "--repeat", "3", "--seconds", "1"]
ONE = Configuration(
    SGM, SGM.params(), 480, 640, ("--scene", "orbit"), "sgm 640x480", SGM.variants[:2]
)


def row(name: str, *samples: float, identity: Identity = "identical", **more: Any) -> MeasuredRow:
    """A row of hand-made times; without any it was not measured."""
    times = summarize(samples) if samples else None
    stages = {"path_sum": times} if times else {}
    measurement = Measurement(times, times, stages, {"path_sum": 10**9}) if times else None
    return MeasuredRow(ONE, SGM.variant(name), identity, measurement=measurement, **more)


def results(*rows: MeasuredRow) -> Results:
    return Results("wheatstone bench sgm", list(rows), {"cpu": 20.0})


ROWS = (
    row("reference", 80.0, 80.0, 80.0, identity="reference", copy=20.0),
    row("cpu", 10.0, 10.0, 10.0, copy=20.0, memory=12_500_000, cold=ColdStart(5000.0, 300.0)),
    row("opencv-sgbm", 20.0, 20.0, 20.0, identity="peer", copy=20.0),
    row("fast", why="no GPU", identity="unknown"),
)


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run ``bench`` in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        try:
            code = main(["bench", *words])
        except SystemExit as exit:  # argparse
            code = int(exit.code or 0)
        return code, *capsys.readouterr()

    return command


def test_every_pipeline_is_compared_and_measured(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    words = ["--disparities", "16", "--json", "b.json", "--csv", "b.csv", "--markdown", "b.md"]
    code, out, err = run(*LEAN, *words)
    assert code == 0, err
    assert "DIFFERENT" not in out
    document = json.loads((tmp_path / "b.json").read_text())
    measured = [(r["pipeline"], r["variant"]) for r in document["rows"] if "device_ms" in r]
    assert set(measured) >= {
        (p.name, v.name) for p in PIPELINES.values() for v in p.variants if not v.on_gpu
    }
    assert {r["identity"] for r in document["rows"] if r["variant"] == "cpu"} == {"identical"}
    assert "peer, not" in out
    assert err.count("wheatstone: [") == len(measured)
    assert (tmp_path / "b.csv").read_text().count("\n") == 1 + len(measured)
    assert "## invert 64x48" in (tmp_path / "b.md").read_text()
    assert run(*LEAN, "--disparities", "16", "--baseline", "b.json")[0] in (0, 1)


def test_values_are_combined_each_with_each() -> None:
    words = ["bench", "sgm", "canny", "--disparities", "16", "32", "--sigma", "1", "2"]
    options = parse([*words, "--median", "--no-median", "--variants", "cpu"])
    listed = configurations(options, [(64, 48), (32, 24)], ("--scene", "orbit"))
    assert len(listed) == 2 * (2 * 2 + 2)
    assert listed[0].title == "sgm 64x48, disparities 16, median on"
    assert [v.name for v in listed[0].variants] == ["reference", "cpu"]


def test_a_sweep_takes_every_place_that_the_pipeline_declares() -> None:
    options = parse(["bench", "mean", "sgm", "invert", "--sweep", "--disparities", "32"])
    listed = configurations(options, [(64, 48)], ("--scene", "orbit"))
    radii = [getattr(one.params, "radius", None) for one in listed]
    assert radii == [1, 2, 3, 4, 5, 6, 7, None, None]  # the disparities stay as they are given
    assert listed[6].title == "mean 64x48, radius 7"


def test_the_same_configuration_is_measured_once() -> None:
    options = parse(["bench", "sgm", "--preset", "balanced", "--paths", "8", "8"])
    assert len(configurations(options, [(64, 48), (64, 48)], ("--scene", "orbit"))) == 1


def test_a_variant_limits_the_pipelines_to_those_that_have_it() -> None:
    options = parse(["bench", "--variants", "constant"])
    listed = configurations(options, [(64, 48)], ("--scene", "orbit"))
    assert [one.pipeline.name for one in listed] == ["ncc"]


def test_the_command_of_a_row_measures_that_row_again() -> None:
    params = NCC.params().changed(template=(1, 2, 3, 4), convention="book")
    one = replace(ONE, pipeline=NCC, params=params, title="")
    command = one.command("cpu", 7, 0.5)
    assert command.startswith("wheatstone bench ncc --scene orbit --size 640x480 ")
    options = parse(command.split()[1:])
    (again,) = configurations(options, options.size, one.source)
    assert (again.params, options.variants, options.repeat) == (params, ("cpu",), 7)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sgm", "--disparities", "16", "40"], "disparities must be in [16, 2048]"),
        (["mean", "--convention", "blog", "--radius", "1", "2"], "radius must be 1"),
        (["ncc", "--size", "20x20"], "leaves the image of 20x20"),
        (["sgm", "--variants", "warp"], "warp"),
        (["invert", "--repeat", "0"], "in [1, "),
        (["invert", "--json", "no/such.json"], "folder no does not exist"),
        (["invert", "--json", "a", "--csv", "a"], "different files"),
        (["invert", "--baseline", "absent.json"], "absent.json"),
        (["invert", "--radius", "2"], "--radius"),
        (["absent.png"], "absent.png"),
    ],
)
def test_bad_arguments_are_refused_before_measuring(
    words: list[str], says: str, run: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert says in err and "[1/" not in err


def test_images_are_measured_at_their_size(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.random.default_rng(1).integers(0, 256, (33, 61)))
    code, out, _ = run("mean", "invert", "a.png", "--repeat", "2")
    assert code == 0 and "mean 61x33" in out and "invert 61x33" in out
    code, _, err = run("sgm", "a.png", "--repeat", "2")
    assert code == 2 and "sgm needs a right image" in err


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    covered = tuple(stage.name for stage in TOY.stages)
    wrong = Stage("lie", ("left", "searched"), ("scores",), ("template",), covers=covered)
    variants = (
        Variant("reference", "cpu", "tests.toy", "Right."),
        Variant("liar", "cpu", "tests.toy", "Wrong.", fused=(wrong,)),
    )
    monkeypatch.setitem(PIPELINES, "toy", replace(TOY, variants=variants))


@pytest.mark.usefixtures("toy")
def test_a_variant_that_lies_is_detected(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("toy", *LEAN)
    assert code == 1
    assert "liar is WRONG. scores: 1 of 3072 differ, first at (5, 2), largest by 0.25" in out


@pytest.mark.usefixtures("toy")
def test_an_interrupted_run_prints_what_it_has_and_goes_on_from_there(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("tests.toy.lie.lie", interrupt)
        code, out, err = run("toy", *LEAN, "--json", "b.json")
        assert code == 130
        assert "reference" in out and "continues from b.json.part" in err
        assert [path.name for path in tmp_path.iterdir()] == ["b.json.part"]
        assert "no file is written\n" in run("toy", *LEAN)[2]
    before = json.loads((tmp_path / "b.json.part").read_text().splitlines()[0])["outcome"]
    code, out, err = run("toy", *LEAN, "--json", "b.json")
    assert code == 1 and "liar is WRONG" in out
    assert "1 rows were measured before the interruption" in err
    rows = json.loads((tmp_path / "b.json").read_text())["rows"]
    assert rows[0] == before
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_a_killed_run_resumes(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    words = ["invert", "mean", "--variants", "cpu", *LEAN[:2], "--repeat", "99999"]
    words += ["--seconds", "0.5", "--json", "b.json"]
    part = tmp_path / "b.json.part"
    command = [sys.executable, "-m", "wheatstone", "bench", *words]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL) as killed:
        while not (part.is_file() and part.read_bytes().endswith(b"\n")):
            assert killed.poll() is None
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
    assert [path.name for path in tmp_path.iterdir()] == [part.name]
    first = json.loads(part.read_text().splitlines()[0])["outcome"]
    code, _, err = run(*words)
    assert code == 0 and "[1/4] invert 64x48: reference: reference" in err
    assert json.loads((tmp_path / "b.json").read_text())["rows"][0] == first
    assert not part.exists()


def test_what_was_measured_for_another_setting_is_not_taken(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    measured = row("cpu", 1.0, 2.0, 3.0, copy=20.0, command="wheatstone bench sgm")
    RowJournal(tmp_path / "b.json.part", ["here"]).add(measured)
    again = RowJournal(tmp_path / "b.json.part", ["here"])
    assert again.find(ONE, SGM.variant("cpu"), "wheatstone bench sgm") == measured
    assert again.find(ONE, SGM.variant("cpu"), "wheatstone bench sgm --p1 7") is None
    there = RowJournal(tmp_path / "b.json.part", ["there"])
    assert there.find(ONE, SGM.variant("cpu"), "wheatstone bench sgm") is None
    assert run("invert", *LEAN, "--json", "b.json", "--restart")[0] == 0
    assert not (tmp_path / "b.json.part").exists()


def test_the_size_of_a_template_is_swept(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    words = ["--template", "1,1,5,5", "1,1,9,9", "--variants", "cpu", "--csv", "b.csv"]
    assert run("ncc", *LEAN, *words)[0] == 0
    rows = csv.DictReader((tmp_path / "b.csv").read_text().splitlines())
    assert [each["template"] for each in rows] == ["1,1,5,5"] * 2 + ["1,1,9,9"] * 2


@pytest.mark.skipif(not why_unavailable("cuda"), reason="this machine has a GPU")
def test_a_variant_named_that_cannot_run_is_reported(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    code, out, _ = run("invert", "--variants", "global", *LEAN)
    assert code == 3
    assert "Not measured: global: " in out


def test_exit_codes() -> None:
    wrong = row("cpu", 1.0, identity="different")
    assert exit_code(ROWS, [], []) == 0
    assert exit_code(ROWS, ["fast"], []) == 3
    assert exit_code([row("cpu", 1.0, identity="unknown")], [], []) == 3
    assert exit_code([*ROWS, wrong], ["fast"], []) == 1


def test_tables_say_what_was_found() -> None:
    table = tables(results(*ROWS))[0]
    cells = {line[0]: dict(zip(table.header, line, strict=True)) for line in table.rows}
    assert cells["cpu"]["ms"] == "10.00" and cells["cpu"]["speed-up"] == "8.000"
    assert cells["cpu"]["vs opencv-sgbm"] == "2.000"
    assert cells["cpu"]["Mpx·d/s"] == "1966"
    assert (cells["cpu"]["GB/s"], cells["cpu"]["of copy"]) == ("100.0", "500%")
    assert cells["opencv-sgbm"]["result"] == "peer, not comparable"
    assert cells["opencv-sgbm"]["GB/s"] == cells["opencv-sgbm"]["MB"] == ""
    assert cells["cpu"]["MB"] == "12.50"
    assert "Not measured: fast: no GPU" in table.notes
    titles = [table.title for table in tables(results(*ROWS))]
    assert titles == ["sgm 640x480", "sgm 640x480: stages", "sgm 640x480: cold start", "machine"]


def test_short_frames_are_marked_among_their_like() -> None:
    result = row("cpu", 0.01, 0.01, 0.01)
    assert result.measurement
    short = replace(result, measurement=replace(result.measurement, chained=0.007, nothing=0.0027))
    table = tables(results(short, row("reference", 1.0, identity="reference")))[0]
    assert table.header[2:5] == ("ms", "chained", "p5")
    assert [line[3] for line in table.rows] == ["0.0070", ""]
    assert any("takes 0.0027 ms" in note for note in table.notes)
    text = cast(RowDict, to_json(short))
    assert from_json(text, short.configuration, short.variant).measurement == short.measurement


def test_a_wrong_result_is_alarming_and_has_no_speed_up() -> None:
    difference = Difference("disparity", 3, 100, (1, 2), 16.0)
    wrong = row("cpu", 10.0, identity="different", differences=(difference,))
    table = tables(results(ROWS[0], wrong))[0]
    assert table.alarming == {1}
    assert "DIFFERENT" in table.rows[1] and "8.000" not in table.rows[1]
    assert table.notes[0].startswith("cpu is WRONG. disparity: 3 of 100 differ")


def test_noisy_times_are_marked() -> None:
    table = tables(results(row("cpu", 1.0, 1.0, 1.0, 2.0)))[0]
    assert table.rows[0][2] == "~1.000"


def test_a_piped_table_fits_100_columns(capsys: pytest.CaptureFixture[str]) -> None:
    every = [row(v.name, 1234.0, 1234.0, 1234.0, copy=20.0) for v in SGM.variants]
    print_tables(tables(results(*every)))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert all(v.name in out for v in SGM.variants) and "1234" in out


def test_the_command_of_a_program_breaks_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    name = "cmd:python3 match.py {left} {right} {out} --disparities 64 --smooth"
    one = row("cpu", 1234.0, 1234.0, 1234.0, copy=20.0, memory=60_410_000)
    print_tables(tables(results(ROWS[0], replace(one, variant=replace(one.variant, name=name)))))
    out = capsys.readouterr().out
    assert "60.41" in out and "1234" in out and "--smooth" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (0.00213, "0.0021"), (2.1674, "2.167"), (91.35, "91.35"), (3849.6, "3850")],
)
def test_numbers_are_short(value: float | None, text: str) -> None:
    assert number(value) == text


def test_markdown_and_csv_hold_the_same_rows() -> None:
    text = to_markdown(tables(results(*ROWS))[0])
    assert text.startswith("## sgm 640x480\n\n| variant | result | ms |")
    lines = list(csv.DictReader(io.StringIO(to_csv(ROWS))))
    assert [(line["variant"], line["stage"]) for line in lines[:2]] == [
        ("reference", ""),
        ("reference", "path_sum"),
    ]
    cpu = next(line for line in lines if line["variant"] == "cpu")
    assert (cpu["median_ms"], cpu["speed_up"], cpu["disparities"]) == ("10.0", "8.0", "64")
    assert cpu["first_uncached_ms"] == "5000.0"


def document(*rows: MeasuredRow) -> BaselineDict:
    return cast(BaselineDict, json.loads(json.dumps(results(*rows).to_json())))


@pytest.mark.parametrize(
    ("now", "outcome"), [(10.4, "same"), (10.6, "slower"), (9.6, "same"), (9.4, "faster")]
)
def test_five_percent_count_as_noise(now: float, outcome: str) -> None:
    assert verdict(10.0, now, 0.05) == outcome


def test_a_regression_is_found_and_ends_in_exit_code_1() -> None:
    verdicts = judge(document(row("cpu", 10.0, 10.0, 10.0)), [row("cpu", 12.0, 12.0, 12.0)])
    assert [v.outcome for v in verdicts] == ["slower"]
    assert exit_code(ROWS, [], verdicts) == 1


def test_what_the_spread_explains_is_no_regression() -> None:
    (result,) = judge(document(row("cpu", 8.0, 10.0, 12.0)), [row("cpu", 12.0, 12.0, 12.0)])
    assert result.outcome == "same" and result.bound == pytest.approx(0.36)


def test_two_frames_are_not_judged() -> None:
    (result,) = judge(document(row("cpu", 1.0)), [row("cpu", 9.0)])
    assert result.outcome == "too few frames" and not result.failed


def test_a_row_of_other_parameters_is_another_row() -> None:
    changed = replace(ONE, params=SGM.params().changed(disparities=128))
    verdicts = judge(document(ROWS[1]), [replace(ROWS[1], configuration=changed)])
    assert verdicts[0].outcome == "not in the baseline"
    with pytest.raises(ValueError, match="no row of a configuration measured now"):
        check_matched(verdicts)


def test_the_table_against_a_baseline_names_what_is_missing() -> None:
    before, now = document(*ROWS[:2]), [ROWS[0]]
    table = tables(results(*now), before, judge(before, now))[-1]
    assert table.rows[0][:2] == ("sgm 640x480", "reference")
    assert "Rows of the baseline that were not measured now: 1 of sgm 640x480." in table.notes


@pytest.mark.parametrize("text", ["", "[]", '{"rows": []}', '{"schema": "x", "schema_version": 1}'])
def test_another_file_is_no_baseline(text: str, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(ValueError, match=r"b\.json"):
        read_baseline(tmp_path / "b.json")
