"""Hostile folders of kernels: ``kernel.toml`` and the files that it names."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import tomli_w

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import NUMBERS, WORDS, mutated_text
from tests.fuzz.tampering import tampered
from wheatstone.gpu.own_kernels.variant import OwnFunction
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.run.kernels.assignment import read_assignment
from wheatstone.viewer.run.kernels.calls import default_launches
from wheatstone.viewer.run.kernels.folder import KernelFolder

EXPRESSIONS = (
    *("(width + 31) / 32", "height", "width / 0", "9" * 199, "((((((((1", "__import__('os')", "1j"),
    *("height ** 9", "[1]", "min()", "max(1, 2)", "-1", "width.bit_length()", "1 if 1 else 2", ""),
    *("9999999999 * 9999999999 * 9999999999", "lambda: 1", "min(*[1])", "'a' * 9", "-" * 199 + "1"),
)
FILES = ("../kernel.cu", "/etc/passwd", "kernel.so", "a/b.cu", ".cu", "kernel.cu", "absent.py", "")
DOCUMENT: dict[str, Any] = {
    "name": "mine",
    "pipeline": "invert",
    "base": "global",
    "stages": {
        "invert": {"file": "kernel.cu", "entry": "invert", "block": [32, 8], "shared": "0"},
    },
}
TEXT = """#include "common.cuh"
#include "own.cuh"
extern "C" __global__ void invert(const uint8_t* left, uint8_t* inverted, int height, int width) {}
"""
ATTACKS: tuple[Callable[[Random], str], ...] = (
    lambda r: "a = " + "[" * r.choice((40, 100_000)),
    lambda r: "[stages.x]\nfile = 'kernel.cu'\n" * r.choice((2, 5000)),
    lambda r: "\n".join(f"[stages.s{n}]\nfile = 'kernel.cu'" for n in range(r.choice((33, 5000)))),
    lambda r: "stages" + ".a" * 50_000 + " = 1",
    lambda r: " " * (2**20 + 1),
)
HEADERS = ("own.cuh", "..", "../../secret.cuh", "common.cuh", "kernel.cu", "absent.cuh", ".")


def document(random: Random) -> str:
    """Write a document with another pipeline, stage, launch or file, or with other values."""
    pipeline = random.choice(list(PIPELINES.values()))
    stage = random.choice(pipeline.stages).name
    table: dict[str, Any] = {"file": random.choice(("kernel.cu", "kernel.cu", *FILES))}
    if random.random() < 0.5:
        table["grid"] = [random.choice(EXPRESSIONS) for _ in range(random.randint(0, 4))]
    else:
        table["threads"] = random.choice(("pixel", "row", "base", "", "warp"))
    if random.random() < 0.3:
        table["shared"] = random.choice((*EXPRESSIONS, *map(str, NUMBERS)))
    if random.random() < 0.3:
        table["block"] = random.choice(([], [0], [32, 8], [1024, 2], [1, 1, 1, 1], [-1], [2**40]))
    base = random.choice([*(v.name for v in pipeline.variants), *WORDS])
    whole = {"name": "mine", "pipeline": pipeline.name, "base": base, "stages": {stage: table}}
    return tomli_w.dumps(_plain(tampered(random, whole) if random.random() < 0.3 else whole))


def _plain(value: Any) -> Any:
    """Return what TOML can hold of a value."""
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_plain(each) for each in value if each is not None]
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def make_folder(random: Random, folder: Path) -> None:
    """Write a folder of kernels, most often a damaged one."""
    how, path = random.random(), folder / "kernel.toml"
    if how < 0.5:
        path.write_text(document(random))
    elif how < 0.8:
        path.write_bytes(mutated_text(random, tomli_w.dumps(DOCUMENT)))
    elif how < 0.97:
        path.write_text(random.choice(ATTACKS)(random))
    else:
        os.mkfifo(path)
    include = random.choice(HEADERS)
    text = TEXT.replace("own.cuh", include)
    (folder / "kernel.cu").write_bytes(mutated_text(random, text) if how < 0.3 else text.encode())
    if random.random() < 0.5:
        (folder / "own.cuh").write_text('#include "own.cuh"\n' * random.choice((0, 1, 1000)))
    elif random.random() < 0.2:
        (folder / "own.cuh").symlink_to(random.choice(("own.cuh", "/dev/zero", "absent")))


def read_folder(folder: Path) -> None:
    """Read the folder, and determine the launches of its kernels."""
    known = KernelFolder.read(folder)
    for path in known.files:
        if path.parent != folder:
            raise AssertionError(f"{path} is outside the folder")
    for own in known.kernels.stages:
        default_launches(OwnFunction(known.kernels, own))


ASSIGNMENT: dict[str, Any] = {
    "title": "A test",
    "pipeline": "canny",
    "bases": ["global"],
    "stages": ["gradient", "hysteresis"],
    "preset": "aveiro-2015",
    "vary": ["low", "norm"],
    "cases": 2,
    "seed": 7,
    "sizes": [[1, 1], [9, 33]],
    "points": {"identical": 50},
    "limits": {"seconds": 60},
}


def make_assignment(random: Random, folder: Path) -> None:
    """Write the document of an assignment, most often a damaged one."""
    path = folder / "assignment.toml"
    if random.random() < 0.5:
        path.write_text(tomli_w.dumps(_plain(tampered(random, ASSIGNMENT))))
    elif random.random() < 0.9:
        path.write_bytes(mutated_text(random, tomli_w.dumps(ASSIGNMENT)))
    else:
        path.write_text(random.choice(ATTACKS)(random))


def read_and_plan(folder: Path) -> None:
    """Read an assignment, write what it begins with, and determine its cases."""
    assignment = read_assignment(str(folder / "assignment.toml"))
    if not assignment.starting_files("mine"):
        raise AssertionError("the assignment begins with no file")
    assignment.hidden_cases()


KINDS = [
    FuzzKind("own_kernels", make_folder, read_folder),
    FuzzKind("assignments", make_assignment, read_and_plan),
]
"""The kinds of hostile input of this module."""
