"""The declarations, one pipeline a file: start reading with ``sgm``, whose variants lie apart."""

from gpu.pipeline import Pipeline
from gpu.pipelines.canny import CANNY
from gpu.pipelines.invert import INVERT
from gpu.pipelines.mean import MEAN
from gpu.pipelines.ncc import NCC
from gpu.pipelines.sgm import SGM

PIPELINES: dict[str, Pipeline] = {
    pipeline.name: pipeline for pipeline in (SGM, CANNY, NCC, MEAN, INVERT)
}
