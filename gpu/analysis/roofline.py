"""Compare the throughput of stages, in bytes and operations, with the peaks of their device.

Bytes and operations are those declared, not counted on the device, so a kernel that avoids some
work or reads from a cache may exceed a peak.

Source: S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance Model
for Multicore Architectures", CACM 2009.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wheatstone.gpu.analysis.measurement import copy_bandwidth, declared_bytes, declared_operations
from wheatstone.gpu.device import Device, open_device
from wheatstone.gpu.execution import Execution

LANES = 128  # that a multiprocessor computes with at once, 32 bits each
FEWER_LANES = {(6, 0): 64, (7, 0): 64, (7, 2): 64, (7, 5): 64, (8, 0): 64}  # by compute capability


@dataclass(frozen=True)
class StagePoint:
    """The performance of one stage: a point under a roofline.

    Attributes:
        nbytes: declared, read and written in a frame; None for a peer, which declares none.
        operations: declared, in a frame; None if unknown.
        gigabytes_per_second: of those bytes.
        intensity: operations per byte.
        gigaoperations_per_second: of those operations.
    """

    stage: str
    milliseconds: float
    nbytes: int | None
    operations: int | None

    @property
    def gigabytes_per_second(self) -> float | None:
        return _rate(self.nbytes, self.milliseconds)

    @property
    def intensity(self) -> float | None:
        return self.operations / self.nbytes if self.operations and self.nbytes else None

    @property
    def gigaoperations_per_second(self) -> float | None:
        return _rate(self.operations, self.milliseconds)


def _rate(amount: int | None, milliseconds: float) -> float | None:
    return amount / milliseconds / 1e6 if amount is not None and milliseconds > 0 else None


@dataclass(frozen=True)
class Peaks:
    """The peak performance of a device.

    Attributes:
        copy_gigabytes_per_second: bytes read and written by a plain copy; measured.
        gigaoperations_per_second: see ``nominal_peak``; None where it is not known.
    """

    copy_gigabytes_per_second: float
    gigaoperations_per_second: float | None

    def roof(self, intensity: float) -> float:
        """Return the highest 1e9 operations per second at an intensity in operations per byte."""
        slope = intensity * self.copy_gigabytes_per_second
        return min(slope, self.gigaoperations_per_second or slope)

    @property
    def ridge(self) -> float | None:
        """Return the operations per byte above which arithmetic, not memory, is the limit."""
        peak = self.gigaoperations_per_second
        return peak / self.copy_gigabytes_per_second if peak else None


def peaks(device: Device) -> Peaks:
    """Return a device's peak performance; its memory rate is measured by the first call.

    That takes some milliseconds on a GPU, on the CPU up to a second.
    """
    return _peaks(device.kind)


@cache
def _peaks(kind: str) -> Peaks:
    device = open_device(kind)
    return Peaks(copy_bandwidth(device), nominal_peak(device))


def nominal_peak(device: Device) -> float | None:
    """Return the nominal peak in 1e9 operations/s: one per GPU lane and cycle; None for the CPU.

    A nominal figure: multiprocessors times their 32-bit lanes times the highest clock. Instructions
    that fuse or pack several operations exceed it, dividing and 64-bit ones stay far below.
    """
    if device.on_host:
        return None
    import cupy

    gpu = cupy.cuda.Device(device.ordinal)  # type: ignore[attr-defined]
    attributes, capability = gpu.attributes, gpu.compute_capability
    lanes = FEWER_LANES.get((int(capability[:-1]), int(capability[-1])), LANES)
    return float(attributes["MultiProcessorCount"] * lanes * attributes["ClockRate"]) / 1e6


def stage_points(execution: Execution, stage_milliseconds: Mapping[str, float]) -> list[StagePoint]:
    """Compute the point of each stage under the roofline.

    Args:
        stage_milliseconds: time of each stage in a frame, such as
            ``Execution.stage_milliseconds()`` or medians of it.
    """
    nbytes, operations = declared_bytes(execution), declared_operations(execution)
    peer = execution.variant.peer
    return [
        StagePoint(stage, took, None if peer else nbytes.get(stage), operations.get(stage))
        for stage, took in stage_milliseconds.items()
    ]
