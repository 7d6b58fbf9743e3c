"""The options of ``evaluate``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.gpu.analysis.conventions import CONVENTIONS, REGIONS, Region
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.carry_request import CarryRequest, TakenPairs, WorkerOptions
from wheatstone.viewer.cli.requests import PresetsOption, size_option
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.options import (
    choice_option,
    flag_option,
    float_option,
    int_option,
    parameter_options,
    path_option,
    pipeline_option,
    text_option,
)
from wheatstone.viewer.run.run_job import is_judgeable

SCENE, FILES = "built-in scenes, evaluated without SOURCE", "files"


def judgeable() -> dict[str, Pipeline]:
    """Return the pipelines whose output is a disparity map, by name."""
    return {name: pipeline for name, pipeline in PIPELINES.items() if is_judgeable(pipeline)}


@dataclass(frozen=True, kw_only=True)
class EvaluateRequest(PresetsOption, CarryRequest):
    """The options of ``evaluate``, which compares disparities of pairs with ground truth."""

    verb: ClassVar[str] = "evaluate"
    usage: ClassVar[str] = "wheatstone evaluate [SOURCE ...] [options]"
    epilog: ClassVar[str] = """\
Without SOURCE the built-in scenes are evaluated. SOURCE is a folder with manifest.toml,
manifest.json or pairs.json, or with the layout of Middlebury, ETH3D or KITTI, a manifest, a video,
or another source that `batch` reads; viewer/io/sources/manifest.py describes manifests. Pairs
without ground truth are skipped. The ground truth of frame 12 of a video is
VIDEO_WITHOUT_SUFFIX.truth/12.pfm.
Exit codes: 0 done; 1 a pair failed; 2 bad input or arguments; 3 this machine cannot run the
variant."""
    headings: ClassVar[tuple[str, ...]] = (
        "",
        SCENE,
        TakenPairs.heading,
        WorkerOptions.heading,
        FILES,
    )

    sources: tuple[str, ...] = text_option(
        "pairs with ground truth; default: the built-in scenes",
        "SOURCE",
        positional=True,
        nargs="*",
    )
    pipeline: Pipeline = pipeline_option(judgeable())
    convention: str | None = choice_option(
        CONVENTIONS,
        f"convention of the evaluation: {', '.join(CONVENTIONS)}; default: that of the data set",
        "C",
    )
    region: Region | None = choice_option(
        REGIONS,
        "pixels to judge: visible in both views, or all with ground truth; default: the "
        "convention's first",
    )
    scale: float | None = float_option(
        "stored values per pixel of disparity, if neither layout nor manifest states them",
        names=("--scale", "--truth-scale"),
    )
    scene: tuple[str, ...] = choice_option(
        SCENES, "scenes to evaluate; default: all", nargs="+", heading=SCENE
    )
    seed: int | None = int_option("seed of layout, colours and textures", heading=SCENE)
    size: tuple[int, int] | None = size_option(
        "size of the scenes; default: 640x480", heading=SCENE
    )
    state: Path | None = path_option(
        "file that stores finished pairs; default: NAME.evaluate.jsonl, with the data set's name",
        heading=WorkerOptions.heading,
    )
    restart: bool = flag_option(
        "compute again the pairs in the state file", heading=WorkerOptions.heading
    )
    json: Path | None = path_option("write the results as JSON", heading=FILES)
    csv: Path | None = path_option("write the results as CSV", heading=FILES)
    markdown: Path | None = path_option("write the results as Markdown tables", heading=FILES)
    params: Mapping[str, Any] = parameter_options(
        "parameters of {}; default range: that of the data set"
    )
