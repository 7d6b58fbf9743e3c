"""Hostile records: reports and their pictures, baselines of bench, journals of interrupted runs."""

import base64
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated, mutated_text
from tests.fuzz.pages import check_pages
from tests.fuzz.small_report import chunk, png, small_report
from tests.fuzz.tampering import HARM, tampered
from wheatstone.gpu.analysis.measurement import Measurement, summarize
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.cli import BAD_INPUT, main
from wheatstone.viewer.cli.report.document import NAME, PARTS, Document, KeptRows
from wheatstone.viewer.io.files.journal import program
from wheatstone.viewer.run.measuring.results import (
    Results,
    RowJournal,
    environment,
    judge,
    read_baseline,
)
from wheatstone.viewer.run.measuring.rows import MeasuredRow, to_json
from wheatstone.viewer.run.measuring.sweep import Configuration
from wheatstone.viewer.run.measuring.tables import tables, to_markdown
from wheatstone.viewer.run.measuring.terminal import print_tables

SECRET = b"what a report must not carry away, of a length that base64 shows in whole"
ONE = Configuration(SGM, SGM.params(), 48, 64, ("--scene", "orbit"), "sgm 64x48", SGM.variants[:2])


@cache
def _environment() -> dict[str, Any]:
    return environment()


def measured_row(**more: Any) -> MeasuredRow:
    """Make a row of ``ONE`` by hand."""
    times = summarize([1.0, 2.0, 3.0])
    measurement = Measurement(times, times, {"path_sum": times}, {"path_sum": 1000})
    about = {"identity": "identical", "copy": 9.0, "command": "bench it"}
    return MeasuredRow(ONE, ONE.variants[1], **{**about, "measurement": measurement, **more})


def _results() -> Results:
    rows, copies = [measured_row()], {"cpu": 9.0}
    return Results("wheatstone bench", rows, copies, "2026-11-22", _environment())


def _hostile(random: Random, document: Any) -> bytes:
    """Damage a document as a text, or tamper with what it says."""
    if random.random() < 0.2:
        return mutated_text(random, json.dumps(document, indent=1))
    return json.dumps(tampered(random, document), indent=1).encode()


def _make_report(random: Random, folder: Path) -> None:
    """Write a report with its pictures, beside a secret; damage one of them, or set a trap."""
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "secret").write_bytes(SECRET)
    (folder / "elsewhere" / "target").write_bytes(png())
    (folder / "out").mkdir()
    (folder / "pictures").mkdir()
    document = small_report()
    for one in document["pictures"][:2]:
        (folder / "pictures" / one["file"]).write_bytes(png())
    (folder / NAME).write_text(json.dumps(document))
    if random.random() < 0.75:
        (folder / NAME).write_bytes(_hostile(random, document))
    else:
        random.choice(TRAPS)(random, folder)


def _picture_trap(random: Random, folder: Path) -> None:
    """Put something else in place of a picture."""
    path = folder / "pictures" / small_report()["pictures"][0]["file"]
    path.unlink()
    match random.randrange(8):
        case 0:
            path.symlink_to("../elsewhere/secret")
        case 1:
            path.symlink_to("/etc/passwd")
        case 2:
            os.mkfifo(path)
        case 3:
            path.mkdir()
        case 4:
            path.write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
        case 5:
            path.write_bytes(png(random.choice((0, 8193, 2**31)), random.choice((1, 0, 70_000))))
        case 6:
            path.symlink_to(random.choice(("/dev/zero", path.name, "../elsewhere/target")))
        case _:
            text = random.choice(HARM).encode("utf-8", "replace")
            path.write_bytes(png()[:33] + chunk(b"tEXt", text) + png()[33:] + text)


def _mutated_picture(random: Random, folder: Path) -> None:
    path = folder / "pictures" / small_report()["pictures"][0]["file"]
    path.write_bytes(mutated(random, png()))


def _folder_trap(random: Random, folder: Path) -> None:
    """Put a link to elsewhere, or something else, where pages are to be written."""
    name = random.choice(("plots", "pictures", "index.html", "report.md", "plots/radius.svg"))
    path = folder / "out" / name
    path.parent.mkdir(exist_ok=True)
    match random.randrange(5):
        case 0:
            path.symlink_to(os.path.relpath(folder / "elsewhere", path.parent))
        case 1:
            path.symlink_to(os.path.relpath(folder / "elsewhere" / "target", path.parent))
        case 2:
            os.mkfifo(path)
        case 3:
            path.mkdir()
        case _:
            path.write_text("")


