"""``--kernel`` is for every verb, also in other processes; only the command line loads a folder."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.batch_runs import files_in
from tests.batch_runs import walls as walls  # a fixture
from tests.dask_jobs import cluster_program
from tests.emulation import compiler as compiler  # a fixture
from tests.emulation import emulated_kernels as emulated_kernels  # another one
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import VERBS, _with_own_kernel, main
from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.kernels.folder import declare_folders
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.choice_options import parse_shown
from wheatstone.viewer.window.serving.messages import FIELDS

SIZE = ("--scene-size", "48x40", "--disparities", "16")


def folder(path: Path, name: str = "mine", stage: str = "median_filter") -> Path:
    write_folder(path, new_files(PIPELINES["sgm"], [stage], name, "global"))
    return path


def test_every_verb_takes_folders() -> None:
    assert all(issubclass(verb.request_class, VerbRequest) for verb in VERBS.values())


def test_a_folder_is_a_variant_for_a_verb(
    emulated_kernels: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = folder(tmp_path / "a"), folder(tmp_path / "b", "other", "depth")
    words = ["--kernel", str(first), f"--kernel={second}", *SIZE]
    assert main(["compare", "sgm", "mine", "other", *words]) == 0
    assert "sgm: mine and other" in capsys.readouterr().out


@pytest.mark.parametrize("verb", [["view"], ["render"], ["serve"], []])
def test_a_verb_that_shows_one_picture_begins_with_the_kernel(
    emulated_kernels: None, tmp_path: Path, verb: list[str]
) -> None:
    declare_folders([path := folder(tmp_path / "a")])
    words = [*verb, "sgm", "--kernel", str(path)]
    assert _with_own_kernel(words) == [*words, "--variant", "mine"]
    other = ["compare", "sgm", "--kernel", str(path)]
    assert _with_own_kernel(other) == other
    chosen = [*words, "--variant", "cpu"]
    assert _with_own_kernel(chosen) == chosen


def test_a_window_with_the_users_kernel_leaves_settings_that_fit_without_it(
    own_settings: Path, tmp_path: Path
) -> None:
    declare_folders([folder(tmp_path / "a", "leaving")])
    run = Run("sgm", "leaving")
    state = ViewerState(run, {}, paused=True)
    state.mixing = replace(state.mixing, mode="difference")
    user_settings.save(state)
    text = user_settings.last_session().read_text()
    assert "leaving" not in text and "difference" not in text
    assert state.slot.variant == "leaving" and state.paused


def test_two_folders_of_one_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = folder(tmp_path / "a"), folder(tmp_path / "b")
    assert main(["doctor", "--kernel", str(first), "--kernel", str(second)]) == 2
    assert "both named 'mine'" in capsys.readouterr().err


def test_a_folder_that_declares_no_variant_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = folder(tmp_path / "a") / "kernel.toml"
    document.write_text(document.read_text().replace('"global"', '"fast"'))
    assert main(["doctor", "--kernel", str(tmp_path / "a")]) == 2
    assert "kernel.toml: fast computes median_filter with other stages" in capsys.readouterr().err


@pytest.fixture
def address() -> Iterator[str]:
    """A cluster of two workers."""
    with cluster_program(2) as (address, _):
        yield address


def test_other_processes_and_workers_have_the_variant(
    emulated_kernels: None, walls: Path, tmp_path: Path, address: str
) -> None:
    own = ("--kernel", str(folder(tmp_path / "own")), "--variant", "mine")
    ways = {"cpu": ("--variant", "cpu"), "one": own, "two": (*own, "--processes", "2")}
    ways["cluster"] = (*own, "--cluster", address)
    for way, more in ways.items():
        lean = ("--disparities", "16", "--no-confidence", "--no-rows", "--values", "npy")
        assert main(["batch", str(walls), *lean, *more, "--out", str(tmp_path / way)]) == 0
    assert all(files_in(tmp_path / way) == files_in(tmp_path / "cpu") for way in ways)


def test_a_run_is_another_one_when_its_kernel_changes(tmp_path: Path) -> None:
    path = folder(tmp_path / "own")
    assert main(["completion", "bash", "--kernel", str(path)]) == 0
    before = Run("sgm", variant="mine").digest()
    (path / "median_filter.cu").open("a").write("\n// changed\n")
    assert main(["completion", "bash", "--kernel", str(path)]) == 0
    assert Run("sgm", variant="mine").digest() != before


def test_a_lesson_loads_no_folder(tmp_path: Path) -> None:
    path = folder(tmp_path / "own")
    with pytest.raises(ValueError, match="--kernel"):
        parse_shown(["--kernel", str(path)], PIPELINES["sgm"])


def test_settings_that_name_a_variant_load_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "mine")
    for extra in ("", 'kernel = ["mine"]\n'):
        settings = f'{extra}[slots.a]\npipeline = "sgm"\nvariant = "mine"\nkernel = "mine"\n'
        (tmp_path / "view.toml").write_text(settings)
        main(["render", "--settings", "view.toml", "--size", "64x48", "--out", "a.png"])
        assert "mine" not in [variant.name for variant in PIPELINES["sgm"].variants]


def test_a_folder_of_kernels_is_no_source(tmp_path: Path) -> None:
    with pytest.raises((OSError, ValueError)):
        open_source(SourceSpec(str(folder(tmp_path / "own"))))
    assert "mine" not in [variant.name for variant in PIPELINES["sgm"].variants]


def test_a_browser_cannot_name_a_folder_of_kernels() -> None:
    assert not any("kernel" in name for fields in FIELDS.values() for name in fields)


def test_a_new_folder_replaces_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kernel", "new", str(tmp_path / "own"), "sgm", "median_filter"]
    assert main(words) == 0 and main(words) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a pipeline"),
        (("sgn",), "did you mean 'sgm'"),
        (("sgm",), "name one or more stages of sgm: census_transform"),
        (("sgm", "median"), "did you mean 'median_filter'"),
        (("sgm", "median_filter", "--from", "cpu"), "cannot be the base in sgm"),
        (("sgm", "median_filter", "--from", "fast"), "use global-scanline, global, shared"),
        (("sgm", "median_filter", "--name", "a b"), "letters, digits"),
    ],
)
def test_a_wrong_command_says_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["kernel", "new", str(tmp_path / "own"), *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "own").exists()


def test_a_check_says_what_is_wrong_and_where(
    emulated_kernels: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own"
    write_folder(path, new_files(PIPELINES["invert"], ["invert"], "mine", "global"))
    words = ["kernel", "check", str(path), "--cases", "2"]
    assert main(words) == 0
    assert "invert/mine: identical" in capsys.readouterr().out
    file = path / "invert.cu"
    file.write_text(file.read_text().replace("255 -", "254 -"))
    assert main([*words, "--json"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["state"] == "wrong"
    wrong = verdict["stages"][0]["wrong"]
    assert wrong["index"] == [0, 0] and wrong["expected"] - wrong["actual"] == 1
    file.write_text(file.read_text().replace("254 -", "254 - nothing"))
    assert main(words) == 1
    assert "error: " in (out := capsys.readouterr().out) and "invert.cu:" in out
    file.unlink()
    assert main(words) == 2
