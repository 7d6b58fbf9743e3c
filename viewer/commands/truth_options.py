"""Options that say where ground truth is, and how results are judged by it."""

import argparse
from dataclasses import replace

from gpu.analysis.conventions import CONVENTIONS, REGIONS
from viewer.choices.judging import is_disparity, judged_by
from viewer.choices.state import ViewerState
from viewer.options import zoom


def add_truth(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("ground truth")
    help = "of LEFT: PFM, NPY, TIFF, or PNG or PGM of integers; default: what lies beside LEFT"
    group.add_argument("--truth", metavar="FILE", help=help)
    help = "integers of it per pixel of disparity; default: 256 for 16 bits, 1 for 8"
    group.add_argument("--truth-scale", type=zoom, metavar="X", help=help)
    help = "show how far the result is from the truth; --no-error-map: show it as it is"
    action = argparse.BooleanOptionalAction
    group.add_argument("--error-map", action=action, default=None, help=help)
    help = f"how it is judged: {', '.join(CONVENTIONS)}"
    group.add_argument("--truth-convention", choices=list(CONVENTIONS), metavar="C", help=help)
    help = "judge pixels that both views see, or all known; default: the convention's first"
    group.add_argument("--truth-region", choices=REGIONS, help=help)


def apply_truth(state: ViewerState, options: argparse.Namespace) -> None:
    """Set how results are judged, and whether errors are shown.

    Raises:
        ValueError: errors are asked for of what is no disparity.
    """
    if options.truth_convention:
        state.truth = judged_by(state.truth, options.truth_convention)
    if options.truth_region:
        state.truth = replace(state.truth, region=options.truth_region)
    pipeline = state.slot.pipeline
    if options.error_map and not is_disparity(pipeline.image(pipeline.output)):
        raise ValueError(f"no error map: {pipeline.name} computes no disparity")
    if options.error_map is not None:
        state.truth = replace(state.truth, show="errors" if options.error_map else "off")
