"""The declarations of all pipelines, each in its own module or package; start with ``sgm``."""

from wheatstone.gpu.parameters import did_you_mean
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.gpu.pipelines.ncc import NCC
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.gpu.pipelines.sgm import SGM

PIPELINES: dict[str, Pipeline] = {
    pipeline.name: pipeline for pipeline in (SGM, CANNY, NCC, MEAN, INVERT, RECTIFY)
}


def known_pipeline(name: str) -> Pipeline:
    """Return the pipeline with this name. Raises ``ValueError`` for an unknown name."""
    if name not in PIPELINES:
        like = did_you_mean(name, PIPELINES)
        raise ValueError(f"there is no pipeline {name!r}{like}; there is {', '.join(PIPELINES)}")
    return PIPELINES[name]
