"""Declare the options of ``kernel``."""

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


@dataclass(frozen=True, kw_only=True)
class NewKernelOptions:
    """How a new folder begins."""

    heading: ClassVar[str] = "new"
    base: str | None = text_option(
        "variant that the kernels are copied from; without it they are empty",
        "VARIANT",
        names=("--from",),
    )
    name: str | None = text_option("of the variant; default: the folder's name", "NAME")
    hide: bool = flag_option("offer no variant of the program's own, except the reference")
    python: bool = flag_option("write Python functions instead of CUDA files")
    assignment: str | None = text_option(
        f"new: write the folder that an assignment begins with; grade: the assignment: "
        f"{', '.join(ASSIGNMENTS)} or a file",
        "NAME",
    )


@dataclass(frozen=True, kw_only=True)
class CheckKernelOptions:
    """How the kernels of a folder are checked."""

    heading: ClassVar[str] = "check"
    cases: int = int_option("random sizes, parameters and images to compare", 1, 10_000, default=40)
    seed: int = int_option("that chooses them", 0, default=0)
    emulated: bool = flag_option(
        "check, grade: emulate the kernels even if there is a GPU, to learn the line, thread and "
        "element of a fault"
    )
    json: bool = flag_option("print the result as JSON")


@dataclass(frozen=True, kw_only=True)
class GradeKernelOptions:
    """Where the grades of submissions go."""

    heading: ClassVar[str] = "grade"
    out: Path = path_option(
        "folder for grades.csv and grades.xml (JUnit); grading goes on there after a break",
        "FOLDER",
        default=Path("grades"),
    )


@dataclass(frozen=True, kw_only=True)
class KernelRequest(NewKernelOptions, CheckKernelOptions, GradeKernelOptions, VerbRequest):
    """Make, check or grade folders of kernels."""

    verb: ClassVar[str] = "kernel"
    usage: ClassVar[str] = """\
wheatstone kernel new FOLDER PIPELINE STAGE [STAGE ...] [--from VARIANT] [options]
       wheatstone kernel new FOLDER --assignment NAME
       wheatstone kernel check FOLDER [options]
       wheatstone kernel grade SUBMISSIONS --assignment NAME [--out FOLDER]"""
    epilog: ClassVar[str] = """\
`--kernel FOLDER` makes the kernels a variant for every other verb. grade runs each folder of
SUBMISSIONS in a process of its own, with limits of time and memory. This is not a sandbox: grade
what you do not trust in a container or a virtual machine. Exit codes of check: 0 identical;
1 different, or the kernel failed; 2 bad input or arguments; 3 the machine lacks something."""
    action: str = choice_option(
        ACTIONS, "new, check or grade", "|".join(ACTIONS), positional=True, required=True
    )
    folder: Path = path_option("with the kernels", "FOLDER", positional=True, required=True)
    stages: tuple[str, ...] = text_option(
        "new: the pipeline, then the stages", "STAGE", positional=True, nargs="*"
    )
