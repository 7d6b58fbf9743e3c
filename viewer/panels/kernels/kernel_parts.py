"""The CUDA kernels or functions that a variant runs for a frame, with their source code."""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wheatstone.gpu.analysis.kernel_facts import KernelFacts, kernel_facts
from wheatstone.gpu.kernels.programs import files
from wheatstone.gpu.pipeline import Stage, Variant
from wheatstone.gpu.steps import Setup, active_stages, function_of
from wheatstone.viewer.panels.kernels.listing import Language, Listing, listing

if TYPE_CHECKING:
    from wheatstone.gpu.own_kernels.contract import OwnStage


@dataclass(frozen=True)
class CodePart:
    """Code that a variant runs: a CUDA kernel, or the function of a stage."""

    name: str
    variant: Variant
    stage: Stage
    facts: KernelFacts | None = None  # the kernel's launches and resources; None for a function

    @property
    def function(self) -> str:
        """Return the name of the kernel or function in its source file."""
        own = self._own
        return self.facts.kernel.name if self.facts else own.entry if own else self.stage.name

    @property
    def language(self) -> Language:
        """Return the programming language of the kernel or function."""
        in_cuda = self.facts or (self._own and not self._own.in_python)
        return "cuda" if in_cuda else "python"

    @property
    def _own(self) -> "OwnStage | None":
        """Return the user's own kernel that is emulated for a stage; None if it has none."""
        own: OwnStage | None = getattr(self.variant.functions.get(self.stage.name), "own", None)
        return own

    def listing(self, whole: bool) -> Listing:
        """Return the source code: whole files, or only lines that the kernel or function uses."""
        known = [value for _, value in self.facts.kernel.defines] if self.facts else []
        return listing(self._files(), self.language, self.function, whole=whole, known=known)

    def _files(self) -> Mapping[str, str]:
        """Read the source files that contain the kernel or function, as texts by file name."""
        if self.facts:
            kernel = self.facts.kernel
            return {kernel.file: kernel.text} if kernel.text else files(kernel.file)
        if own := self._own:
            return {own.file: own.text}
        function = function_of(self.variant.package, self.stage.name)
        path = Path(importlib.import_module(function.__module__).__file__ or "")  # it may be shared
        return {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8")}


def parts(setup: Setup, wanted: Iterable[str] = ()) -> tuple[CodePart, ...]:
    """List in order the kernels or functions that a variant runs for a frame and wanted images."""
    variant = setup.variant
    stages = active_stages(setup.pipeline, variant, setup.params, wanted)
    if not variant.on_gpu:
        return tuple(CodePart(stage.name, variant, stage) for stage in stages)
    by_name = {stage.name: stage for stage in stages}
    parts_by_name: dict[str, CodePart] = {}
    for facts in kernel_facts(setup, wanted):
        name, again = facts.kernel.name, 2
        while name in parts_by_name:
            name, again = f"{facts.kernel.name} ({again})", again + 1
        parts_by_name[name] = CodePart(name, variant, by_name[facts.stage], facts)
    return tuple(parts_by_name.values())


def counterpart(
    part: CodePart, own: Sequence[CodePart], others: Sequence[CodePart]
) -> CodePart | None:
    """Return another variant's kernel or function that does (part of) the same work, or None.

    The n-th kernel of a stage is the counterpart of the n-th kernel of that stage.

    Args:
        own: all parts of the variant that ``part`` belongs to.
    """
    same = [other for other in others if other.stage.name == part.stage.name]
    same = same or [other for other in others if _work(other.stage) & _work(part.stage)]
    place = [one for one in own if one.stage == part.stage].index(part)
    return same[min(place, len(same) - 1)] if same else None


def _work(stage: Stage) -> set[str]:
    """Return the names of the pipeline's stages that a variant's (fused) stage computes."""
    return set(stage.covers) or {stage.name}
