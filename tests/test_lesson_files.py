"""The verb ``lesson``: what it writes without a window, and what it refuses."""

from pathlib import Path

import pytest

from tests.pictures import read
from wheatstone.viewer.cli.cli import BAD_INPUT, main

TWO_STEPS = """# Two steps

```wheatstone
invert
```

## One

The picture has {width} columns.

> And rows?

It has {height}.

## Two

That is all.
"""


@pytest.mark.opengl
def test_a_lesson_of_ones_own_is_written_as_pictures_and_as_a_film(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.md").write_text(TWO_STEPS)
    words = ["lesson", "own.md", "--scene-size", "96x64", "--size", "480x320"]
    assert main([*words, "--out", "steps"]) == 0
    written = sorted(path.name for path in Path("steps").iterdir())
    assert written == ["step-01-answer.png", "step-01.png", "step-02.png"]
    assert read(Path("steps/step-01.png")).shape == (320, 480, 3)
    assert main([*words, "--out", "own.mp4", "--seconds", "1", "--step", "2"]) == 0
    assert Path("own.mp4").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sgn",), "did you mean sgm"),
        (("broken.md",), "broken.md: there is no fact 'wdth'"),
        (("meant.md", "--out", "steps"), "meant.md: a line begins with an option, a pipeline"),
        (("mean", "--step", "99"), "has steps 1 to"),
        (("mean", "--out", "steps.gif"), "steps.gif: a film is .mp4, .mkv or .mov"),
        (("absent.md",), "no such file"),
        ((), "LESSON"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.md").write_text(TWO_STEPS.replace("{width}", "{wdth}"))
    Path("meant.md").write_text(TWO_STEPS.replace("invert", "invart"))
    try:
        code = main(["lesson", *words])
    except SystemExit as ended:
        code = int(str(ended.code))
    complaint = capsys.readouterr().err
    assert (code, complaint.count("\n")) == (BAD_INPUT, 1)
    assert message in complaint
