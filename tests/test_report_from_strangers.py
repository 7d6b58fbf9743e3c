"""A report from a stranger: refusals, skipped parts, and that nothing in it runs."""

import json
import os
from collections.abc import Callable
from copy import deepcopy
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.pages import check_pages
from tests.fuzz.small_report import WHOLE, chunk, png, small_report
from tests.fuzz.tampering import HARM, ways
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.report.document import NAME, Document, read
from wheatstone.viewer.cli.report.document_types import ReportDict
from wheatstone.viewer.cli.report.picture_files import read_picture

Run = Callable[..., tuple[int, str]]
PICTURE = small_report()["pictures"][0]["file"]


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    folder = tmp_path / "sent"
    (folder / "pictures").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "private.png").write_bytes(png(5, 7))
    (folder / NAME).write_text(json.dumps(small_report()))
    for one in small_report()["pictures"][:2]:
        (folder / "pictures" / one["file"]).write_bytes(png())
    return folder


@pytest.fixture
def run(sent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Make pages of what was sent, changed before: exit code and standard error."""

    def command(
        change: Callable[[dict[str, Any]], object] = lambda _: None, *words: str
    ) -> tuple[int, str]:
        document = deepcopy(small_report())
        change(document)
        (sent / NAME).write_text(json.dumps(document, indent=1))
        given = ["--from", str(sent / NAME), "--out", str(tmp_path / "out"), *words]
        code = main(["report", *given])
        return code, capsys.readouterr().err

    return command


def test_a_report_that_is_whole_becomes_pages(run: Run, tmp_path: Path) -> None:
    code, err = run()
    assert code == 1 and err.count("wrote") == 2  # 1 for the pair that failed
    assert (tmp_path / "out" / "pictures" / PICTURE).read_bytes() == png()
    assert 'width="3" height="2"' in (tmp_path / "out" / "index.html").read_text()
    check_pages(tmp_path / "out")


def test_the_report_of_this_project_is_read() -> None:
    assert sum(len(one["rows"]) for one in read(WHOLE)["experiments"]) > 100


@pytest.mark.parametrize("key", sorted(ReportDict.__required_keys__))
def test_a_report_without_one_of_its_parts_is_refused(run: Run, key: str) -> None:
    code, err = run(lambda document: document.pop(key))
    assert code == 2 and f"lacks {key}" in err and NAME in err and err.count("\n") == 1


@pytest.mark.parametrize("key", ["views", "sliders", "summary", "glance", "moving", "canny"])
def test_a_complete_report_has_what_is_derived(run: Run, key: str) -> None:
    code, err = run(lambda document: document.pop(key))
    assert code == 2 and f"is called complete, but lacks {key}" in err


def _set(way: tuple[str | int, ...], value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: Any) -> None:
        for step in way[:-1]:
            document = document[step]
        document[way[-1]] = value

    return change


@pytest.mark.parametrize(
    ("way", "value", "says"),
    [
        (("experiments", 0, "name"), "../../escaped", "experiments[0].name must be one of"),
        (("experiments", 0, "name"), "course", "more than one experiment named course"),
        (
            ("pictures", 0, "name"),
            "../../../etc/passwd",
            "pictures[0].name must be a name of small",
        ),
        (("pictures", 0, "file"), "/etc/passwd", "pictures[0] must have the file"),
        (("pictures", 0, "width"), 10**9, "pictures[0].width must be in [1, 8192]"),
        (("sliders", 0, "before"), "<b>", "sliders[0].before must be a name of small letters"),
        (("copy_gb_per_s",), {"../../x": 1.0}, "must be one of cpu, cuda"),
        (("copy_gb_per_s",), {"cpu": 0}, "copy_gb_per_s.cpu must be in"),
        (("environment", "devices"), {}, "environment.devices lacks cpu, cuda"),
        (("environment", "devices", "cpu"), {}, "environment.devices.cpu lacks device, its name"),
        (("experiments", 3, "swept"), "absent", "sweeps a parameter that is no number"),
        (("experiments", 3, "rows"), [], "experiments[3] has no rows to plot"),
        (("experiments", 3, "rows", 0, "params", "radius"), "wide", "no number or rectangle"),
        (("experiments", 0, "rows", 0, "device_ms", "median"), 0, "device_ms.median must be in"),
        (("experiments", 0, "rows", 0, "device_ms", "median"), "1", "must be a finite number"),
        (("experiments", 0, "rows", 0, "roofline", 0, "gop_per_s"), 5e-324, "gop_per_s must be in"),
        (("experiments", 0, "rows", 0, "command"), "x" * 5000, "at most 4000 characters"),
        (("moving", 0, "columns"), [], "moving[0].columns must be a list of 2"),
        (("quality", 0, "convention"), "mine", "quality[0].convention must be one of middlebury"),
        (("quality", 0, "region"), "all", "quality[0].region must be one of seen, known"),
        (("glance", 0, "identical"), -1, "glance[0].identical must be in"),
    ],
)
def test_what_cannot_be_is_refused_by_its_place(
    run: Run, tmp_path: Path, way: tuple[str | int, ...], value: Any, says: str
) -> None:
    code, err = run(_set(way, value))
    assert code == 2 and says in err and len(err) < 1000 and err.count("\n") == 1
    assert not (tmp_path / "out" / "index.html").exists()


def test_a_row_that_lacks_a_part_of_what_was_measured_is_refused(run: Run) -> None:
    code, err = run(lambda document: document["experiments"][0]["rows"][0].pop("wall_ms"))
    assert code == 2 and "rows[0] is of no measured variant: it lacks wall_ms" in err
    code, err = run(lambda document: document["experiments"][0]["rows"][2].pop("not_measured"))
    assert code == 2 and "rows[2] lacks device_ms, and the reason in not_measured" in err


def test_tables_cannot_be_made_too_large(run: Run) -> None:
    def many(document: dict[str, Any]) -> None:
        pairs = [{"pair": f"p{n}", "figures": {}} for n in range(1000)]
        document["quality"] = [{**document["quality"][0], "pairs": pairs}] * 60

    code, err = run(many)
    assert code == 2 and "60000 figures of pairs; at most 50000" in err


def test_names_that_nothing_knows_are_only_shown(run: Run, tmp_path: Path) -> None:
    def rename(document: dict[str, Any]) -> None:
        for one in document["experiments"]:
            for row in one["rows"]:
                row |= {"pipeline": "unheard", "variant": f"of {row['variant']}"}
        document["views"].append("nowhere")
        document["sliders"][0]["before"] = "nowhere"

    assert run(rename)[0] == 1
    assert "of reference" in (tmp_path / "out" / "index.html").read_text()


@pytest.mark.parametrize("first", range(0, len(HARM), 7))
def test_whatever_texts_say_the_pages_run_none_of_it(run: Run, tmp_path: Path, first: int) -> None:
    kept = {"name", "file", "before", "after", "schema", "device", "identity", "convention"}
    kept |= {"region", "swept", "views"}
    words = cycle(HARM[first:] + HARM[:first])

    def say_it(document: dict[str, Any]) -> None:
        for way, word in zip(list(ways(document)), words, strict=False):
            holder: Any = document
            for step in way[:-1]:
                holder = holder[step]
            about_device = "devices" in way
            if isinstance(holder[way[-1]], str) and (about_device or not kept & set(way)):
                holder[way[-1]] = word[:200]

    code, err = run(say_it)
    assert code == 1, err
    check_pages(tmp_path / "out")
    for page in (tmp_path / "out").rglob("*.*"):
        assert b"<script>alert" not in page.read_bytes()


def test_the_terminal_is_not_steered_by_a_report(run: Run) -> None:
    def change(document: dict[str, Any]) -> None:
        document |= {"complete": False, "command": "\x1b]0;mine\x07"}

    code, err = run(change)
    assert code == 2 and "`\\x1b]0;mine\\x07`" in err and "\x1b" not in err


def _to_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("../../elsewhere/private.png")


def _to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _to_drawing(path: Path) -> None:
    path.write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_to_link, "a link, which is not followed"),
        (_to_pipe, "expected a regular file, found a pipe"),
        (_to_drawing, "no PNG, or a damaged one"),
        (lambda path: path.write_bytes(png()[:-3]), "no PNG, or a damaged one"),
        (lambda path: path.write_bytes(png() + b"more"), "no PNG, or a damaged one"),
        (lambda path: path.write_bytes(png(9000, 1)), "9000x1 pixels; at most 8192 a side"),
        (lambda path: path.write_bytes(png() * 10**6), "larger than 8 MiB"),
        (lambda path: path.write_bytes(b""), "the file is empty"),
    ],
)
def test_what_is_no_picture_is_left_out(
    run: Run, sent: Path, tmp_path: Path, change: Callable[[Path], object], says: str
) -> None:
    change(sent / "pictures" / PICTURE)
    code, err = run()
    assert code == 1 and says in err and "the pages omit" in err
    assert (tmp_path / "out" / "index.html").read_text().count("<img") == 0  # its slider goes, too
    assert [path.name for path in (tmp_path / "out" / "pictures").iterdir()] == [
        small_report()["pictures"][1]["file"]
    ]


def test_a_folder_of_pictures_that_is_a_link_is_not_read(
    run: Run, sent: Path, tmp_path: Path
) -> None:
    for path in (sent / "pictures").iterdir():
        path.rename(tmp_path / "elsewhere" / path.name)
    (sent / "pictures").rmdir()
    (sent / "pictures").symlink_to("../elsewhere")
    code, err = run()
    assert code == 1 and "pictures: a link, which is not followed: the pages omit" in err
    assert not (tmp_path / "out" / "pictures").exists()


@pytest.mark.parametrize("name", ["plots", "pictures"])
def test_nothing_is_written_through_a_link(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to("../elsewhere")
    code, err = run()
    assert code == 2 and f"{name}: a link is in the way of a folder; remove it" in err
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["private.png"]


@pytest.mark.parametrize("name", ["index.html", "report.md", "plots/radius.svg"])
def test_a_link_in_place_of_a_page_is_refused_or_replaced(
    run: Run, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere" / "private.png")
    code, err = run()
    assert code == 2 and f"{name}: not written by this run" in err and path.is_symlink()
    assert run(lambda _: None, "--force")[0] == 1
    assert not path.is_symlink()
    assert (tmp_path / "elsewhere" / "private.png").read_bytes() == png(5, 7)


def test_a_file_in_place_of_a_folder_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plots").write_text("mine")
    code, err = run()
    assert code == 2 and "plots: a file is in the way of a folder; move it" in err
    assert (tmp_path / "out" / "plots").read_text() == "mine"


def test_the_size_of_a_picture_is_that_of_its_header(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png()[:33] + chunk(b"tEXt", b"a\0b") + png()[33:])
    result = read_picture(tmp_path / "a.png")
    assert (result.width, result.height) == (3, 2)


def test_deep_nesting_is_one_line(sent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sent / NAME).write_text('{"schema": ' + "[" * 100_000)
    assert main(["report", "--from", str(sent / NAME)]) == 2
    assert "nested more than 32 deep" in capsys.readouterr().err


def test_a_damaged_report_is_set_aside_when_measuring_again(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text(json.dumps({**small_report(), "experiments": 7}, indent=1))
    before = path.read_bytes()
    document = Document(path, "wheatstone report")
    assert (
        "experiments must be a list" in document.note and "everything is measured" in document.note
    )
    assert (tmp_path / f"{NAME}.damaged").read_bytes() == before and not path.exists()
    path.write_bytes(before)
    assert f"{NAME}.damaged2" in Document(path, "wheatstone report").note


@pytest.mark.parametrize("renew", [False, True])
def test_a_file_that_is_no_report_is_neither_set_aside_nor_overwritten(
    tmp_path: Path, renew: bool
) -> None:
    (tmp_path / NAME).write_text('{"mine": 1}')
    with pytest.raises(ValueError, match="not written by wheatstone report"):
        Document(tmp_path / NAME, "wheatstone report", renew=renew)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
