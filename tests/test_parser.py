"""Words that are mistyped or given twice are said, and what may have been meant."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from wheatstone.gpu.parameters import nearest
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import VERBS, main, parse
from wheatstone.viewer.parser import Once, Parser, parser_of

WITH_PIPELINE = ("view", "render", "compare", "bench", "figure")


def parsers() -> Iterator[Parser]:
    for name, verb in VERBS.items():
        request = verb.request_class
        if name in WITH_PIPELINE:
            yield from (parser_of(request, (pipeline,)) for pipeline in PIPELINES.values())
        else:
            yield parser_of(request, request.pipelines_of(())[2])


def test_no_option_given_twice_loses_the_first_unseen(capsys: pytest.CaptureFixture[str]) -> None:
    stored = [
        (parser.prog, action)
        for parser in parsers()
        for action in parser._actions
        if isinstance(action, argparse._StoreAction) and action.option_strings
    ]
    assert len(stored) > 100
    assert not [(prog, a.option_strings) for prog, a in stored if not isinstance(a, Once)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("render --out a.png --out b.png", "argument --out: is given twice (again with b.png)"),
        ("view --scene orbit --scene orbit", "argument --scene: is given twice"),
        ("bench --repeat 3 --repeat 4", "argument --repeat: is given twice"),
        ("render --median --no-median", "argument --median/--no-median: is given both ways"),
    ],
)
def test_an_option_given_twice_is_refused_in_one_line(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    err = capsys.readouterr().err
    assert left.value.code == 2 and message in err and err.count("\n") == 1


def test_lists_given_twice_are_joined() -> None:
    assert parse("bench sgm --variants cpu --variants fast shared".split()).variants == (
        *("cpu", "fast", "shared"),
    )
    assert parse("render --b-set p1=3 --b-set p2=9 --out a.png".split()).b_set == (
        ("p1", "3"),
        ("p2", "9"),
    )
    assert parse("render --median --median --out a.png".split()).params == {"median": True}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rendr", "no such file or verb 'rendr': did you mean render?"),
        ("version", "no such file or verb 'version': did you mean --version?"),
        ("help", "no such file or verb 'help': did you mean --help?"),
        ("--verison", "no such option '--verison': did you mean --version?"),
        ("Bench", "no such file or verb 'Bench': did you mean bench?"),
        ("render sgn", "no such file or pipeline 'sgn': did you mean sgm?"),
        ("bench sgm cany", "no such file or pipeline 'cany': did you mean canny?"),
        ("compare sgm fats cpu", "(did you mean 'fast'?)"),
        ("render sgm --preset fsat --out a.png", "no preset 'fsat' (did you mean 'fast'?)"),
        ("render sgm --b-preset fsat --out a.png", "no preset 'fsat' (did you mean 'fast'?)"),
        ("render sgm --b-variant refrence --out a.png", "(did you mean 'reference'?)"),
        ("render sgm --b-set mediann=on --out a.png", "(did you mean 'median'?)"),
        ("render sgm --cost censu-ring --out a.png", "(did you mean 'census-ring'?)"),
        ("render sgm --set look.them=light --out a.png", "(did you mean 'theme'?)"),
        ("render sgm --set lok.theme=light --out a.png", "(did you mean 'look'?)"),
        ("zzzz", "zzzz: no such file or folder; check the path"),
        ("render srt://z:1 --out a.png", "srt://z:1: no address that is read: files have a path"),
    ],
)
def test_a_mistyped_name_is_not_taken_for_a_file(
    words: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert message in capsys.readouterr().err


def test_a_device_is_not_taken_for_its_opposite(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["view", "--decoding", "cpu"])
    assert "(did you mean 'software'?)" in capsys.readouterr().err
    assert [nearest("GPU", known) for known in (["cpu", "cuda"], ["cpu", "fast"])] == ["cuda", ""]
    assert nearest("cpu", ["gpu", "shared"]) == ""


@pytest.mark.parametrize("words", ["rendr", "render sgn", "./rendr", "rendr.png"])
def test_what_may_be_a_file_is_one(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rendr").mkdir()
    (tmp_path / "sgn").touch()
    assert parse(words.split()).left == words.split()[-1]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("render --outt x.png", "'--out'"),
        ("render --view disparty", "'disparity'"),
        ("render --variant opencv-sgm", "'opencv-sgbm'"),
        ("evaluate --convention kiti2015", "'kitti"),
    ],
)
def test_a_mistyped_option_or_choice_is_reported_with_what_may_be_meant(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(words.split())
    err = capsys.readouterr().err
    assert left.value.code == 2 and err.count("\n") == 1 and f"(did you mean {meant}" in err


@pytest.mark.parametrize(
    "words", [("render", "--size=--"), ("figure", "--out=f.svg", "--width=--")]
)
def test_two_dashes_are_no_value(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        parse(words)
    assert leaving.value.code == 2
    assert capsys.readouterr().err.endswith(": expected one argument\n")
