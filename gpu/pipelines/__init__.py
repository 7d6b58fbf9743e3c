"""Declare every pipeline in a room of its own; start reading with ``sgm``."""

from gpu.pipeline import Pipeline
from gpu.pipelines.canny import CANNY
from gpu.pipelines.invert import INVERT
from gpu.pipelines.mean import MEAN
from gpu.pipelines.ncc import NCC
from gpu.pipelines.rectify import RECTIFY
from gpu.pipelines.sgm import SGM

PIPELINES: dict[str, Pipeline] = {
    pipeline.name: pipeline for pipeline in (SGM, CANNY, NCC, MEAN, INVERT, RECTIFY)
}
