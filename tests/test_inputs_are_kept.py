"""No output replaces an input: every verb, every option that names an output, every kind of input.

The options are those that the program declares: one that this file does not know fails a test.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import running_app
from tests.patience import wait_until
from tests.rigs import write_pair
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.cli.declarations import declared_verbs
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.film import write_film
from wheatstone.viewer.io.files.values import kitti
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.resources import ASSETS, ASSIGNMENTS
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.settings.recipe import dumps
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.window.app import App

SIZE = (64, 48)
LESSONS = ASSETS / "lessons"
LEAN = ["--disparities", "16", "--variant", "reference"]
CALIBRATION = """\
cam0=[100 0 32; 0 100 24; 0 0 1]
cam1=[100 0 32; 0 100 24; 0 0 1]
doffs=0
baseline=100
width=64
height=48
"""
READ = (
    *("word", "--calibration", "--calibration-right", "--truth", "--settings", "--script"),
    *("--source", "--baseline", "--data", "--from", "--tls", "--root", "--kernel"),
    *("--b-values", "--results"),
)
"""Options of files that are read; ``word`` stands for words without an option."""


@dataclass(frozen=True)
class Reads:
    """A command line that reads files, and the options that name what it writes.

    Attributes:
        inputs: files that it reads, in the folder in which it runs.
        outputs: the ending that each option's file has.
    """

    words: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: Mapping[str, str]
    needed: tuple[str, ...] = ()


PAIR = ("one/left.png", "one/right.png")
RAW = ("rig/left.png", "rig/right.png")
TRUTH = "one/disparity.png"
RENDERED = {"--out": ".png", "--values": ".npy", "--cloud": ".ply"}
MEASURED = {"--json": ".json", "--markdown": ".md", "--csv": ".csv"}
LISTED = ("ds/p0_left.png", "ds/p1_right.png", "ds/truth/p0.png", "ds/manifest.toml")
COMMANDS = {
    "render a pair": Reads(("render", "sgm", *PAIR, *LEAN), (*PAIR, TRUTH), RENDERED),
    "render as told": Reads(
        ("render", "sgm", *PAIR, *LEAN, "--truth", "more/truth.png", "--calibration", "calib.txt"),
        ("more/truth.png", "calib.txt"),
        RENDERED,
    ),
    "render beside values": Reads(
        ("render", "sgm", *PAIR, *LEAN, "--b-values", "a.npy"), ("a.npy",), RENDERED
    ),
    "render settings": Reads(("render", "--settings", "chosen.toml"), ("chosen.toml",), RENDERED),
    "render a shot": Reads(("render", "shot.png"), ("shot.png", "one/left.png"), RENDERED),
    "render a script": Reads(
        ("render", "invert", "--script", "steps.txt"),
        ("steps.txt",),
        {**RENDERED, "--record": ".mkv"},
    ),
    "render a folder": Reads(
        ("render", "sgm", "seq", *LEAN), ("seq/left/1.png", "seq/right/0.png"), RENDERED
    ),
    "bench": Reads(
        ("bench", "invert", "one/left.png", "--baseline", "before.json"),
        ("one/left.png", "before.json"),
        MEASURED,
    ),
    "compare": Reads(("compare", "cpu", "cpu", *PAIR), PAIR, {"--out": ".png"}),
    "compare files": Reads(("compare", "a.npy", "b.npy"), ("a.npy", "b.npy"), {"--out": ".png"}),
    "figure": Reads(
        ("figure", *PAIR, "--truth", "more/truth.png"),
        (*PAIR, "more/truth.png"),
        {"--out": ".svg"},
    ),
    "figure beside values": Reads(
        ("figure", *PAIR, *LEAN, "--b-values", "a.npy"), ("a.npy",), {"--out": ".svg"}
    ),
    "figure of a shot": Reads(
        ("figure", "shot.png"), ("shot.png", "one/left.png"), {"--out": ".pdf"}
    ),
    "batch": Reads(("batch", "one", *LEAN, "--out", "results"), (*PAIR, TRUTH), {"--bag": ".mcap"}),
    "evaluate": Reads(
        ("evaluate", "ds/manifest.toml", *LEAN), LISTED, {**MEASURED, "--state": ".jsonl"}
    ),
    "evaluate results": Reads(
        ("evaluate", "ds/manifest.toml", "--results", "theirs"),
        ("theirs/p0.npy",),
        {**MEASURED, "--state": ".jsonl"},
    ),
    "calibrate": Reads(
        ("calibrate", "seq", "--board", "chess:9x6", "--square", "25mm"),
        ("seq/left/0.png", "seq/right/1.png"),
        {"--out": ".toml", "--json": ".json", "--picture": ".png", "--print": ".pdf"},
        ("--out",),
    ),
    "view": Reads(("view", *PAIR), PAIR, {"--record": ".mkv"}),
    "serve": Reads(("serve", *PAIR), PAIR, {"--record": ".mkv"}),
}
"""What is written below a folder is in ``FOLDERS``, by name in place of an option."""
FOLDERS = {
    "batch": Reads(
        ("batch", "ds", *LEAN, "--values", "png", "--pictures", "--cloud", "ply", "--video", "mp4"),
        (*LISTED, "ds/truth/p1.png"),
        dict.fromkeys(
            (
                *("disparity/p0.png", "picture/p1.png", "cloud/p1.ply", "ds.mp4"),
                *("summary.csv", "summary.json", "batch.jsonl"),
            ),
            "",
        ),
    ),
    "batch of a video": Reads(
        ("batch", "night.mp4", *LEAN, "--layout", "side-by-side", "--pictures", "--video", "mp4"),
        ("night.mp4",),
        dict.fromkeys(("picture/000001.png", "night.mp4"), ""),
    ),
    "batch of results": Reads(
        ("batch", "ds", "--results", "theirs", "--values", "png"),
        (*LISTED, "theirs/p0.npy"),
        dict.fromkeys(("disparity/p0.png", "summary.csv"), ""),
    ),
    "rectify": Reads(
        ("rectify", *RAW, "--calibration", "rig/rig.toml"),
        (*RAW, "rig/rig.toml"),
        dict.fromkeys(("im0.png", "im1.png", "calib.txt"), ""),
    ),
    "kernel grade": Reads(
        ("kernel", "grade", "course", "--assignment", "canny.toml"),
        ("canny.toml", "course/one/kernel.toml", "course/one/gradient.cu"),
        dict.fromkeys(("grades.csv", "grades.xml", "grades.jsonl"), ""),
    ),
    "report": Reads(
        ("report", "--quick", "--data", "ds"),
        LISTED,
        dict.fromkeys(("report.json", "index.html", "report.md", "pictures/sgm-reasons.png"), ""),
    ),
    "lesson": Reads(
        ("lesson", "mine.md", *PAIR), ("mine.md", *PAIR), {"step-01.png": "", "step-02.png": ""}
    ),
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("work")
    frame = Scene("brushes", 0, SIZE).first()
    assert frame.right is not None and frame.truth is not None
    left, right = Image.fromarray(frame.left), Image.fromarray(frame.right)
    truth = Image.fromarray(kitti(frame.truth))
    for folder in ("one", "more", "course", "ds/truth", "seq/left", "seq/right"):
        (top / folder).mkdir(parents=True)
    left.save(top / PAIR[0])
    right.save(top / PAIR[1])
    truth.save(top / TRUTH)
    truth.save(top / "more/truth.png")
    entries = []
    for n in range(2):
        left.save(top / f"ds/p{n}_left.png")
        right.save(top / f"ds/p{n}_right.png")
        truth.save(top / f"ds/truth/p{n}.png")
        left.save(top / f"seq/left/{n}.png")
        right.save(top / f"seq/right/{n}.png")
        entries.append(
            f'[[pairs]]\nname = "p{n}"\nleft = "p{n}_left.png"\nright = "p{n}_right.png"\n'
            f'truth = "truth/p{n}.png"\n'
        )
    (top / "ds/manifest.toml").write_text("\n".join(entries))
    (top / "calib.txt").write_text(CALIBRATION)
    (top / "steps.txt").write_text("settle\n")
    write_film(top / "night.mp4", [np.hstack([frame.left, frame.right])] * 3, 10)
    (top / "theirs").mkdir()
    for name in ("a.npy", "b.npy", "theirs/p0.npy", "theirs/p1.npy"):
        np.save(top / name, frame.truth)
    (top / "rig").mkdir()
    write_pair(top / "rig")
    (top / "canny.toml").write_bytes(ASSIGNMENTS["canny"].read_bytes())
    write_folder(top / "course/one", new_files(PIPELINES["canny"], ["gradient"], "one", None))
    (top / "mine.md").write_bytes((LESSONS / "mean.md").read_bytes())
    _write_made(top)
    return top


def _write_made(top: Path) -> None:
    """Write files that the program makes itself: a picture with its recipe, settings, times."""
    with pytest.MonkeyPatch.context() as patches:
        patches.chdir(top)
        assert main(["render", "invert", PAIR[0], "--out", "shot.png"]) == 0
        words = [
            "bench",
            "invert",
            PAIR[0],
            "--repeat",
            "1",
            "--seconds",
            "0.01",
            "--variants",
            "cpu",
        ]
        assert main([*words, "--json", "before.json"]) == 0
    recipe = read_recipe(top / "shot.png")
    assert recipe
    (top / "chosen.toml").write_text(dumps(recipe))


@pytest.fixture(autouse=True)
def there(work: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in the folder; whatever a test tries, every file is as it was."""
    monkeypatch.chdir(work)
    before = contents(work)
    yield
    for name in ("other", "out"):
        shutil.rmtree(work / name, ignore_errors=True)
    assert contents(work) == before


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        name: path.read_bytes()
        for path in files
        if not (name := str(path.relative_to(folder))).startswith(("other", "out"))
    }


