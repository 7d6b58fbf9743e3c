"""Tell the kernels of directions.cuh in which order the pipeline declares the paths."""

from wheatstone.gpu.pipelines.sgm.params import DIRECTIONS

DECLARED = ("DIRECTIONS", ",".join(f"{{{dx},{dy}}}" for dx, dy in DIRECTIONS))
