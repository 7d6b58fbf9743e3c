"""``wheatstone report``: what it measures, what it derives, and that its pages say the same."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from tests.fuzz.small_report import small_report
from wheatstone.gpu.analysis.measurement import Measurement, Times
from wheatstone.gpu.bands import SHARE
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.bench.options import BenchRequest
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.report.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    ChartMark,
    sweep_chart,
)
from wheatstone.viewer.cli.report.derived import (
    PUBLISHED,
    STEPS,
    canny,
    derive,
    moved_stages,
    moving,
    summary,
    transfer_name,
)
from wheatstone.viewer.cli.report.document import NAME
from wheatstone.viewer.cli.report.document import read as read_typed
from wheatstone.viewer.cli.report.forecast import ANY_STEP, Forecast, PlannedRow, memory_words
from wheatstone.viewer.cli.report.measuring import transfers
from wheatstone.viewer.cli.report.plan import report_plan, views
from wheatstone.viewer.cli.report.svg import SVG
from wheatstone.viewer.parser import parse_request
from wheatstone.viewer.run.measuring.inputs import GreyPictures
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.results import RowStore
from wheatstone.viewer.run.measuring.rows import MeasuredRow
from wheatstone.viewer.run.measuring.sweep import Configuration, configurations
from wheatstone.viewer.run.measuring.variants import BenchmarkRunner, memory_of

ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., tuple[int, str]]


def read(path: Path) -> dict[str, Any]:
    return cast(dict[str, Any], read_typed(path))


def times(median: float) -> dict[str, Any]:
    """Hand-made times."""
    return {"median": median, "p5": median, "p95": median, "frames": 3, "spread": 0.0}


def row(variant: str, device: str, stages: dict[str, float], **more: Any) -> dict[str, Any]:
    """A hand-made row of sgm at 32 disparities."""
    return {
        "title": "sgm",
        "pipeline": "sgm",
        "variant": variant,
        "device": device,
        "identity": "identical",
        "params": {"disparities": 32},
        "command": f"measure {variant}",
        "device_ms": times(sum(stages.values())),
        "stages_ms": {name: times(value) for name, value in stages.items()},
        "width": 200,
        "height": 200,
        **more,
    }


STAGES = ("matching_cost", "path_aggregation", "path_sum", "winner_takes_all")
HOST = row("reference", "cpu", dict(zip(STAGES, (10.0, 100.0, 20.0, 7.0), strict=True)))
SHARED = row("shared", "cuda", dict(zip(STAGES, (1.0, 2.0, 0.5, 0.25), strict=True)))
COPIES = {
    "command": transfer_name("measure shared"),
    "upload_ms": 0.125,
    "download_ms": {"cost": 3.0, "path_costs": 12.0, "sums": 4.0, "": 0.0625},
}


def test_a_program_half_on_the_device_takes_the_sum_of_its_parts() -> None:
    table = moving([HOST, SHARED], [COPIES])
    by_key = {
        line["step"]: line["columns"][0]["device_ms"]
        for line in table
        if line["variant"] == "shared" and line["memory"] == "shared"
    }
    assert by_key == {
        "+ paths": 0.125 + (1 + 2) + 12 + (20 + 7),
        "+ sum": 0.125 + (1 + 2 + 0.5) + 4 + 7,
        "+ view: all on the device": 0.125 + (1 + 2 + 0.5 + 0.25) + 0.0625,
    }
    assert {line["columns"][0]["host_ms"] for line in table} == {137.0}
    assert all(line["columns"][1]["device_ms"] is None for line in table)


def test_the_published_table_is_whole() -> None:
    lines = {(line.step.name, line.memory): line for line in PUBLISHED}
    assert len(lines) == len(PUBLISHED) == 13 and {line.step for line in PUBLISHED} == set(STEPS)
    assert lines["+ paths", "shared"].times[1][0] == 976.5
    assert moved_stages(STEPS[1], STAGES) == set(STAGES[:2])
    assert moved_stages(STEPS[3], STAGES) == set(STAGES)
    names = {stage.name for stage in SGM.stages}
    assert {name for step in STEPS for name in step.stages} <= names
    images = {image.name for image in SGM.images}
    assert {step.crossing for step in STEPS} - {""} <= images
    variants = {variant.name for variant in SGM.variants}
    assert {line.variant for line in PUBLISHED} <= variants


def test_a_variant_without_a_row_has_a_line_without_a_time() -> None:
    table = moving([HOST], [])
    assert all(line["columns"][0]["device_ms"] is None for line in table)
    assert moving([], []) == []


def test_cannys_table_has_the_published_times_beside_the_same_memory() -> None:
    rows = [HOST, SHARED, SHARED | {"variant": "global"}]
    lines = {line["memory"]: line for line in canny(rows)}
    assert lines["shared"]["device_ms"] == 3.75 and lines["shared"]["picture"] == "chess"
    assert lines["shared"]["published_device_ms"] is None
    assert lines["global"]["published_device_ms"] == 16.8


def test_copies_are_measured_of_what_a_variant_keeps() -> None:
    options = parse_request(BenchRequest, ["sgm", "--size", "64x48", "--preset", "aveiro-2016"], "")
    inputs = options.pictures()
    (one,) = configurations(options, inputs.sizes, inputs.words)
    result = transfers(one, "reference", inputs)
    assert set(result["download_ms"]) == {"cost", "path_costs", "sums", ""}
    assert set(transfers(one, "cpu", inputs)["download_ms"]) == {"cost", "sums", ""}
    assert result["upload_ms"] > 0 and min(result["download_ms"].values()) > 0


def test_what_was_not_measured_is_summed_up_with_its_reason() -> None:
    absent = [{**SHARED, "not_measured": "no GPU"} for _ in range(2)]
    for one in absent:
        del one["device_ms"]
    wrong = {**SHARED, "identity": "different", "noisy": True}
    rows = [{**HOST, "identity": "reference", "noisy": False}, wrong, *absent]
    summed = summary({"experiments": [{"rows": rows}]})
    assert (summed["rows"], summed["different"], summed["noisy"]) == (2, 1, 1)
    assert summed["absent"] == [{"why": "no GPU", "variants": ["sgm/shared"]}]


def texts_of(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def marks_of(svg: str) -> list[tuple[str, float, float]]:
    listed = []
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if (title := path.findtext(f"{SVG}title")) is not None:
            x, y = re.findall(r"-?[\d.]+", path.get("transform", ""))
            listed.append((title, float(x), float(y)))
    return listed


def sweep_of(*points: tuple[float, float]) -> str:
    """A chart of one variant's times."""
    marks = [ChartMark(x, y, "/at", f"{x:g}") for x, y in points]
    return sweep_chart({"cpu": marks}, {"cpu": 1}, "px", "times")


