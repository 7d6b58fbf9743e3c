"""Convert thresholds given by the user to least magnitudes."""

from wheatstone.gpu.image import Int32
from wheatstone.gpu.pipelines.canny.params import least_magnitude


def manual_thresholds(levels: Int32, low: int, high: int, convention: str) -> None:
    """Write the least magnitude of a weak pixel and of a strong one.

    In ``opencv`` a magnitude must exceed its threshold, in ``aveiro-2015`` and ``aveiro-2025`` it
    may equal it.

    Args:
        levels: (2,) the two magnitudes, written.
        low, high: thresholds, in units of the magnitude.

    Source: cv2.Canny; ``first_edges`` and ``hysteresis_edges`` of the course program.
    """
    levels[:] = least_magnitude(low, convention), least_magnitude(high, convention)
