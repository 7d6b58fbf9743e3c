"""Define the macro with the pipeline's order of path directions, for ``directions.cuh``."""

from wheatstone.gpu.pipelines.sgm.params import DIRECTIONS

DECLARED = ("DIRECTIONS", ",".join(f"{{{dx},{dy}}}" for dx, dy in DIRECTIONS))
