"""The exercise of docs/kernels.md: its commands run in order, and print what the page says."""

import re
from pathlib import Path

import pytest

from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from wheatstone.viewer.cli.cli import main, parse

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "kernels.md").read_text()
PART = re.compile(r"^```(\w+)\n(.*?)^```$|^    wheatstone ([^#\n]*)(?:#([^\n]*))?$", re.M | re.S)
SOLUTIONS = Path(__file__).resolve().parent / "own_kernels"
EXERCISE, REFERENCE = PAGE.split("## Any other stage")


def run(words: list[str], comment: str) -> None:
    """Run a command line of the page; a window is only understood."""
    if words[0] == "view":
        assert parse(words).verb == "view"
        return
    code = re.search(r"exit code (\d)", comment)
    assert main(words) == int(code[1] if code else 0), words


def test_the_exercise_leads_to_an_identical_kernel(
    emulated_kernels: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, printed, shown = tmp_path / "my-mean", "", 0
    for language, text, words, comment in PART.findall(EXERCISE):
        if language == "cuda":
            (folder / "mean_filter.cu").write_text(text)
        elif language == "toml":
            with (folder / "kernel.toml").open("a") as document:
                document.write(text)
        elif language == "text":
            shown += 1
            assert [line for line in text.splitlines() if line not in printed] == [], printed
        else:
            run(words.split(), comment)
            printed = capsys.readouterr().out
    assert shown == 5
    solution = (SOLUTIONS / "winner_takes_all.cu").read_text()
    (tmp_path / "my-winner" / "winner_takes_all.cu").write_text(solution)
    run(["kernel", "check", "my-winner"], "")
    assert "sgm/my-winner: identical in 49 cases" in (printed := capsys.readouterr().out)
    assert "reads sums: 270,270 sectors" in printed and "at best 20,790" in printed


def test_the_other_command_lines_run(
    emulated_kernels: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kernels = [text for language, text, _, _ in PART.findall(EXERCISE) if language == "cuda"]
    assert main(["kernel", "new", "my-mean", "mean", "mean_filter"]) == 0
    (tmp_path / "my-mean" / "mean_filter.cu").write_text(kernels[2])
    (tmp_path / "submissions").mkdir()
    assert main(["kernel", "new", "submissions/a", "--assignment", "canny"]) == 0
    lines = [words for _, _, words, _ in PART.findall(REFERENCE)]
    assert len(lines) == 7
    for words in lines:
        few = (
            ["--cases", "2"] if words.startswith("kernel check") and "--cases" not in words else []
        )
        run([*words.split(), *few], "")
