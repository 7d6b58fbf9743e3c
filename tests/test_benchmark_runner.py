"""Benchmarks are found by name, and read their options from their signatures."""

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest

from benchmarks import runner
from benchmarks.runner import Count, Findings, Size, WrongInput, benchmarks, run
from wheatstone.gpu import Unavailable

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    calls: list[object] = []

    def main(
        folder: Path,
        *words: str,
        size: Size = (640, 480),
        counts: tuple[Count, ...] = (1, 2),
        only: Annotated[tuple[str, ...], ("a", "b"), "some"] = (),
        fast_way: bool = False,
    ) -> Findings:
        calls.extend((folder, words, tuple(size), tuple(counts), tuple(only), fast_way))
        if "absent" in words:
            raise Unavailable("no GPU")
        if "wrong" in words:
            raise WrongInput("no such pair")
        return Findings({"n": 3}, ["a line"], passed="fails" not in words)

    module = ModuleType("benchmarks.cloud")
    module.main = main  # type: ignore[attr-defined]
    monkeypatch.setattr(runner, "import_module", lambda name: module)
    monkeypatch.setitem(sys.modules, main.__module__, sys.modules[__name__])
    return calls


def test_without_a_name_all_benchmarks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in ("soak", "parity", "fuzz"))
    assert "growth" not in benchmarks()  # which has no function `main`


@pytest.mark.parametrize("name", ["nothing", "growth", "../parity", "-x"])
def test_an_unknown_name_is_refused(name: str) -> None:
    assert run([name]) == 2


@pytest.mark.parametrize("name", benchmarks())
def test_every_benchmark_shows_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run([name, "--help"])
    assert ended.value.code == 0
    assert f"python -m benchmarks {name}" in capsys.readouterr().out


def test_pages_name_benchmarks_that_are_there() -> None:
    named = {n for page in PAGES for n in re.findall(r"-m benchmarks (\w+)", page.read_text())}
    assert len(named) > 10 and named - {"NAME"} <= benchmarks().keys()


def test_options_are_read_by_their_types(taken: list[object]) -> None:
    assert run(["cloud", "here"]) == 0
    assert taken == [Path("here"), (), (640, 480), (1, 2), (), False]
    taken.clear()
    words = ["--size", "32x16", "--counts", "5", "--only", "b", "a", "--fast-way", "--other=1"]
    assert run(["cloud", "here", *words]) == 0
    assert taken == [Path("here"), ("--other=1",), (32, 16), (5,), ("b", "a"), True]


@pytest.mark.parametrize("words", [["--size", "0x1"], ["--counts", "0"], ["--only", "c"], []])
def test_wrong_words_end_with_2(words: list[str], taken: list[object]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["cloud", *(["here"] if words else []), *words])
    assert ended.value.code == 2 and not taken


@pytest.mark.usefixtures("taken")
def test_findings_are_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cloud", "here", "--json", str(tmp_path / "a.json")]) == 0
    assert capsys.readouterr().out == "a line\n"
    assert json.loads((tmp_path / "a.json").read_text()) == {"n": 3}


@pytest.mark.parametrize(("word", "code"), [("fails", 1), ("wrong", 2), ("absent", 3)])
@pytest.mark.usefixtures("taken")
def test_exit_codes_tell_failures_apart(word: str, code: int) -> None:
    assert run(["cloud", "here", word]) == code


def test_a_folder_that_is_no_checkout_of_libsgm_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["libsgm", str(tmp_path)]) == 2
    assert "include/libsgm.h is missing" in capsys.readouterr().err
