"""Add variants and pipelines that other packages, the plug-ins, provide."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import TypeVar

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES, known_pipeline

GROUP = "wheatstone.pipelines"
"""Entry point group: each names a ``Pipeline``, or a module that declares variants on import."""
BUILT_IN = frozenset(
    (pipeline.name, v.name) for pipeline in PIPELINES.values() for v in pipeline.variants
)
Function = TypeVar("Function", bound=Callable[..., None])


def variant(
    pipeline: str, name: str, *, base: str = "reference", stage: str = "", help: str = ""
) -> Callable[[Function], Function]:
    """Return a decorator that declares a function as a stage of a new variant.

    The function takes the images that the stage reads, the images it writes, then its parameters,
    as the reference's function of that name does. All other stages are those of ``base``. Decorate
    one function per stage for a variant that replaces several. The function runs in this process;
    ``wheatstone kernel new`` makes a folder whose CUDA or Python files run in one of their own,
    and ``wheatstone kernel check`` judges them.

    Args:
        pipeline: name of the pipeline.
        name: name of the new variant, or of one declared before.
        base: variant that computes all other stages; its device and dtypes are those of the new.
        stage: name of the stage; the function's name by default.
        help: description in one line.

    Raises:
        ValueError: there is no such pipeline, base or stage, or the name belongs to the program.
    """
    declared = known_pipeline(pipeline)
    if (pipeline, name) in BUILT_IN:
        raise ValueError(f"{pipeline} has a variant {name!r} of its own; choose another name")
    stages = [each.name for each in declared.stages]

    def add(function: Function) -> Function:
        known = {each.name: each for each in declared.variants}
        before = known.get(name) or replace(
            declared.variant(base), name=name, help=help or f"{base} with functions of a plug-in."
        )
        own = stage or function.__name__
        if own not in stages:
            named = "stage=" if stage else "the function's name"
            known_stages = ", ".join(stages)
            raise ValueError(f"{named} must be a stage of {pipeline} (got {own!r}): {known_stages}")
        declared.add_variant(
            replace(
                before,
                functions={**before.functions, own: function},
                fused=tuple(step for step in before.fused if own not in step.covers),
                recorded=False,  # a function may allocate or compile
            )
        )
        return function

    return add


@cache
def load_plugins() -> tuple[str, ...]:
    """Import the plug-ins of all installed packages, once per process.

    Returns:
        One line for each plug-in that cannot be used. It does not keep the program from starting.
    """
    errors = []
    for point in entry_points(group=GROUP):
        try:
            loaded = point.load()
            if isinstance(loaded, Pipeline):
                if PIPELINES.setdefault(loaded.name, loaded) is not loaded:
                    raise ValueError(f"there is a pipeline {loaded.name!r} already")
        except Exception as error:  # whatever a stranger's code raises
            errors.append(f"plug-in {point.name}: {type(error).__name__}: {error}")
    return tuple(errors)