def test_an_axis_has_round_ticks() -> None:
    assert texts_of(sweep_of((1, 0.5), (2, 8.0)))[3:-2] == ["0.5", "1", "2", "5", "10"]
    assert texts_of(sweep_of((1, 0.002), (2, 3000.0)))[3:5] == ["0.01", "0.1"]
    assert texts_of(sweep_of((2, 1.0), (1, 1.0)))[:3] == ["1", "2", "px"]


def test_values_that_double_stand_on_a_logarithmic_axis() -> None:
    across = [x for _, x, _ in marks_of(sweep_of((32, 1), (64, 1), (128, 1)))]
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.02)
    across = [x for _, x, _ in marks_of(sweep_of((4, 1), (5, 1), (9, 1)))]
    assert 4 * (across[1] - across[0]) == pytest.approx(across[2] - across[1], abs=0.1)
    assert LEFT < marks_of(sweep_of((3, 1)))[0][1] < WIDTH - RIGHT


def test_points_lie_where_their_values_say() -> None:
    svg = sweep_of((1, 1), (4, 10), (16, 100))
    titles, across, up = zip(*marks_of(svg), strict=True)
    assert titles == ("1", "4", "16") and svg.count('data-at="/at"') == 3
    assert across[1] == (LEFT + WIDTH - RIGHT) / 2 and up[1] == (TOP + HEIGHT - BOTTOM) / 2
    assert list(across) == sorted(across) and list(up) == sorted(up, reverse=True)


def test_a_chart_has_no_styles_links_and_colours_of_its_own() -> None:
    svg = sweep_of((1, 1), (2, 3))
    assert not re.search(r"style=|href|id=|#[0-9a-f]{6}", svg) and "var(--s1)" in svg


@pytest.mark.parametrize("quick", [False, True])
def test_every_planned_command_line_is_understood(quick: bool) -> None:
    for one in report_plan([], quick=quick).experiments:
        options = parse_request(BenchRequest, one.words.split(), "")
        assert configurations(options, options.pictures().sizes, ("--scene", "orbit"))
        assert not one.swept or len(options.params[one.swept]) > 1
    presets = {name for words in report_plan([]).quality for name in words if name in SGM.presets}
    assert presets == set(SGM.presets)
    assert [words[1] for words in report_plan([Path("walls")]).quality].count("walls") == 7


