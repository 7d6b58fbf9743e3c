"""A newcomer does tasks by mouse in a real window, from fresh settings, in few steps each.

Run as a program with the names of tasks, it does these tasks.
"""

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cv2
import numpy as np
import pytest

from tests import newcomer
from tests.board_scenes import made_rig, poses, seen
from tests.offscreen_app import raced
from tests.painted_videos import write_video
from tests.patience import PATIENCE
from tests.programs import ROOT, lean_scenes
from tests.turned_pairs import UNTURNED, turned_pair
from wheatstone.viewer.io.cameras.boards import DICTIONARY, board_of
from wheatstone.viewer.panels.keys.menu.toolbar import (
    DIFFERENCE,
    FIGURE,
    FORWARD,
    RECORD,
    SIDE_BY_SIDE,
)
from wheatstone.viewer.panels.race.race_board import last_line

MOST_STEPS = 5
SCENE = ("sgm", "--scene-size", "96x72", "--disparities", "16", "--variant", "cpu")
pytestmark = pytest.mark.window


@dataclass(frozen=True)
class Task:
    """What a newcomer wants, the steps that lead there, and how it is known to be done.

    Attributes:
        begin: arguments of the program.
        steps: names of methods of ``Newcomer``, or functions of it, and their further arguments.
        prepare: writes the files that the task needs into the working directory.
    """

    begin: tuple[str, ...]
    steps: tuple[tuple[Any, ...], ...]
    done: Callable[[newcomer.Newcomer], object]
    prepare: Callable[[], object] = lambda: None


def pair(name: str = "pair", calibration: str = "") -> None:
    """Write a rectified pair, and the file of its calibration."""
    Path(name).mkdir()
    turned_pair(right=UNTURNED).save(Path(name))
    if calibration:
        Path(name, "calib.txt").write_text(calibration)


LARGER = """cam0=[1000 0 480; 0 1000 360; 0 0 1]
cam1=[1000 0 480; 0 1000 360; 0 0 1]
doffs=0
baseline=100
width=960
height=720
ndisp=64
"""
"""Middlebury's file of a calibration, for pictures of twice the size."""


def desktop() -> None:
    """Let the desktop open folders by a program that notes them."""
    program = Path("bin/xdg-open")
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$1" > {Path.cwd()}/opened\n')
    program.chmod(0o755)
    os.environ["PATH"] = f"{program.parent.resolve()}:{os.environ['PATH']}"


def desktop_with_pair() -> None:
    """Write a pair, and let the desktop open folders."""
    desktop()
    pair()


def wrong_pixel(user: newcomer.Newcomer) -> None:
    """Right-click on the pixel with the largest error."""
    session = user.app.session
    user.rest(lambda: user.app.stands)
    image = user.app.state.slot.image("disparity")
    values = session.values_task(image.name)
    user.rest(lambda: values.done)
    frame = session.a.frame
    assert frame and frame.truth is not None
    errors = np.nan_to_num(np.abs(values.result() * image.scale - frame.truth), posinf=0)
    y, x = np.unravel_index(np.argmax(errors), errors.shape)
    height, width = errors.shape
    user.point((x + 0.5) / width, (y + 0.5) / height, 3)


def finished(user: newcomer.Newcomer) -> None:
    """Wait until the grid is computed."""
    user.rest(lambda: user.reads("best ") and not user.app.state.racing)


def video() -> None:
    """Write a video whose pictures hold both views."""
    pair = turned_pair(right=UNTURNED)
    both = np.repeat(np.hstack([pair.left, pair.right])[..., None], 3, axis=2)
    write_video(
        Path("side-by-side.mp4"), count=60, picture=lambda number: np.roll(both, number, axis=0)
    )


def boards() -> None:
    """Write pictures of a board."""
    rig, board = made_rig(), board_of("chess:9x6", 0.03, None, DICTIONARY)
    Path("boards").mkdir()
    for number, pose in enumerate(poses(6)):
        for side, pixels in zip(("left", "right"), seen(rig, board, pose), strict=True):
            cv2.imwrite(f"boards/{side}{number}.png", pixels)


def two_seconds(user: newcomer.Newcomer) -> None:
    """Let two seconds pass."""
    ends = time.monotonic() + 2
    user.rest(lambda: time.monotonic() > ends)


def type_whole(user: newcomer.Newcomer, name: str) -> None:
    """Type the whole path of a file or folder, as a user pastes it."""
    user.type(str(Path(name).absolute()))


def written(pattern: str) -> list[Path]:
    return sorted(Path().glob(pattern))


