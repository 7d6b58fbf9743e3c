"""What tests share: markers that skip with a reason, and where the outside data lies."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from importlib.abc import MetaPathFinder
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("WHEATSTONE_GL_CHECKS", "1")  # before OpenGL is bound
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else its threads spin where tests compute
os.environ.setdefault("LP_NUM_THREADS", "0")  # drawing by the CPU: threads cost more than they gain
os.environ["COLUMNS"] = "80"  # not the terminal's, by which help breaks its lines


from tests.programs import lean_scenes
from wheatstone.gpu.analysis.measurement import copy_bandwidth
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.ahead import with_conversion, with_rectification

signal.signal(signal.SIGINT, signal.default_int_handler)  # children inherit it, even under nohup

settings.register_profile("wheatstone", deadline=None)  # a loaded machine is no error
settings.load_profile("wheatstone")


class OneName(MetaPathFinder):
    """Refuses modules of ours without ``wheatstone``: loaded again, they would be other objects."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Raise ``ImportError`` for a second name of a module."""
        if name.partition(".")[0] in ("viewer", "gpu"):
            raise ImportError(f"{name} is imported as wheatstone.{name}")


sys.meta_path.insert(0, OneName())

pytest_plugins = ["tests.gl_fixtures", "tests.batch_runs", "tests.emulation"]
ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = ROOT.parent / "shared" / "data"

LONGEST = (
    *("newcomer_tasks", "kernel_grading", "kernel_limits", "report", "packed_leaned"),
    *("kernels_emulated", "kernels_compile", "fast_ncc", "emulation", "calibrate", "jobs"),
    *("regular_expressions", "menus_by_mouse", "model_probe", "keys_in_window", "own_kernels"),
    *("peers_everywhere", "endings", "bags", "bands", "fast", "own_kernel_mistakes", "cold_start"),
    *("serving_in_chromium", "pace", "fast_canny", "film", "app", "api", "parity", "open_sources"),
    *("window", "bench", "packed_peaks", "evaluate", "report_from_strangers"),
    *("device_process", "findings", "batch", "inputs_are_kept", "menus", "panels_laid_out"),
    *("serving", "run_folders", "bad_use", "odd_names", "figure", "temporal_filter", "row_meter"),
    *("picture_labels_in_window", "fuzz", "waiting", "overlapping", "calibrate_panel"),
    *("probe", "lesson_panel", "report_in_chromium", "kernels_page", "show", "own_kernel_reload"),
    *("site", "video_index", "killed_recordings", "videos", "examples", "uncalibrated"),
)
"""Files that take long, which come first: a long one that came last would leave cores idle."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the longest files come first; skip what needs a GPU where there is none, and say why.

    Under ``--dist loadgroup`` a file's tests share a worker, as under ``loadfile``, but for those
    marked ``spread``.
    """
    place = {f"test_{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))
    reason = why_unavailable("cuda")
    groups = config.getoption("dist", "no") == "loadgroup"
    for item in items:
        if groups and not item.get_closest_marker("spread"):
            item.add_marker(pytest.mark.xdist_group(item.path.name))
        if reason and item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason=f"no CUDA device: {reason}"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collections, of which each looks at all tests so far."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over modules and collected tests, which stay to the end.

    Else every full collection, such as ``bench`` makes before it measures, looks at all of them.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # compilations would set off many collections


@pytest.fixture(scope="session", autouse=True)
def scenes() -> Iterator[None]:
    """Let built-in scenes cost little in this process."""
    with lean_scenes():
        yield


@pytest.fixture(scope="session", autouse=True)
def one_copy() -> Iterator[None]:
    """Measure once a process how fast a device copies: it takes a second and half a gigabyte."""
    with pytest.MonkeyPatch.context() as patches:
        measured = cache(copy_bandwidth)
        patches.setattr("wheatstone.viewer.run.measuring.variants.copy_bandwidth", measured)
        patches.setattr("wheatstone.gpu.analysis.roofline.copy_bandwidth", measured)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is made for a whole file of tests begins without the user's settings, too."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("no_settings")))
        yield


@pytest.fixture(scope="session")
def settings_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders for settings; pytest would look through all earlier ones for each."""
    base = tmp_path_factory.mktemp("settings")
    return (base / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_settings(settings_folders: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for settings instead of the user's; the program's is a folder within."""
    folder = next(settings_folders)
    folder.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder / "wheatstone"


@pytest.fixture
def heeded_signals() -> Iterator[None]:
    """Let a hangup end a program, even under ``nohup``; at other times it may not end the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@cache
def _pipelines() -> tuple[Pipeline, ...]:
    rectifying = [*PIPELINES.values(), *map(with_rectification, PIPELINES.values())]
    return (*rectifying, *map(with_conversion, rectifying))


@pytest.fixture(autouse=True)
def declared_variants(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove the variants and the folders of kernels that a test declares."""
    before = [pipeline.variants for pipeline in _pipelines()]
    monkeypatch.setattr("wheatstone.gpu.own_variants._declared", {})
    monkeypatch.setattr("wheatstone.viewer.run.kernels.folder._loaded", [])
    yield
    for pipeline, variants in zip(_pipelines(), before, strict=True):
        if pipeline.variants is not variants:
            object.__setattr__(pipeline, "variants", variants)
            pipeline.__dict__.pop("_variants", None)


@pytest.fixture
def data() -> Path:
    """The folder of published pairs and golden outputs, which the project does not ship."""
    if not OUTSIDE.is_dir():
        pytest.skip(f"the folder of golden outputs is absent ({OUTSIDE.name} beside the project)")
    return OUTSIDE
