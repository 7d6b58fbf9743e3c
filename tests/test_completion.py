"""Shells complete the command line, and the manual page is well-formed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import VERBS, main
from wheatstone.viewer.cli.declarations import DeclaredVerb, declared_verbs
from wheatstone.viewer.cli.documentation import man_page

CASES = [
    ("wheatstone rend", {"render"}),
    ("wheatstone sg", {"sgm"}),
    ("wheatstone render can", {"canny"}),
    ("wheatstone render sgm --view d", {"disparity", "depth"}),
    ("wheatstone render canny --view hy", {"hysteresis"}),
    ("wheatstone --view ana", {"anaglyph"}),
    ("wheatstone render --p2-ad", {"--p2-adaptation"}),
    ("wheatstone bench mean --variants unr", {"unrolled"}),
    ("wheatstone view --preset indo", {"indoor"}),
    ("wheatstone completion f", {"fish"}),
    (
        "wheatstone rectify --calibration-",
        {"--calibration-right", "--calibration-scale", "--calibration-unit"},
    ),
]
IN_BASH = """\
source {script}
complete -p wheatstone >/dev/null || exit 1
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_wheatstone && printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def verbs() -> list[DeclaredVerb]:
    return list(declared_verbs())


@pytest.fixture
def script(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Path:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    assert main(["completion", request.param]) == 0
    path = tmp_path / "script"
    path.write_text(capsys.readouterr().out)
    return path


def output(*command: str | Path) -> list[str]:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return ran.stdout.splitlines()


def test_every_verb_and_option_is_declared(verbs: list[DeclaredVerb]) -> None:
    assert {one.verb for one in verbs} == set(VERBS)
    (sgm,) = [one for one in verbs if (one.verb, one.pipeline) == ("render", "sgm")]
    by_name = {name: option for option in sgm.options for name in option.names}
    assert by_name["--out"].is_file and not by_name["--median"].metavar
    assert "--no-median" in by_name and by_name["--preset"].values == tuple(
        PIPELINES["sgm"].presets
    )


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.parametrize(("line", "words"), CASES)
def test_bash_completes(script: Path, line: str, words: set[str]) -> None:
    assert set(output("bash", "-c", IN_BASH.format(script=script, words=line))) == words


@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes(script: Path, tmp_path: Path) -> None:
    for line, one in CASES:
        asked = f"cd {tmp_path}; source {script}; complete -C '{line}'"
        lines = output("fish", "--no-config", "-c", asked)
        assert {each.split("\t")[0] for each in lines} == one, line


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_reads_its_script(script: Path) -> None:
    asked = f"autoload -U compinit; compinit -u -D; source {script}; whence -w _wheatstone"
    assert output("zsh", "-f", "-c", asked) == ["_wheatstone: function"]


def test_the_manual_page_names_every_verb_pipeline_and_option(verbs: list[DeclaredVerb]) -> None:
    page = man_page().replace("\\-", "-")
    names = {name for one in verbs for option in one.options for name in option.names}
    lacking = {name for name in names if f"\\fB{name}\\fR" not in page}
    assert lacking <= {"-h", "--help"}
    assert all(f'"WHEATSTONE {verb.upper()}"' in page for verb in VERBS)
    assert all(f'"PIPELINE {name.upper()}"' in page for name in PIPELINES)


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_page_is_laid_out_without_a_complaint(tmp_path: Path) -> None:
    page = tmp_path / "wheatstone.1"
    page.write_text(man_page())
    command = ("groff", "-man", "-ww", "-Tutf8", "-z", str(page))
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
