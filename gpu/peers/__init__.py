"""Run external programs for comparison; their results need not be identical to the reference."""

from wheatstone.gpu import cpu, reference
from wheatstone.gpu.stage import modules_by_stage

MODULES = {
    **modules_by_stage(__name__, {"opencv": "opencv_sgbm rectify rectify_colours"}),
    **{name: cpu.MODULES[name] for name in ("grey_conversion", "colour_conversion")},
    **{name: reference.MODULES[name] for name in ("depth", "outside_mask", "outside_reason")},
}
