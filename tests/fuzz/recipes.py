"""Hostile recipes: settings, screenshots, the last session, recent sources and presets."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, PngImagePlugin
from pytest import MonkeyPatch

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated, mutated_text
from tests.fuzz.tampering import tampered
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choices
from wheatstone.viewer.choices.tuning import likeness, with_preset
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.findings import FINDINGS
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.start.looking import query_start
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.dismissed_findings import read_dismissed, write_dismissed
from wheatstone.viewer.settings.dropped_files import understood
from wheatstone.viewer.settings.recent_sources import note_source, recent_sources
from wheatstone.viewer.settings.trust import seal_of

ABSENT = {"cpu": "", "cuda": "no GPU"}
NAMED = ("left", "right", "calibration", "calibration_right", "truth")
NAMES = ("left.png", "/dev/zero", "pipe", "/etc/passwd", "../x.png", "/proc/self/mem", ".", "/")


def _recipe(random: Random) -> settings.Recipe:
    """Write down a state in which much is chosen."""
    state = ViewerState(default_slot(random.choice(list(PIPELINES)), ABSENT), ABSENT)
    state.slot = replace(state.slot, variant="cpu")
    for choice in choices():
        if choice.control.choices and random.random() < 0.3:
            with suppress(ValueError):
                choice.put(state, random.choice(choice.control.choices))
    if random.random() < 0.5:
        state.link(False)
        state.mix(mode=random.choice(("wipe", "blink", "difference")))
    state.look = state.look.with_range("sgm.disparity", (3.0, 40.0))
    state.choose_pipeline(random.choice(list(PIPELINES)))
    named = {word: random.choice(NAMES) for word in NAMED if random.random() < 0.3}
    source = {"left": "left.png", "right": "left.png", **named}
    return settings.document(state) | {"source": source}


def _text(random: Random) -> bytes:
    text = settings.dumps(_recipe(random))
    return mutated_text(random, text) if random.random() < 0.95 else text.encode()


def _make_sources(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    Image.new("L", (96, 20), 90).save(folder / "left.png")


def _make_settings(random: Random, folder: Path) -> None:
    _make_sources(folder)
    (folder / "mine.toml").write_bytes(_text(random))


def _make_screenshot(random: Random, folder: Path) -> None:
    _make_sources(folder)
    text = PngImagePlugin.PngInfo()
    words = _text(random).decode("utf-8", "replace").replace("\x00", "")
    text.add_itxt("wheatstone", words, zip=random.random() < 0.5)
    Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(folder / "shot.png", pnginfo=text)
    if random.random() < 0.3:
        damaged = mutated(random, (folder / "shot.png").read_bytes())
        (folder / "shot.png").write_bytes(damaged)


def _make_session(random: Random, folder: Path) -> None:
    _make_sources(folder)
    (folder / "wheatstone").mkdir()
    (folder / "wheatstone" / "settings.toml").write_bytes(_text(random))


def _make_preset(random: Random, folder: Path) -> None:
    pipeline = PIPELINES[random.choice(list(PIPELINES))]
    place = folder / "wheatstone" / "presets" / pipeline.name
    place.mkdir(parents=True)
    names = random.sample(list(known := controls(pipeline.params)), min(len(known), 3))
    values = {name: value for name, value in pipeline.params().values().items() if name in names}
    text = settings.dumps({"wheatstone": "0", "params": values})
    (place / f"{random.choice(('mine', 'a b', 'é', 'x' * 60))}.toml").write_bytes(
        mutated_text(random, text)
    )


@contextmanager
def _settings_in(folder: Path) -> Iterator[None]:
    """Take a folder as the user's settings and as the current one."""
    with MonkeyPatch.context() as patches, chdir(folder):
        patches.setenv("XDG_CONFIG_HOME", str(folder))
        yield


def dropped(name: str) -> Callable[[Path], object]:
    """Make what drops a file of a case on a window."""

    def read(folder: Path) -> None:
        """Drop the file on a window: settings are restored, sources opened, or a line says why."""
        with _settings_in(folder):
            result = understood([str(folder / name)])
            state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
            if result.recipe:
                user_settings.restore_from(folder / name, state, result.recipe)
            if result.spec and not result.foreign:
                open_source(result.spec).close()

    return read