def _linked_pictures(random: Random, folder: Path) -> None:
    for path in (folder / "pictures").iterdir():
        path.unlink()
    (folder / "pictures").rmdir()
    (folder / "pictures").symlink_to("elsewhere")


TRAPS: tuple[Callable[[Random, Path], None], ...] = (
    *(_picture_trap, _picture_trap, _mutated_picture, _folder_trap, _folder_trap, _linked_pictures),
)


def _read_report(folder: Path) -> object:
    """Make pages of a report; nothing in them may run, and nothing of elsewhere may be in them."""
    code = main(["report", "--from", str(folder / NAME), "--out", str(folder / "out")])
    if code != BAD_INPUT:  # else files of somebody else were in the way, and stay
        check_pages(folder / "out")
    assert {path.name for path in (folder / "elsewhere").iterdir()} == {"secret", "target"}
    assert (folder / "elsewhere" / "secret").read_bytes() == SECRET
    assert (folder / "elsewhere" / "target").read_bytes() == png()
    page = folder / "out" / "index.html"
    secret = base64.b64encode(SECRET)[:40]
    assert not page.is_file() or secret not in page.read_bytes(), "carries a secret away"
    return code


def _make_earlier(random: Random, folder: Path) -> None:
    """Write a hostile report into the folder where another is to be measured."""
    own = {"environment": _environment(), "program": program()}
    document = small_report() | own | {"complete": False}
    document["kept"] = {"rows": document["experiments"][0]["rows"][:1], "pictures": []}
    (folder / NAME).write_bytes(_hostile(random, document))


def _read_earlier(folder: Path) -> None:
    """Take over all parts of an earlier report; one that is damaged is kept under another name."""
    before = (folder / NAME).read_bytes()
    document = Document(folder / NAME, "wheatstone report")
    kept, rows = KeptRows(document), small_report()["experiments"][0]["rows"]
    for row in rows:
        kept.find(ONE, ONE.variants[0], row["command"])
    for kind in PARTS:
        for part in small_report().get(kind, ()):
            document.find(kind, part["command"])
    document.save()
    if document.note:
        assert len(document.note) < 1000
        assert (folder / f"{NAME}.damaged").read_bytes() == before


def _make_baseline(random: Random, folder: Path) -> None:
    results = _results()
    document = results.to_json()
    document["rows"] += small_report()["experiments"][0]["rows"][-2:]
    (folder / "baseline.json").write_bytes(_hostile(random, document))


def _read_baseline(folder: Path) -> None:
    """Compare a row with a baseline, and show what came of it."""
    before = read_baseline(folder / "baseline.json")
    results = _results()
    verdicts = judge(before, results.rows)
    listed = tables(results, before, verdicts)
    assert "<script" not in "".join(map(to_markdown, listed))
    print_tables(listed)


def _make_rows(random: Random, folder: Path) -> None:
    """Write a journal of two rows, of which one is damaged or tampered with."""
    path = folder / "b.json.part"
    RowJournal(path, ["here"]).add(measured_row())
    good = path.read_bytes()
    if random.random() < 0.3:
        path.write_bytes(mutated_text(random, (good * 2).decode()))
    else:
        changed = tampered(random, json.loads(good))
        path.write_bytes(good + json.dumps(changed).encode() + random.choice((b"\n", b"", b"\r\n")))


def _read_rows(folder: Path) -> None:
    """Go on from a journal: what is not ours stays as it is, what is damaged is kept aside."""
    path = folder / "b.json.part"
    before = path.read_bytes()
    try:
        journal = RowJournal(path, ["here"])
    except ValueError:
        assert path.read_bytes() == before
        raise
    aside = path.with_name(f"{path.name}.damaged")
    assert bool(journal.note) == aside.is_file() and len(journal.note) < 1000
    assert not aside.is_file() or aside.read_bytes() == before
    if result := journal.find(ONE, ONE.variants[1], "bench it"):
        print_tables(tables(Results("", [result], {}, "", _environment())))
        to_json(result)
    journal.add(measured_row())
    assert RowJournal(path, ["here"]).find(ONE, ONE.variants[1], "bench it") == measured_row()


KINDS = [
    FuzzKind("reports", _make_report, _read_report, (0, 1, 2)),
    FuzzKind("earlier-reports", _make_earlier, _read_earlier),
    FuzzKind("baselines", _make_baseline, _read_baseline),
    FuzzKind("row-journals", _make_rows, _read_rows),
]
