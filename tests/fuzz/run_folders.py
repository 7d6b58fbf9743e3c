"""Hostile definitions of runs: whose folder it is said to be, and which files a restart deletes."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.evaluate_states import VALUES
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated_text
from wheatstone.viewer.io.files.run_folder import FORM, NAME, RunDefinition, RunFolder

FACTS = {"source": ["/absent"], "preset": "fast", "parameters": {"p1": 10}, "rows": True}
FILES = ("disparity/0.npy", "summary.csv")
STRANGE = ("../mine", "/etc/passwd", "link/mine", "disparity/../../mine", ".", "", "a\0b", "\udc80")


def make_definition(random: Random, folder: Path) -> None:
    """Write a folder of a run with a damaged definition, beside a file that it must not reach."""
    (folder / "mine").write_text("mine")
    out = folder / "out"
    (out / "disparity").mkdir(parents=True)
    (out / "link").symlink_to(folder)
    for name in FILES:
        (out / name).write_text("ours")
    document: dict[str, Any] = {"schema": FORM.schema, "schema_version": FORM.version}
    document |= {"wheatstone": "0", "verb": "x", "definition": dict(FACTS), "files": [*FILES]}
    document["files"] += random.sample(STRANGE, random.randrange(2))
    if random.random() < 0.5:
        place = random.choice((document, document["definition"]))
        place[random.choice([*place])] = deepcopy(random.choice(VALUES))
    text = json.dumps(document, indent=1)
    content = mutated_text(random, text) if random.random() < 0.5 else text.encode()
    (out / NAME).write_bytes(content)


def read_definition(folder: Path) -> None:
    """Open the folder as the same run, and begin again."""
    try:
        run = RunFolder(folder / "out", RunDefinition("x", FACTS, "--restart"))
        if run.differences:
            run.check_foreign(FILES)
        run.clear()
    finally:
        mine = folder / "mine"
        if not mine.is_file() or mine.read_text() != "mine":
            raise AssertionError("a file outside of the folder was changed")


KINDS = [FuzzKind("run_folder", make_definition, read_definition)]