def started(*words: str) -> Callable[[Path], object]:
    """Make what starts the program with words, in which HERE is the case's folder."""

    def read(folder: Path) -> None:
        """Begin as ``view`` or ``render`` do, with what lies in the folder."""
        with _settings_in(folder):
            here = [word.replace("HERE", str(folder)) for word in words]
            _, source = open_view(parse(here))
            source.close()

    return read


def began(folder: Path) -> None:
    """Begin with a last session, whatever it is: it may not stop the start."""
    try:
        started("view", "HERE/left.png", "HERE/left.png")(folder)
    except (OSError, ValueError) as error:
        raise AssertionError(f"a last session stopped the start: {error}") from error


def _presets(folder: Path) -> None:
    with _settings_in(folder):
        presets = user_settings.presets()
    for pipeline, named in presets.items():
        state = ViewerState(default_slot(pipeline, ABSENT), ABSENT, presets=presets)
        likeness(state, state.slot)
        for name in named:
            with_preset(state, state.slot, name)


def _make_recent(random: Random, folder: Path) -> None:
    _make_sources(folder)
    place = folder / "wheatstone"
    (place / "recent").mkdir(parents=True)
    sources = [
        {
            "title": random.choice(("a", "\x1b[2J", "x" * 5000, "\u202e")),
            "source": {word: random.choice(NAMES) for word in NAMED if random.random() < 0.6},
            "seal": random.choice(("", "0" * 64)),
        }
        for _ in range(random.choice((0, 1, 3, 40)))
    ]
    document = {"schema": "wheatstone-recent", "schema_version": 1, "sources": sources}
    text = json.dumps(document if random.random() < 0.3 else tampered(random, document))
    hostile = mutated_text(random, text) if random.random() < 0.5 else text.encode()
    (place / "recent.json").write_bytes(hostile)


def _recent(folder: Path) -> None:
    """List recent sources, whatever the list holds, and note another one."""
    with _settings_in(folder):
        for one in (listed := recent_sources()):
            assert one.title.isprintable() and one.spec.left
            assert one.seal != seal_of(one.spec)  # a stranger wrote all of them
        source = open_source(SourceSpec.from_dict({"left": str(folder / "left.png")}))
        kept = note_source(source, source.frame(0).left)
        assert len(kept) == min(len(listed) + 1, 12) and kept == recent_sources()
        query_start(kept)
        source.close()


def _make_dismissed(random: Random, folder: Path) -> None:
    place = folder / "wheatstone"
    place.mkdir()
    names = [*FINDINGS, "unknown", "", "\x1b[2J"]
    dismissed = {
        random.choice(("0" * 24, "", "x" * 5000, f"{number}")): random.sample(names, 3)
        for number in range(random.choice((0, 1, 3, 700)))
    }
    document = {"schema": "wheatstone-dismissed", "schema_version": 1, "dismissed": dismissed}
    text = json.dumps(document if random.random() < 0.3 else tampered(random, document))
    hostile = mutated_text(random, text) if random.random() < 0.5 else text.encode()
    (place / "dismissed.json").write_bytes(hostile)


def _dismissed(folder: Path) -> None:
    """Read the dismissed findings, whatever the document holds, and dismiss another one."""
    with _settings_in(folder):
        known = read_dismissed()
        assert all(name in FINDINGS for names in known.values() for name in names)
        write_dismissed({**known, "another": ("rows",)})
        assert read_dismissed()["another"] == ("rows",)


KINDS = [
    FuzzKind("settings-dropped", _make_settings, dropped("mine.toml")),
    FuzzKind("settings-given", _make_settings, started("render", "--settings=HERE/mine.toml")),
    FuzzKind("screenshot-dropped", _make_screenshot, dropped("shot.png")),
    FuzzKind("screenshot-given", _make_screenshot, started("view", "HERE/shot.png")),
    FuzzKind("last-session", _make_session, began),
    FuzzKind("recent", _make_recent, _recent),
    FuzzKind("dismissed", _make_dismissed, _dismissed),
    FuzzKind("preset", _make_preset, _presets),
]