def test_views_that_only_repeat_the_source_are_left_out() -> None:
    names = {view.name for view in views("96x72")}
    assert {"sgm-anaglyph", "sgm-disparity", "ncc-left", "canny-overlay", "mean-mean"} <= names
    assert not {"sgm-left", "sgm-pair", "mean-left", "canny-left"} & names
    assert {name.split("-")[0] for name in names} == set(PIPELINES)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walls")
    wall = np.random.default_rng(7).integers(0, 256, (40, 96), np.uint8)
    cv2.imwrite(str(folder / "left.png"), wall[:, :90])
    cv2.imwrite(str(folder / "right.png"), wall[:, 6:])
    cv2.imwrite(str(folder / "truth.png"), np.full((40, 90), 24, np.uint8))
    files = {"left": "left.png", "right": "right.png", "truth": "truth.png"}
    pair = {**files, "scale": 4, "disparities": 16}
    pairs = [{**pair, "name": "wall"}, {**pair, "name": "absent", "left": "absent.png"}]
    (folder / "manifest.json").write_text(json.dumps({"pairs": pairs}))
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, manifest: Path) -> Path:
    folder = tmp_path_factory.mktemp("report") / "out"
    words = [sys.executable, "-m", "wheatstone", "report", "--quick", "--out", str(folder)]
    words += ["--data", str(manifest)]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])
    }
    with subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) as process:
        while rows_in(folder) < 3:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    return folder


