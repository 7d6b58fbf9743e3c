"""The variant ``cpu``: stages computed on all cores, with sixteen disparities at a time."""

from wheatstone.gpu import reference
from wheatstone.gpu.stage import modules_by_stage

MODULES = {
    **modules_by_stage(__name__, reference.FILES),
    "manual_thresholds": reference.MODULES["manual_thresholds"],
}
