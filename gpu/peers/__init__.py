"""OpenCV, networks and external programs to compare with; results may differ from the reference."""

from wheatstone.gpu import cpu, reference
from wheatstone.gpu.stage import modules_by_stage

SAME_ON_CPU = ("grey_conversion", "colour_conversion", "decimation", "temporal_filter")
SAME_IN_REFERENCE = ("depth", "outside_mask", "outside_reason")
MODULES = {
    **modules_by_stage(__name__, {"opencv": "opencv_sgbm rectify rectify_colours"}),
    **{name: cpu.MODULES[name] for name in SAME_ON_CPU},
    **{name: reference.MODULES[name] for name in SAME_IN_REFERENCE},
}