TASKS = {
    "open my pair": Task(
        (),
        ((type_whole, "pair/left.png"),),
        lambda user: user.app.session.source.name == "left.png | right.png" and user.app.stands,
        pair,
    ),
    "find the fastest variant": Task(
        ("invert", *SCENE[1:3]),
        (("click", "workspace Compare"), ("click", "Race the variants")),
        lambda user: "fastest identical" in last_line(raced(user.app).standings),
    ),
    "write a figure of two presets": Task(
        (),
        (
            (type_whole, "pair"),
            ("click", "workspace Compare"),
            ("click", FIGURE),
            ("click", "Open folder"),
        ),
        lambda user: written("*figure*.pdf") and written("opened"),
        desktop_with_pair,
    ),
    "ask why a pixel is wrong": Task(
        SCENE,
        (
            ("click", "disparity##"),
            ("click", "error map"),
            (wrong_pixel,),
            ("click", "Explain this pixel"),
        ),
        lambda user: user.reads("rejected ") or user.reads("the summed cost"),
    ),
    "read metres and write points": Task(
        (),
        (
            (type_whole, "pair"),
            ("point", 0.5, 0.5),
            ("click", "File"),
            ("click", "Save point cloud as PLY"),
        ),
        lambda user: written("*.ply") and user.reads("points in m"),
        lambda: pair(calibration=LARGER),
    ),
    "compare two thresholds of Canny": Task(
        SCENE[1:3],
        (
            ("click", "sgm"),
            ("click", "canny"),
            ("click", SIDE_BY_SIDE),
            ("drag", "high", 30),
            ("click", DIFFERENCE),
        ),
        lambda user: (
            user.app.state.mixing.mode == "difference"
            and user.app.state.slot_b.params != user.app.state.slot.params
            and user.app.stands
        ),
    ),
    "record a video": Task(
        (),
        (
            (type_whole, "side-by-side.mp4"),
            ("click", FORWARD),
            ("click", RECORD),
            (two_seconds,),
            ("click", RECORD),
        ),
        lambda user: (
            written("wheatstone-*.mp4")
            and user.app.session.source.name == "side-by-side.mp4"
            and user.app.state.messages.newest.text.startswith("recorded")
        ),
        video,
    ),
    "calibrate from pictures of a board": Task(
        (),
        (
            ("click", "workspace Calibrate"),
            ("click", "Open folder of board pictures"),
            ("type", "boards"),
            ("click", "Use it on a pair"),
            ("type", "boards/left0.png"),
        ),
        lambda user: user.app.session.source.rectification and user.app.stands,
        boards,
    ),
    "see the window in a browser": Task(
        SCENE,
        (("click", "File"), ("click", "Show in browser"), ("click", "Copy address")),
        lambda user: user.app.browser and user.app.browser.runs,
    ),
    "tune P1 and P2": Task(
        SCENE,
        (("click", "workspace Tune"), (finished,), ("click", "Use best")),
        lambda user: ": bad-2" in user.app.state.messages.newest.text,
    ),
    "learn semi-global matching": Task(
        (),
        (
            ("click", "workspace Teach"),
            ("click", "(Enter)##sgm"),
            ("click", "Show the answer"),
        ),
        lambda user: user.app.state.lesson and user.app.state.lesson.answered,
    ),
}


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest,
    x_display: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """The steps and the error of each chosen task: one process does them all."""
    here = [item for item in request.session.items if item.path == request.path]
    chosen = [item.callspec.params["name"] for item in here]  # type: ignore[attr-defined]
    path = os.pathsep.join([str(ROOT), x_display.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, __file__, *chosen],
        cwd=tmp_path_factory.mktemp("tasks"),
        env=x_display | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE * len(chosen),
    )
    assert run.returncode == 0, run.stderr
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    return dict(zip(chosen, answers, strict=True))


@pytest.mark.parametrize("name", TASKS)
def test_a_newcomer_does_a_task_in_few_steps(name: str, outcomes: dict[str, Any]) -> None:
    steps, error = outcomes[name]
    assert not error, error
    assert 0 < len(steps) <= MOST_STEPS, steps


def do_task(task: Task) -> list[str]:
    """Do a task in the working directory; return its steps."""
    task.prepare()
    with newcomer.newcomer(*task.begin) as user:
        for verb, *words in task.steps:
            step = getattr(user, verb) if isinstance(verb, str) else partial(verb, user)
            step(*words)
        user.rest(lambda: task.done(user))
        return user.steps


def main(names: list[str]) -> None:
    """Do each task in a folder of its own, and print its steps and the error that ended it."""
    for number, name in enumerate(names):
        folder = Path(str(number)).absolute()
        folder.mkdir()
        with patch.dict(os.environ, XDG_CONFIG_HOME=str(folder / "settings")), chdir(folder):
            try:
                answer = do_task(TASKS[name]), ""
            except Exception:
                answer = [], traceback.format_exc()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    with lean_scenes():
        main(sys.argv[1:])
