"""The run, frame and pixel that a lesson's facts are about, and values computed from them."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.kernel_facts import KernelFacts
from wheatstone.gpu.analysis.measurement import Measurement, measure
from wheatstone.gpu.analysis.memory_access import launch_of
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.curves import CostVerdict, Curves
from wheatstone.gpu.pipelines.sgm.probe import SgmProbe
from wheatstone.gpu.steps import Setup, function_of
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.panels.lessons.wording import NO_GPU
from wheatstone.viewer.run.engine import Engine
from wheatstone.viewer.run.run import Run

REPEAT, LEAST, SECONDS = 5, 3, 0.5  # frames timed, at least so many, and the time for more
Tell = Callable[..., object]
"""Return a fact of a ``FactSubject``, from the words after its name; raises ``Unknown``."""


class Unknown(ValueError):
    """The error for a fact that is not available; its message is shown in place of the fact."""


@dataclass(eq=False)
class FactSubject:
    """The run, frame and pixel that a lesson's facts are about, with values computed from them.

    Values are computed when they are first needed, and cached.

    Attributes:
        slot: pipeline, variant and parameters shown.
        pixel: row and column in the left view; None without one.
        absent: the reason for every kind of device that cannot be used here.
    """

    slot: Run
    frame: Frame
    pixel: tuple[int, int] | None
    absent: Mapping[str, str]

    def __post_init__(self) -> None:
        self._measured: dict[str, Measurement] = {}
        self._launches: dict[tuple[str, str], KernelFacts] = {}

    @property
    def pipeline(self) -> Pipeline:
        """Return the pipeline of the run."""
        return self.slot.pipeline

    @property
    def size(self) -> tuple[int, int]:
        """Return height and width of the frame."""
        return self.frame.shape

    @property
    def place(self) -> tuple[int, int]:
        """Return row and column of the pixel. Raises ``Unknown`` if none is chosen."""
        if not self.pixel:
            raise Unknown("(no pixel is chosen)")
        if any(at >= size for at, size in zip(self.pixel, self.size, strict=True)):
            raise Unknown("(the chosen pixel is outside this image)")
        return self.pixel

    @cached_property
    def grey(self) -> NDArray[np.uint8]:
        """Compute the grey levels of the left view: (H, W)."""
        return grey_levels(self.frame.left)

    @cached_property
    def right(self) -> NDArray[np.uint8]:
        """Compute the grey levels of the right view: (H, W). Raises ``Unknown`` without one."""
        if self.frame.right is None:
            raise Unknown("(a single image has no right view)")
        return grey_levels(self.frame.right)

    @cached_property
    def probe(self) -> SgmProbe:
        """Create the probe that computes the costs of pixels. Raises ``Unknown`` except for SGM."""
        if self.pipeline is not SGM:
            raise Unknown(f"({self.pipeline.name} matches no pixels)")
        return SgmProbe(self.slot.params, self.grey, self.right)  # type: ignore[arg-type]

    @cached_property
    def curves(self) -> Curves:
        """Compute the cost curves of the pixel."""
        return self.probe.curves(*self.place)

    @cached_property
    def verdict(self) -> CostVerdict:
        """Determine whether and why the checks reject the pixel's disparity."""
        return self.probe.verdict(self.curves, lambda done: None)

    @cached_property
    def words(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Compute the census words of the left and the right view: (H, W) each."""
        left, right = np.empty((2, *self.size), np.uint32)
        census = function_of(SGM.variant("cpu").package, "census_transform")
        census(self.grey, self.right, left, right, self.probe.params.cost)
        return left, right

    def image(self, name: str) -> NDArray[Any]:
        """Compute an image of the pipeline with the CPU variant, whichever variant is shown."""
        if name == "left":
            return self.grey
        execution = self._images
        if not execution.keeps(name):
            raise Unknown(f"(there is no {name} now)")
        return np.asarray(execution.device.download(execution.array(name)))

    @cached_property
    def _images(self) -> Execution:
        every = [image.name for image in self.pipeline.images]
        try:
            execution = self._prepared("cpu", every)
        except ValueError:  # a fused step keeps fewer
            execution = self._prepared("cpu", self.pipeline.on_demand)
        execution.run(timed=False)
        return execution

    def _prepared(self, variant: str, keep: Iterable[str] = ()) -> Execution:
        return Engine().loaded(self.slot.replace(variant=variant, keep=keep), self.frame)

    def variant(self, name: str) -> Variant:
        """Return a variant of the pipeline by name; raise ``Unknown`` if it does not exist."""
        try:
            return self.pipeline.variant(name)
        except ValueError as error:
            raise Unknown(f"({error})") from None

    def runs(self, variant: str) -> bool:
        """Return whether the device that a variant needs is present."""
        return not self.absent.get(self.variant(variant).device, "")

    def setup(self, variant: str) -> Setup:
        """Return the setup of a variant for this run and frame; raise ``Unknown`` without it."""
        return Setup(self.pipeline, self.variant(variant), self.slot.params, *self.size)

    def launch(self, variant: str, stage: str) -> KernelFacts:
        """Determine how a variant launches a stage's kernel; needs no GPU.

        Raises ``Unknown`` if the variant does not launch such a kernel.
        """
        if (variant, stage) not in self._launches:
            try:
                self._launches[variant, stage] = launch_of(self.setup(variant), stage)
            except ValueError as error:
                raise Unknown(f"({error})") from None
        return self._launches[variant, stage]

    def measured(self, variant: str) -> Measurement:
        """Measure a variant on this frame, once. Raises ``Unknown`` if its device is absent."""
        if not self.runs(variant):
            raise Unknown(NO_GPU)
        if variant not in self._measured:
            execution = self._prepared(variant)
            execution.run()
            self._measured[variant] = measure(execution, REPEAT, SECONDS, stages=True, least=LEAST)
        return self._measured[variant]


def machine(absent: Mapping[str, str]) -> str:
    """Name the devices that compute on this machine."""
    from wheatstone.gpu.device import open_device

    gpu = "" if absent.get("cuda", "none") else f" and {open_device('cuda').name}"
    return f"{open_device('cpu').name}{gpu}"


def cores() -> int:
    """Return the number of cores of the CPU."""
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Fact:
    """The declaration of a fact: a number or word that lesson texts name, computed when shown.

    Attributes:
        help: a description for authors of lessons.
        takes: the kinds of its words, such as ``VARIANT``.
        runs: whether it runs the variants that it names, each on its own device.
    """

    help: str
    tell: Tell
    takes: tuple[str, ...] = ()
    runs: bool = False


def _known() -> Mapping[str, frozenset[str]]:
    """Return the words allowed for each kind of argument of lesson facts and drawings."""
    every = list(PIPELINES.values())
    steps = {s.name for p in every for s in (*p.stages, *(f for v in p.variants for f in v.fused))}
    return {
        "VARIANT": frozenset(v.name for p in every for v in p.variants),
        "STAGE": frozenset(steps),
        "IMAGE": frozenset(image.name for p in every for image in p.images),
        "PARAMETER": frozenset(name for p in every for name in controls(p.params)),
        "SIDE": frozenset(("left", "right")),
    }


KNOWN = _known()
"""The values of each kind of word; a ``NUMBER`` is from 0 to 99, a ``LABEL`` is any word."""


def check_word(kind: str, word: str) -> None:
    """Raise ``ValueError`` unless a word is allowed as an argument of a kind, such as ``STAGE``."""
    if kind == "NUMBER" and not (word.isascii() and word.isdecimal() and len(word) <= 2):
        raise ValueError(f"an integer from 0 to 99 is required (got {word!r})")
    if kind in KNOWN and word not in KNOWN[kind]:
        raise ValueError(f"there is no {kind.lower()} {word!r}")
