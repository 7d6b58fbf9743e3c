"""The variant ``cpu``: stages computed on all cores, with sixteen disparities at a time."""

from wheatstone.gpu import reference

MODULES = {
    **{stage: f"{__name__}.{at.rpartition('.')[2]}" for stage, at in reference.MODULES.items()},
    "manual_thresholds": reference.MODULES["manual_thresholds"],
}