def rows_in(folder: Path) -> int:
    """How many rows a document has that may not be there yet."""
    if not (folder / NAME).is_file():
        return 0
    return sum(len(one["rows"]) for one in read(folder / NAME)["experiments"])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``report``: exit code and standard error."""

    def command(*words: str | Path) -> tuple[int, str]:
        try:
            code = main(["report", *map(str, words)])
        except SystemExit as exit:  # argparse
            code = int(exit.code or 0)
        return code, capsys.readouterr().err

    return command


@pytest.fixture(scope="module")
def made(killed: Path, manifest: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    left = read(killed / NAME)
    assert not left["complete"] and not (killed / "index.html").exists()
    words = ("report", "--quick", "--out", str(killed), "--data", str(manifest))
    assert main(words) == 1  # for the pair that cannot be read
    yield killed, left


Made = tuple[Path, dict[str, Any]]


def test_a_killed_report_goes_on_where_it_stopped(made: Made) -> None:
    folder, left = made
    document = read(folder / NAME)
    assert document["complete"] and "kept" not in document
    before = [row for one in left["experiments"] for row in one["rows"] if "device_ms" in row]
    after = [row for one in document["experiments"] for row in one["rows"]]
    assert before
    for old in before:
        assert any(old.items() <= new.items() for new in after)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("index.html", "pictures", "plots", "report.json", "report.md", "wheatstone-run.json"),
    ]


def test_a_report_is_not_measured_twice(made: Made, manifest: Path, run: Run) -> None:
    folder, _ = made
    before = read(folder / NAME)
    code, err = run("--quick", "--out", folder, "--data", manifest)
    after = read(folder / NAME)
    assert code == 1 and " parts existed already; --renew" in err
    for name in before.keys() - {"date", "command"}:
        assert before[name] == after[name], name
    measured = [row for one in after["experiments"] for row in one["rows"] if "device_ms" in row]
    assert err.count("measured before") == len(measured)
    counts = (len(measured), len(after["quality"]), len(after["pictures"]))
    kinds = "{} measurements, {} evaluations, {} pictures".format(*counts)
    assert f"{sum(counts)} steps: {kinds}" in err
    assert re.search(r"up to 0\.1 GB of memory \(.+: reference\), \d+\.\d GB are free", err)
    assert " more]" not in err  # nothing was measured


def bench_of(words: str) -> tuple[BenchRequest, GreyPictures, list[Configuration]]:
    options = parse_request(BenchRequest, words.split(), "")
    inputs = options.pictures()
    return options, inputs, configurations(options, inputs.sizes, inputs.words)


def test_a_row_that_would_fill_the_memory_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options, inputs, (one,) = bench_of(
        "sgm --size 96x64 --disparities 64 --variants cpu --repeat 1 --seconds 0.1"
    )
    needs = {variant.name: memory_of(one, variant) for variant in one.variants}
    free = needs["reference"] + 1  # enough, but it would be full
    assert needs["cpu"] < SHARE * free < needs["reference"]
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: free)
    with ProgressBar(2) as bar:
        reference, cpu = BenchmarkRunner(options, inputs, bar, {}, RowStore()).rows(one)
    assert reference.measurement is None and "sgm/reference at 96x64 needs" in reference.why
    assert "12.5% must stay free" in reference.why
    assert cpu.measurement and cpu.identity == "unknown"
    lines = [PlannedRow(one, variant, 1.0, 1) for variant in one.variants]
    assert memory_words(lines).endswith("; steps that do not fit are skipped")


def test_the_remaining_time_follows_from_the_rates_of_variants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, _, (small, large) = bench_of("sgm --size 100x80 1000x800 --disparities 64 --variants cpu")
    reference = small.variants[0]
    rows = [PlannedRow(one, reference, 0.1, 1) for one in (small, large)]
    now = [100.0]
    monkeypatch.setattr("wheatstone.viewer.cli.report.forecast.time.monotonic", lambda: now[0])
    forecast = Forecast(rows, 2)
    assert forecast.remaining() is None
    second = Times(1, 1000.0, 1000.0, 1000.0, 1000.0, 1000.0)
    now[0] += 4  # twice the two frames of a second
    measured = MeasuredRow(small, reference, "reference", measurement=Measurement(second, second))
    forecast.add(measured, made=True)
    assert forecast.remaining() == pytest.approx(2 * 2 * 100 + 2 * ANY_STEP)
    forecast.add(replace(measured, configuration=large), made=False)  # of an earlier run
    now[0] += 7
    forecast.add_other(made=True)
    assert forecast.remaining() == pytest.approx(7)


def test_pages_are_made_of_the_document_and_the_pictures_alone(
    made: Made, run: Run, tmp_path: Path
) -> None:
    folder, _ = made
    code, err = run("--from", folder / NAME, "--out", tmp_path / "again")
    assert code == 1
    last = err.splitlines()[-1]
    assert " results compared are identical to the reference's; fastest of these: sgm " in last
    assert last.endswith("; 1 pair could not be judged") and last.startswith("wheatstone: in short")
    for name in ("index.html", "report.md"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_a_document_of_another_machine_is_measured_again(
    made: Made, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = read(made[0] / NAME)
    document["environment"]["python"] = "2.7"
    (tmp_path / NAME).write_text(json.dumps(document))

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wheatstone.viewer.cli.report.measuring._measure", interrupt)
    code, err = run("--quick", "--out", tmp_path)
    assert code == 130
    assert "another machine" in err and "the same command continues" in err


def test_every_row_names_the_command_line_that_measures_it(made: Made) -> None:
    rows = [row for one in read(made[0] / NAME)["experiments"] for row in one["rows"]]
    for each in (row for row in rows if "device_ms" in row):
        program, verb, *words = shlex.split(each["command"])
        options = parse_request(BenchRequest, words, "")
        (one,) = configurations(options, options.pictures().sizes, ("--scene",))
        assert (program, verb, options.variants) == ("wheatstone", "bench", (each["variant"],))
        assert (one.width, one.height) == (each["width"], each["height"])
        params = {n: list(v) if type(v) is tuple else v for n, v in one.params.values().items()}
        assert params == each["params"]
        assert options.stages == bool(each["stages_ms"])


def test_other_command_lines_are_understood_too(made: Made) -> None:
    from wheatstone.viewer.cli.cli import parse

    document = read(made[0] / NAME)
    commands = [one["command"] for one in (*document["pictures"], *document["quality"])]
    assert len(commands) > 8
    for command in (*commands, *(one["command"] for one in document["experiments"])):
        assert parse(shlex.split(command)[1:]).verb in ("render", "evaluate", "bench")


def test_a_pair_that_fails_is_listed_and_the_others_count(made: Made) -> None:
    folder, _ = made
    (listed,) = [
        q for q in read(folder / NAME)["quality"][2:] if "--preset balanced" in q["command"]
    ]
    assert [pair["pair"] for pair in listed["pairs"]] == ["wall"]
    assert listed["mean"]["bad-2"] < 10
    assert "Failed: absent: " in (folder / "index.html").read_text()


class Cells(HTMLParser):
    """What a page says where: the text of every element that names a place in the document."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self.unnamed: list[str] = []
        self._open: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag in ("td", "th", "text", "path"):
            numeric = tag == "td" and (given.get("class") or "").startswith("n")
            self._open, self._text = given.get("data-at") or ("" if numeric else None), ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "text", "path") and self._open is not None:
            text = self._text.strip()
            if self._open:
                self.texts.append((self._open, text))
            else:
                self.unnamed.append(text)
            self._open = None


def at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step) if isinstance(document, list) else step]
    return document


