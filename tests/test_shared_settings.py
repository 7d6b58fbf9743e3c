"""Two programs at a time share the folder of settings: no entry is lost, no file is damaged."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from tests.programs import ROOT, environment
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recent_sources import MOST, recent_sources
from wheatstone.viewer.settings.trust import settings_folder

NOTES = """\
import sys
from pathlib import Path
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.recent_sources import note_source, recent_sources
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

state, scene = open_view(parse(["view", "invert", "--scene-size", "64x48", "--fresh"]))
sources = {path: open_source(SourceSpec(path)) for path in sys.argv[1:]}
print("ready", flush=True)
sys.stdin.readline()
for path, source in sources.items():
    note_source(source, source.frame(0).left)
    user_settings.save(state, scene.spec)
    user_settings.read(user_settings.last_session())
    assert path in [recent.spec.left for recent in recent_sources()]
    source.close()
scene.close()
"""


def test_two_programs_note_sources_and_save_settings_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / f"street-{number}.png" for number in range(MOST)]
    for number, path in enumerate(paths):
        Image.fromarray(np.full((20, 30), number, np.uint8)).save(path)
    pipe = subprocess.PIPE
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", NOTES, *map(str, share)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        for share in (paths[::2], paths[1::2])
    ]
    for program in programs:
        assert program.stdout and program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        _, output = program.communicate(timeout=120)
        assert (program.returncode, output) == (0, "")
    kept = recent_sources()
    assert {recent.spec.left for recent in kept} == set(map(str, paths))
    assert all(recent.thumbnail for recent in kept)
    assert user_settings.read(user_settings.last_session())["source"]["size"] == "64x48"
    assert sorted(path.name for path in settings_folder().iterdir()) == [
        *(".recent.lock", "recent", "recent.json", "seal.key", "settings.toml")
    ]
