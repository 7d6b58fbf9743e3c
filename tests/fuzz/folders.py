"""Hostile folders of frames: names, links and gaps that no camera makes."""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from tests.fuzz.evaluate_states import report
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated_text
from wheatstone.viewer.cli.evaluate.data_sets import open_data, open_data_set
from wheatstone.viewer.cli.evaluate.report import PairOutcome
from wheatstone.viewer.cli.submit import list_pairs
from wheatstone.viewer.io.sources.data_sets import SUBMISSIONS
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.run.frame_ref import AnyFrameRef


@cache
def picture() -> bytes:
    import io

    content = io.BytesIO()
    Image.fromarray(np.full((6, 8), 16, np.uint8)).save(content, "PNG")
    return content.getvalue()


TIMES = (
    ("data.csv", "140363657976355558{0},left{0}.png"),
    ("timestamps.txt", "2011-09-26 13:02:2{0}.951199337"),
    ("times.txt", "{0}.036224e-01"),
)
"""The files of times of EuRoC and KITTI, and a line of each."""


PLACES = (
    *("trainingQ/a", "trainingH/a", "data/a", "two_view_training/a", "two_view_training_gt/a"),
    *("image_2", "image_3", "disp_occ_0", "disp_noc", "obj_map", "testing/image_2"),
    *("clean_left/a", "clean_right/a", "disparities/a", "occlusions/a", "outofframe/a"),
    *("frames_cleanpass/A/left", "frames_cleanpass/A/right", "disparity/A/left"),
    *("left-image-half-size", "right-image-half-size", "disparity-map-half-size"),
    *("b/camera_00", "b/camera_02"),
)
"""Folders of public data sets."""


def make_folder(random: Random, folder: Path) -> None:
    """Lay out a folder of frames with names, links and gaps that no camera makes."""
    names = [f"{side}{random.randrange(9)}.png" for side in ("left", "right", "im")]
    odd = ("im0.png", "im1.png", "im2.png", "im6.png", "disp0.pfm", "disp2.pgm", "calib.txt")
    names += random.choices((*odd, "mask0nocc.png", "disparity.png", "..png", "-rf.png"), k=4)
    strange = ("left\udcff.png", "right\udcff.png", "\x1b[31m.png", "a\nb.png", "9" * 250 + ".png")
    names += random.choices(strange, k=2)
    places = [folder, folder / random.choice(("image_2", "left", "im\udc80", "a\nb", "training"))]
    places += [folder / random.choice(("image_3", "right", "disp_occ_0"))]
    for place in places:
        place.mkdir(exist_ok=True)
        for name in names:
            if random.random() < 0.6:
                _put(random, place / name)
    for below in random.choices(PLACES, k=3):
        (folder / below).mkdir(parents=True, exist_ok=True)
        for name in (*names[:2], "disp0GT.pfm", "im0.png", "im1.png"):
            _put(random, folder / below / name)
    if random.random() < 0.5:
        lines = ["frame,seconds", *(f"{n},{n / 7}" for n in range(random.randrange(9)))]
        (folder / "times.csv").write_bytes(mutated_text(random, "\n".join(lines)))
    name, line = random.choice(TIMES)
    lines = [line.format(n) for n in range(random.randrange(9))]
    (folder / name).write_bytes(mutated_text(random, "\n".join(lines)))
    if random.random() < 0.005:
        for number in range(1000):
            (folder / f"left1{number:04}.png").symlink_to("left0.png")


def _put(random: Random, path: Path) -> None:
    if os.path.lexists(path):
        return
    match random.randrange(12):
        case 0:
            path.symlink_to(path.name)
        case 1:
            os.mkfifo(path)
        case 2:
            path.mkdir()
        case 3:
            path.symlink_to(random.choice(("..", ".", "/dev/zero", "absent")))
        case 4:
            path.write_bytes(random.choice((b"", b"Pf\n8 6\n-1\n", b"\xff" * 99)))
        case _:
            path.write_bytes(picture())


def open_listed(folder: Path) -> tuple[AnyFrameRef, ...]:
    """List the pairs with truth of a folder; none if it has none."""
    with suppress(OSError, ValueError):
        return open_data([str(folder)], None, NO_SOURCE).pairs[:3]
    return ()


def read_folder(folder: Path) -> None:
    """Play the folder, and list it as a data set."""
    try:
        source = open_source(SourceSpec(str(folder)))
    except (OSError, ValueError):
        source = None
    if source:
        try:
            for index in range(min(3, source.length)):
                source.frame(index)
        finally:
            source.close()
    for form in SUBMISSIONS.values():
        with suppress(OSError, ValueError):
            list_pairs(folder, form, None)
    for ref in open_listed(folder):
        with suppress(OSError, ValueError):
            ref.read(NO_SOURCE, truth="required")
    data_set = open_data_set(folder, 8.0)
    report(data_set.name, [PairOutcome(entry.name, why="none") for entry in data_set.pairs])


KINDS = [FuzzKind("folders", make_folder, read_folder)]
