"""Compute the disparities of one stereo pair, and measure their errors against the truth."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.conventions import CONVENTIONS, Region, measures
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.commands.evaluate.data_sets import ScenePair
from wheatstone.viewer.commands.evaluate.scenes import load_entry
from wheatstone.viewer.commands.evaluate.videos import VideoPair
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.reading.plain_text import visible
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.pairs import PairFiles

DIGITS = 4  # after the point


@dataclass(frozen=True)
class Job:
    """The job of judging one pair, with everything that determines its figures; it is pickled.

    Attributes:
        params: parameters, including the searched range of this pair.
    """

    entry: PairFiles | ScenePair | VideoPair
    pipeline: str
    variant: str
    params: Params
    convention: str
    region: Region


@dataclass(frozen=True)
class PairOutcome:
    """The result of a pair: its figures, or the reason why it has none.

    Attributes:
        figures: the measures by name; None for one that has no value. Empty if the pair failed.
        facts: facts about the pair for the reader, such as its size.
        why: why the pair failed; empty if it did not.
        where: worker and device that judged it, by name; empty if this machine did.
    """

    name: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    where: Mapping[str, str] = field(default_factory=dict)


def with_range(
    entry: PairFiles | ScenePair | VideoPair, params: Params, given: Mapping[str, Any]
) -> Params:
    """Set the range of disparities that a pair needs, unless the command line gives it.

    Args:
        given: the parameters that the command line gives.

    Raises:
        ValueError: the range is not known, or the pipeline cannot search it.
    """
    if "min_disparity" not in given:
        params = params.changed(min_disparity=entry.min_disparity)
    if "disparities" in given:
        return params
    if entry.disparities is None:
        raise ValueError("the data set does not say how many disparities; give --disparities")
    return params.changed(disparities=16 * math.ceil(entry.disparities / 16))


def judged(job: Job) -> PairOutcome:
    """Compute a pair and measure its errors; an exception becomes the reason in the outcome."""
    try:
        return _judged(job)
    except (OSError, ValueError, Unavailable) as error:
        return PairOutcome(job.entry.name, why=visible(str(error)))
    except MemoryError as error:
        return PairOutcome(job.entry.name, why=f"out of memory: {error}".rstrip(": "))


def _judged(job: Job) -> PairOutcome:
    pipeline, convention = PIPELINES[job.pipeline], CONVENTIONS[job.convention]
    pair = load_entry(job.entry)
    mask = convention.judged(pair.truth, pair.seen, job.region)
    if not mask.any():
        at = job.entry.name if isinstance(job.entry, ScenePair) else job.entry.truth
        raise ValueError(f"{at}: no pixel is judged; scale and unknown may be wrong")
    views = {"left": pair.left, "right": pair.right}
    output = pipeline.image(pipeline.output)
    stored = first_frame(Run(pipeline, job.variant, job.params), views).download(output.name)
    disparity = in_units(stored, output, job.params)
    searched = job.params.values()
    first, count = searched["min_disparity"], searched["disparities"]
    figures = measures(convention, disparity, pair.truth, mask, first + count - 1)
    facts = {
        "width": pair.truth.shape[1],
        "height": pair.truth.shape[0],
        "min_disparity": first,
        "disparities": count,
        "judged": round(100 * float(np.mean(mask)), DIGITS),
        "occlusions": job.entry.occlusions if job.region == "seen" else "",
    }
    rounded = {n: round(f, DIGITS) if math.isfinite(f) else None for n, f in figures.items()}
    return PairOutcome(job.entry.name, rounded, facts)
