"""Baselines and journals that are damaged or hostile, and what tables show of names from files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.records import ONE, measured_row
from wheatstone.gpu.analysis.comparison import Difference
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.files.journal import Journal
from wheatstone.viewer.io.files.markdown import code, escaped
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.run.measuring.results import Results, RowJournal, read_baseline
from wheatstone.viewer.run.measuring.rows import from_json, to_json
from wheatstone.viewer.run.measuring.tables import Table, to_markdown
from wheatstone.viewer.run.measuring.terminal import print_tables

Change = Callable[[dict[str, Any]], object]
FACTS = ["here"]


def baseline(folder: Path, change: Change) -> Path:
    document = json.loads(json.dumps(Results("bench", [measured_row()], {"cpu": 9.0}).to_json()))
    change(document)
    path = folder / "baseline.json"
    path.write_text(json.dumps(document, indent=1))
    return path


def _median(value: Any) -> Change:
    return lambda document: document["rows"][0]["device_ms"].update(median=value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_median(0.0), "rows[0].device_ms.median must be in [1e-09, 1e+12] (got 0) (line "),
        (_median(-1), "rows[0].device_ms.median must be in"),
        (_median("1"), "rows[0].device_ms.median must be a finite number (got '1') (line "),
        (_median(None), "rows[0].device_ms.median must be a finite number"),
        (lambda document: document.update(rows=7), "rows must be a list"),
        (lambda document: document["rows"][0].pop("params"), "rows[0] lacks params"),
        (lambda document: document["rows"][0].pop("cold_ms"), "rows[0] is of no measured variant"),
        (
            lambda document: document["rows"][0]["params"].update(p1=[[]]),
            "rows[0].params.p1[0] must",
        ),
        (lambda document: document["environment"].pop("devices"), "environment lacks devices"),
    ],
)
def test_a_baseline_that_cannot_be_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Change, says: str
) -> None:
    path = baseline(tmp_path, change)
    words = ["invert", "--size", "64x48", "--repeat", "2", "--baseline", str(path)]
    assert main(["bench", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"{path}: " in err and says in err and "[1/" not in err


def test_an_infinite_difference_is_written_as_json_and_read_back(tmp_path: Path) -> None:
    difference = Difference("sums", 3, 9, (1, 2), float("inf"))
    measured = measured_row(identity="different", differences=(difference,))
    written = json.dumps(to_json(measured))
    assert "Infinity" not in written
    content = json.loads(written)
    assert from_json(content, ONE, ONE.variants[1]).differences == (difference,)
    assert read_baseline(baseline(tmp_path, lambda document: document.update(rows=[content])))


def journal(path: Path) -> RowJournal:
    return RowJournal(path, FACTS)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda line: line[:50] + line[100:],
    "deep": lambda line: line[:-2] + b', "more": ' + b"[" * 5000 + b"\n",
    "of another version": lambda line: line.replace(b'"schema_version": 1', b'"schema_version": 9'),
    "of another kind": lambda line: line.replace(b'"median": 2.0', b'"median": "2.0"'),
    "no UTF-8": lambda line: line.replace(b"bench it", b"bench \xff"),
    "lost blocks": lambda line: bytes(100),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path, variant = tmp_path / "b.json.part", ONE.variants[1]
    journal(path).add(measured_row())
    good = path.read_bytes()
    damaged = good + DAMAGES[damage](good)
    for aside in ("b.json.part.damaged", "b.json.part.damaged2"):
        path.write_bytes(damaged)
        journal_read = journal(path)
        assert "line 2" in journal_read.note and f"kept as {tmp_path / aside}" in journal_read.note
        assert (tmp_path / aside).read_bytes() == damaged
        assert journal_read.find(ONE, variant, "bench it") is None
        journal_read.add(measured_row())
        assert journal(path).find(ONE, variant, "bench it") == measured_row()
        assert journal(path).note == ""


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n",
        b"my notes",
        b"{}\n",
        b'{"schema": "wheatstone-evaluate-state", "schema_version": 1, "key": "a", "outcome": 1}\n',
    ],
)
@pytest.mark.parametrize("restart", [False, True])
def test_a_file_that_is_no_journal_stays_as_it_is(
    tmp_path: Path, content: bytes, restart: bool
) -> None:
    path = tmp_path / "b.json.part"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"b\.json\.part: line 1 is not of a file of rows"):
        RowJournal(path, FACTS, restart=restart)
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_a_journal_that_is_too_large_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal(tmp_path / "a").add(measured_row())
    monkeypatch.setattr("wheatstone.viewer.io.files.journal.LARGEST_RECORD", 1024)
    assert "larger than 1 KiB" in journal(tmp_path / "a").note


def test_bench_says_that_a_journal_was_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    journal(Path("b.json.part")).add(measured_row())
    with open("b.json.part", "ab") as file:
        file.write(b'{"schema": 7}\n')
    words = ["--size", "64x48", "--repeat", "2", "--variants", "cpu", "--json", "b.json"]
    assert main(["bench", "invert", *words]) == 0
    assert "kept as b.json.part.damaged, and a new one begun" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "b.json.part.damaged"]


def test_the_outcome_of_a_part_is_of_the_declared_type(tmp_path: Path) -> None:
    Journal(tmp_path / "j", "mine", 1, "journal", dict[str, int]).add("a", {"b": 1})
    assert Journal(tmp_path / "j", "mine", 1, "journal", dict[str, int]).find("a") == {"b": 1}
    assert Journal(tmp_path / "j", "mine", 1, "journal", list[int]).note


def test_a_line_that_another_run_completes_meanwhile_stays(tmp_path: Path) -> None:
    Journal(tmp_path / "j", "mine", 1, "journal").add("a", 1)
    whole = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(whole[:-9])
    ours = Journal(tmp_path / "j", "mine", 1, "journal")
    (tmp_path / "j").write_bytes(whole)
    ours.add("b", 2)
    journal_read = Journal(tmp_path / "j", "mine", 1, "journal")
    assert (journal_read.find("a"), journal_read.find("b"), journal_read.note) == (1, 2, "")


NAMES = ("[bold]a[/bold]", "[link=http://x]a[/link]", "\x1b[31mred", "a\nb", "\x9bm", "[/]")


@pytest.mark.parametrize("name", NAMES)
def test_the_terminal_shows_names_as_they_are(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    print_tables([Table(name, (name, "ms"), ((name, "1"),), notes=(name,))])
    out = capsys.readouterr().out
    assert out.isprintable() or not set(out) - set(visible(out)) - {"\n"}
    assert "\x1b" not in out and "\x9b" not in out
    assert out.count(visible(name).split("\\n")[0]) == 4


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("![x](a.png)", r"!\[x\](a.png)"),
        ("a|b", r"a\|b"),
        ("a\n\n# b", "a # b"),
        ("# b", r"\# b"),
        ("- b", r"\- b"),
        ("12. b", r"12\. b"),
        ("*b* _c_ p1_of_d `e`", r"\*b\* \_c\_ p1_of_d \`e\`"),
        ("&lt;", "&amp;lt;"),
        ("\x1b[31m", r"\\x1b\[31m"),
        ("~1.000, 5th - 95th", "~1.000, 5th - 95th"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_markdown_shows_names_as_code() -> None:
    assert code("a --b") == "`a --b`"
    assert code("a`b") == r"<code>a\`b</code>"
    assert code("<b>|") == r"<code>&lt;b&gt;\|</code>"
    assert code("") == ""


def test_tables_in_markdown_hold_names_as_text() -> None:
    text = to_markdown(Table("<b>", ("[a](b)", "ms"), (("x|y", "1"),), notes=("![c](d)",)))
    assert (
        text == "## &lt;b&gt;\n\n| \\[a\\](b) | ms |\n| --- | --- |\n| x\\|y | 1 |\n\n!\\[c\\](d)\n"
    )


def test_lines_that_wait_are_written_together_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("wheatstone.viewer.io.files.journal.time.monotonic", lambda: now[0])
    path = tmp_path / "j"
    journal = Journal(path, "mine", 1, "journal", every=0.5)
    counts = []
    for number, seconds in enumerate((0, 0.1, 0.2, 0.3, 0.1)):
        now[0] += seconds
        journal.add(str(number), number)
        counts.append(len(path.read_text().splitlines()))
    assert counts == [1, 1, 1, 4, 4]
    assert journal.find("4") == 4
    journal.flush()
    journal.flush()
    again = Journal(path, "mine", 1, "journal")
    assert [again.find(str(number)) for number in range(5)] == [*range(5)]
