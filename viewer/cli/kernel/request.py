"""The options of ``kernel``."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.options import (
    choice_option,
    flag_option,
    int_option,
    path_option,
    text_option,
)
from wheatstone.viewer.resources import ASSIGNMENTS

ACTIONS = ("new", "check", "grade")
CASES = 40  # random ones of a check


@dataclass(frozen=True, kw_only=True)
class NewKernelOptions:
    """Options for a new folder of kernels."""

    heading: ClassVar[str] = "new"
    base: str | None = text_option(
        "copy the kernels of this variant; default: kernels without a body",
        "VARIANT",
        names=("--from",),
    )
    name: str | None = text_option(
        "name of the variant of your kernels; default: the folder's name", "NAME"
    )
    hide: bool = flag_option("hide the built-in variants of the pipeline, except the reference")
    python: bool = flag_option("write Python functions instead of CUDA files")
    assignment: str | None = text_option(
        f"assignment: {', '.join(ASSIGNMENTS)} or a file; new: write the initial folders for "
        "students; grade: grade submissions of it",
        "NAME",
    )


@dataclass(frozen=True, kw_only=True)
class CheckKernelOptions:
    """Options for checking the kernels in a folder."""

    heading: ClassVar[str] = "check"
    cases: int = int_option(
        "number of random cases (size, parameters, images), in addition to the fixed "
        f"cases, one of which is large; default: {CASES}",
        1,
        10_000,
        default=CASES,
    )
    seed: int = int_option("seed of the random cases; default: 0", 0, default=0)
    emulated: bool = flag_option(
        "check, grade: emulate the kernels even if there is a GPU, to report the line, thread and "
        "element of a fault"
    )
    json: bool = flag_option("print the result as JSON")


@dataclass(frozen=True, kw_only=True)
class GradeKernelOptions:
    """Options for the files that grades are written to."""

    heading: ClassVar[str] = "grade"
    out: Path = path_option(
        "folder for grades.csv and grades.xml (JUnit); an interrupted grading continues there; "
        "default: grades, in the current folder",
        "FOLDER",
        default=Path("grades"),
    )


@dataclass(frozen=True, kw_only=True)
class KernelRequest(NewKernelOptions, CheckKernelOptions, GradeKernelOptions, VerbRequest):
    """The options of ``kernel``, which creates, checks or grades folders of kernels."""

    verb: ClassVar[str] = "kernel"
    usage: ClassVar[str] = """\
wheatstone kernel new FOLDER PIPELINE STAGE [STAGE ...] [--from VARIANT] [options]
       wheatstone kernel new FOLDER --assignment NAME
       wheatstone kernel check FOLDER [options]
       wheatstone kernel grade SUBMISSIONS --assignment NAME [--out FOLDER]"""
    epilog: ClassVar[str] = """\
Every other verb accepts `--kernel FOLDER`, which adds your kernels as a variant. grade runs each
folder of SUBMISSIONS in a separate process, with limits of time and memory. This is not a sandbox:
grade untrusted kernels in a container or a virtual machine. Exit codes of check: 0 identical;
1 different, or the kernel failed; 2 bad input or arguments; 3 a device or package is missing."""
    action: str = choice_option(
        ACTIONS,
        "new: create a folder; check: check kernels; grade: grade submissions",
        "|".join(ACTIONS),
        positional=True,
        required=True,
    )
    folder: Path = path_option(
        "folder of your kernels; grade: folder of the submissions",
        "FOLDER",
        positional=True,
        required=True,
    )
    stages: tuple[str, ...] = text_option(
        "new: the pipeline, then the stages to write",
        "STAGE",
        positional=True,
        nargs="*",
    )
