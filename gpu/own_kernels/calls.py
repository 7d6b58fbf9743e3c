"""Describe a call of a user's kernel, for this process and as plain data for another process."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.gpu.emulation.report import AccessCount, LaunchFault, LaunchReport
from wheatstone.gpu.kernels.kernel import TEXTURE, Launch
from wheatstone.gpu.kernels.placeholders import Placeholder
from wheatstone.gpu.kernels.programs import Program
from wheatstone.gpu.own_kernels.contract import OwnStage, StageContract
from wheatstone.gpu.own_kernels.launching import ImageForm


@dataclass(frozen=True)
class Checking:
    """The settings by which an emulated call of a kernel is checked.

    Attributes:
        order: seed of the order in which warps run; 0: ascending.
        placement: the end of each image behind or before which no memory can be accessed.
        accesses: whether each access is checked, for races and uninitialised memory, and counted.
    """

    order: int = 0
    placement: str = "end"
    accesses: bool = False


UNCHECKED = Checking()


@dataclass(frozen=True)
class StageCall:
    """One call of a stage that a user's kernel computes.

    Attributes:
        forms: of the images that the stage reads, then of those that it writes.
        launches: with placeholders for the images; none for a Python function.
        arguments: the stage's parameters.
        first: whether it is the stage's first call of a frame.
    """

    own: OwnStage
    contract: StageContract
    forms: tuple[ImageForm, ...]
    launches: Sequence[Launch]
    arguments: tuple[Any, ...]
    first: bool

    @property
    def written(self) -> range:
        """Return the positions, among the images of a call, of those that the stage writes."""
        return range(len(self.contract.step.reads), len(self.forms))


@dataclass(frozen=True)
class CallReport(LaunchReport):
    """The report of a stage's call, with the faults and times of all its launches.

    Attributes:
        milliseconds: duration on the GPU, of a Python function with the request and its reply; None
            where it is emulated.
        round_trip: milliseconds from the request to the reply, by the clock of this process.
    """

    milliseconds: float | None = None
    round_trip: float = 0.0


def request_of(
    call: StageCall, programs: Mapping[Program, Path], checking: Checking
) -> dict[str, Any]:
    """Describe a call of a user's kernel as plain data, for the process that executes it."""
    images = [
        {"name": image.name, "shape": form.shape, "dtype": form.dtype, "texture": form.texture}
        for image, form in zip(call.contract.images, call.forms, strict=True)
    ]
    for number in call.written:
        images[number]["written"] = True
    request: dict[str, Any] = {"images": images, "checking": asdict(checking)}
    if call.own.in_python:
        own = call.own
        python = {"file": own.file, "text": own.text, "entry": own.entry}
        return request | {"python": python, "arguments": call.arguments}
    return request | {"launches": [launch_of(each, programs) for each in call.launches]}


def launch_of(launch: Launch, programs: Mapping[Program, Path]) -> dict[str, Any]:
    """Describe a launch as plain data, in which images are given by their positions."""
    return {
        "program": str(programs[launch.kernel.program]),
        "entry": launch.kernel.name,
        "grid": launch.grid,
        "block": launch.block,
        "shared": launch.shared,
        "arguments": [
            _argument(each, texture=kind is TEXTURE)
            for each, kind in zip(launch.arguments, launch.kernel.types, strict=True)
        ],
        "stores": [(symbol, image.index, area) for symbol, image, area in launch.stores],
    }


def _argument(value: Any, *, texture: bool) -> dict[str, Any]:
    if isinstance(value, Placeholder):
        return {"image": value.index, "texture": texture}
    if isinstance(value, np.floating):
        return {"float": float(value)}
    return {"int": int(value)}


def report_of(reply: dict[str, Any]) -> CallReport:
    """Parse the report of a call from plain data."""

    def tuples(values: dict[str, Any]) -> dict[str, Any]:
        """Convert lists to tuples, which JSON stores as lists."""
        return {n: tuple(v) if isinstance(v, list) else v for n, v in values.items()}

    return CallReport(
        faults=tuple(LaunchFault(**tuples(each)) for each in reply.get("faults", ())),
        transactions=tuple(AccessCount(**tuples(each)) for each in reply.get("transactions", ())),
        conflicts=tuple(AccessCount(**tuples(each)) for each in reply.get("conflicts", ())),
        output=tuple(reply.get("output", ())),
        milliseconds=reply.get("milliseconds"),
        round_trip=reply.get("round_trip", 0.0),
    )