def hard_link(path: Path, file: str) -> Path:
    path.hardlink_to(file)
    return path


def link(path: Path, file: str) -> Path:
    path.symlink_to(Path(file).absolute())
    return path


def roundabout(path: Path, file: str) -> Path | None:
    """The file itself, by way of a link to its folder and back; None where its ending is wrong."""
    if path.suffix != Path(file).suffix:
        return None
    folder = path.parent / "folder"
    folder.symlink_to(Path(file).absolute().parent)
    return folder / ".." / Path(file).absolute().parent.name / Path(file).name


pytest.importorskip("aiohttp", reason="comes with the extra serve")
pytest.importorskip("av", reason="comes with the extra video")
ALIASES = [hard_link, link, roundabout]
Alias = Callable[[Path, str], Path | None]


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    code = main(words)
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), err
    return err


def given(command: Reads, option: str, path: Path, folder: Path) -> list[str]:
    others = [(o, folder / f"needed{command.outputs[o]}") for o in command.needed if o != option]
    return [*command.words, *(str(word) for o, p in [*others, (option, path)] for word in (o, p))]


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_is_never_written_over_what_is_read(
    name: str, alias: Alias, capsys: pytest.CaptureFixture[str]
) -> None:
    command = COMMANDS[name]
    for option, ending in command.outputs.items():
        for file in command.inputs:
            folder = Path("other")
            folder.mkdir()
            if path := alias(folder / f"alias{ending}", file):
                err = refused(given(command, option, path, folder), capsys)
                exists = option == "--record" and "exists already" in err
                assert exists or "would replace an input" in err, (option, file)
            shutil.rmtree(folder)


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_written_over_what_is_read_below_a_folder(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = FOLDERS[name]
    for written in command.outputs:
        for file in command.inputs:
            path = Path("out", written)
            path.parent.mkdir(parents=True)
            path.hardlink_to(file)
            err = refused([*command.words, "--out", "out"], capsys)
            assert "would replace an input" in err, (written, file)
            shutil.rmtree("out")


@pytest.mark.parametrize("name", ["batch", "batch of a video", "report"])
def test_no_link_below_a_folder_leads_writing_elsewhere(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {str(Path(written).parent) for written in FOLDERS[name].outputs} - {"."}
    for place in [*names, *(["batch.jsonl"] if name == "batch" else [])]:
        Path("other").mkdir()
        Path("out").mkdir()
        Path("out", place).symlink_to(Path("other", *[place] * ("." in place)).absolute())
        err = refused([*FOLDERS[name].words, "--out", "out"], capsys)
        assert f"out/{place}: a link is in the way" in err
        assert not list(Path("other").iterdir())
        shutil.rmtree("out")
        shutil.rmtree("other")


@pytest.mark.parametrize("name", COMMANDS)
def test_two_outputs_are_never_one_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = COMMANDS[name]
    for first, second in combinations((o for o in command.outputs if o != "--record"), 2):
        folder = Path("other")
        folder.mkdir()
        path = folder / f"one{command.outputs[first]}"
        path.write_text("earlier")
        alias = link(folder / f"two{command.outputs[second]}", str(path))
        words = given(command, first, path, folder)
        if second in command.needed:
            words = [*command.words, first, str(path)]
        assert "must name different files" in refused([*words, second, str(alias)], capsys)
        shutil.rmtree(folder)


@pytest.mark.parametrize("other", ["x.png", "X.PNG", "folder/../x.png"])
def test_one_name_given_twice_is_refused(other: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other", "folder").mkdir(parents=True)
    words = ["render", "sgm", *PAIR, *LEAN, "--out", "other/x.png", "--values", f"other/{other}"]
    assert "must name different files" in refused(words, capsys)


def test_every_option_that_names_a_file_is_known_here() -> None:
    """A new one is either read, and listed in READ, or written, and has a command above."""
    tried = {(one.words[0], option) for one in COMMANDS.values() for option in one.outputs}
    tried |= {(one.words[0], "--out") for one in FOLDERS.values()}
    tried |= {("submit", "--out")}  # a ZIP, which no verb reads
    for verb in declared_verbs():
        for option in verb.options:
            names = option.names or ("word",)
            if option.is_file and not set(READ) & set(names):
                assert (verb.verb, option.names[0]) in tried


def step_until(app: App, text: str) -> None:
    """Let frames pass until a message is shown."""

    def is_reported() -> bool:
        app.step()
        return text in app.state.message

    wait_until(is_reported)


@pytest.mark.opengl
def test_a_window_takes_the_next_free_name_and_replaces_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = Path("other").absolute()
    folder.mkdir()
    monkeypatch.chdir(folder)
    shutil.copy(folder.parent / PAIR[0], "wheatstone-001.png")
    Path("settings.toml").write_text("mine")
    Path("alias.mkv").hardlink_to("wheatstone-001.png")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with OffscreenContext(None), running_app("invert", "wheatstone-001.png") as app:
        for effect in (("save settings", "settings"), ("record", "alias.mkv")):
            app.state.effects.append(effect)
            step_until(app, "exists already")
            app.state.hint("")
        app.state.effects.append(("screenshot",))
        step_until(app, "saved wheatstone-002.png")
    assert all(path.read_bytes() == content for path, content in before.items())
