"""Hostile words: command lines of every verb, and scripts.

A case of a command line is the file ``words``, its words apart by zero bytes, as a system hands
them over. Most are only parsed; those that run get scenes of a few pixels, and no names of files.
"""

import contextlib
import io
import os
import re
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated_text
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import VERBS, main, parse
from wheatstone.viewer.cli.script import read_script
from wheatstone.viewer.io.files.streams import say

SCRIPT = """\
# What a user does.
size 800x600
key Space 5 Shift+4 Ctrl+Shift+P
text census
key Down Enter
move 300,200
click 300,200
drag 100,80 300,200
scroll 300,200 -2
wait 3
settle
finish
shot panels.png
"""
STEPS = (
    *("key", "text", "move", "click", "drag", "scroll", "size", "wait", "settle", "finish", "shot"),
    *("Esc", "Escape", "Ctrl+", "+", "Shift+Shift+A", "1,2", "nan,nan", "1e999,0", "0x0", "-1x-1"),
    *("99999999x1", "../a.png", "/a.png", "a/../../b.png", "a.png", "a-%d.png", "-5", "1" * 4400),
)
VALUES = (
    *("1x1", "64x48", "0x5", "1,2", "0.5,0.5", "nan,inf", "1,2,3,4", "on", "off", "p2=99", "p2="),
    *(
        "=",
        "look.scale=1",
        "look.ranges={a=[1,2]}",
        "look=1",
        "mixing.mode='wipe'",
        "a.b=" + "[" * 99,
    ),
    *("probing." + "x" * 3000 + "=1", "\udcff", "a\udcff.png", "o-%d.png", "--", "-", "-1", "--="),
)
FILES = re.compile(r"--(out|values|script|settings|calibration|truth|json|markdown|csv|baseline)\b")
BASES = {
    "render": ("--out", "a.png", "--size", "32x24", "--scene-size"),
    "bench": ("--repeat", "1", "--seconds", "0.1", "--variants", "reference", "--size"),
    "compare": ("reference", "reference", "--scene-size"),
}
"""Verbs that run, and what they run with, before a small size: nothing that compiles for long."""
SLOW = ("--cold", "--sweep", "--compare", "--b-variant")


@cache
def known_words(verb: str, pipeline: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the options of a verb, and the values that they name, as its help does."""
    with contextlib.redirect_stdout(io.StringIO()) as words, contextlib.suppress(SystemExit):
        parse(
            [verb, pipeline, "--help"] if verb in ("view", "render", "bench") else [verb, "--help"]
        )
    text = words.getvalue()
    values = [word for each in re.findall(r"\{([^}]*)\}", text) for word in each.split(",")]
    return tuple(sorted(set(re.findall(r"--[a-z0-9][a-z0-9-]*", text)))), tuple(sorted(set(values)))


def _words(random: Random, verb: str, pipeline: str, most: int) -> list[str]:
    """Choose options with values that may be right, wrong or hostile; some twice."""
    options, values = known_words(verb, pipeline)
    chosen: list[str] = []
    for _ in range(random.randrange(most)):
        option = random.choice(options) if options else "--help"
        value = random.choice(random.choice((values or VALUES, VALUES, NUMBERS, WORDS)))
        how = random.randrange(8)
        chosen += [f"{option}={value}"] if how == 0 else [option, value] if how < 6 else [option]
        if how == 7:
            chosen += random.choices(chosen, k=2)
    return chosen


def _make_line(random: Random, folder: Path) -> None:
    """Write the words of any verb."""
    verb, pipeline = random.choice(list(VERBS)), random.choice(list(PIPELINES))
    words = [verb, pipeline] if random.random() < 0.7 else [verb]
    words += _words(random, verb, pipeline, 10)
    for _ in range(random.choice((0, 0, 1, 3))):  # names of files, and what is none
        words.insert(random.randrange(len(words) + 1), random.choice(WORDS + VALUES))
    write_words(folder, words)


def _make_run(random: Random, folder: Path) -> None:
    """Write the words of a verb that runs on a scene of a few pixels."""
    verb, pipeline = random.choice(list(BASES)), random.choice(list(PIPELINES))
    words = _words(random, verb, pipeline, 6)
    left_out = ("--size", "--scene-size", *SLOW)
    kept = [w for w in words if not FILES.match(w) and not w.startswith(left_out)]
    kept = [w for w in kept if w.startswith("-") or not (set("/.~") & set(w))]
    size = random.choice(("1x1", "2x3", "33x21", "40x30"))
    variant = ["--variant", "reference"] if verb == "render" else []
    write_words(folder, [verb, pipeline, *kept, *variant, *BASES[verb], size])


def write_words(folder: Path, words: list[str]) -> None:
    """Write the words of a case."""
    encoded = (word.encode("utf-8", "surrogateescape").replace(b"\0", b"") for word in words)
    (folder / "words").write_bytes(b"\0".join(encoded))


def _read_words(folder: Path) -> list[str]:
    return [os.fsdecode(word) for word in (folder / "words").read_bytes().split(b"\0")]


def parse_case(folder: Path) -> int:
    """Parse a command line, and say what is wrong with it, as ``main`` does."""
    try:
        parse(_read_words(folder))
    except (ValueError, OSError) as error:
        say(error)
        return 2
    return 0


def run_case(folder: Path) -> int:
    """Run a command line in the case's folder, which has the user's settings, too."""
    before = os.environ.get("XDG_CONFIG_HOME"), Path.cwd()
    words = _read_words(folder)
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    os.chdir(folder)
    try:
        return main(words)
    finally:
        os.chdir(before[1])
        os.environ.pop("XDG_CONFIG_HOME")
        if before[0] is not None:
            os.environ["XDG_CONFIG_HOME"] = before[0]


def _make_script(random: Random, folder: Path) -> None:
    """Write a script, damaged."""
    lines = SCRIPT.splitlines(keepends=True)
    text = "".join(random.choices(lines, k=random.choice((1, 5, len(lines)))))
    (folder / "script").write_bytes(mutated_text(random, text, WORDS + STEPS))


KINDS = [
    FuzzKind("command-line", _make_line, parse_case),
    FuzzKind("run", _make_run, run_case, codes=(0, 1, 2, 3), weight=0.05),
    FuzzKind("script", _make_script, lambda folder: read_script(folder / "script")),
]