def says(text: str, value: float) -> bool:
    number = re.fullmatch(r"(?:.*: )?~?(-?\d+(?:\.(\d+))?)(%| ms| Gop/s)?", text)
    assert number, text
    shown, digits = float(number[1]), len(number[2] or "")
    factor = 100 if number[3] == "%" else 1
    return bool(abs(shown - factor * value) <= 0.5001 * 10**-digits)


def test_every_number_of_the_page_is_the_documents(made: Made) -> None:
    folder, _ = made
    document, cells = read(folder / NAME), Cells()
    cells.feed((folder / "index.html").read_text())
    assert len(cells.texts) > 300
    assert [one for one in cells.texts if not says(one[1], at(document, one[0]))] == []
    assert set(cells.unnamed) <= {"\N{EN DASH}", ""}


def test_every_measured_row_is_on_the_page(made: Made) -> None:
    folder, _ = made
    document, page = read(folder / NAME), (folder / "index.html").read_text()
    for i, one in enumerate(document["experiments"]):
        for j, each in enumerate(one["rows"]):
            if "device_ms" in each and (one["name"] != "canny-course" or document["canny"] == []):
                assert f'"/experiments/{i}/rows/{j}/device_ms/median"' in page
                assert page.count(each["command"].replace("'", "&#39;")) > 0


def test_the_page_asks_for_nothing(made: Made) -> None:
    page = (made[0] / "index.html").read_text()
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[^\s\"<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<link|@import|src=\"(?!data:)|url\((?!data:)", page)
    assert len(page) < 4_000_000


def test_markdown_has_the_same_rows_and_its_links_lead_to_files(made: Made) -> None:
    folder, _ = made
    text = (folder / "report.md").read_text()
    document = read(folder / NAME)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert any(link.endswith(".svg") for link in links)
    assert [link for link in links if not (folder / link).is_file()] == []
    median = document["glance"][0]["reference_ms"]
    cells = next(line for line in text.splitlines() if line.startswith("| `sgm` |")).split("|")
    assert any(says(cell.strip(), median) for cell in cells if re.fullmatch(r" [\d.]+ ", cell))
    widths = {len(block.splitlines()[0].split("|")) for block in text.split("\n\n") if "|" in block}
    assert min(widths) > 3


def test_plots_are_drawings_with_their_own_colours(made: Made) -> None:
    plots = sorted((made[0] / "plots").iterdir())
    assert {"disparities.svg", "radius.svg"} <= {path.name for path in plots}
    for path in plots:
        root = ElementTree.parse(path).getroot()
        assert root.tag.endswith("svg") and "--s1: #0072b2" in "".join(root.itertext())


def test_a_wrong_result_is_reported_and_ends_in_exit_code_1(
    made: Made, run: Run, tmp_path: Path
) -> None:
    document = read(made[0] / NAME)
    document["quality"] = []
    result = next(r for r in document["experiments"][0]["rows"] if r["variant"] == "cpu")
    result["identity"] = "different"
    result["differences"] = [
        {"image": "disparity", "count": 3, "total": 9, "first": [0, 0], "largest": 1.0}
    ]
    derive(document)
    (tmp_path / NAME).write_text(json.dumps(document | {"sliders": [], "views": []}))
    (tmp_path / "pictures").mkdir()
    assert run("--from", tmp_path / NAME)[0] == 1
    page = (tmp_path / "index.html").read_text()
    assert "cpu is WRONG: disparity differs in 3 of 9 elements." in page
    assert 'class=" alarm">DIFFERENT<' in page and result["speed_up"] is None


@pytest.mark.skipif(not why_unavailable("cuda"), reason="this machine has a GPU")
def test_what_could_not_run_is_reported_with_its_reason(made: Made) -> None:
    page = (made[0] / "index.html").read_text()
    assert "Not run: " in page and "sgm/fast" in page
    assert "Not measured: " in page


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--from", "absent.json"], "absent.json"),
        (["--from", "list.json"], "not written by wheatstone report"),
        (["--from", "old.json"], "wheatstone-report 1 is needed"),
        (["--from", "half.json"], "incomplete; `make it`"),
        (["--from", "half.json", "--renew"], "--from measures nothing"),
        (["--data", "absent"], "absent: no such folder or manifest"),
        (["--out", "no/such/folder"], "no/such/folder"),
    ],
)
def test_bad_input_is_refused_before_measuring(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    head = {"schema": "wheatstone-report", "schema_version": 1}
    Path("list.json").write_text("[]")
    Path("old.json").write_text(json.dumps(head | {"schema_version": 0}))
    half = small_report() | {"complete": False, "command": "make it"}
    Path("half.json").write_text(json.dumps(half))
    code, err = run(*words)
    assert code == 2
    assert says in err and "[1/" not in err
