"""Provide published times in milliseconds, for comparison with those measured here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedStep:
    """A step of the course: one more part of the program moves from the host to the device.

    Attributes:
        stages: the stages that move; empty: all remaining ones.
        crossing: the image that the host then copies from the device; empty: the result.
        each: whether the host copies the image once for every path.
    """

    name: str
    stages: tuple[str, ...] = ()
    crossing: str = ""
    each: bool = False


@dataclass(frozen=True)
class Published:
    """The times of a program with a part on the device, and of the same program on the host."""

    device: float
    host: float


SGM_SOURCE = (
    "SGM stereo with CUDA, University of Aveiro, Advanced Computer Architecture, 2016; "
    "whole program, bull pair of 433x381"
)
DISPARITIES = (32, 64)
STEPS = (
    PublishedStep("costs", ("census_transform", "matching_cost"), "cost"),
    PublishedStep("+ paths", ("path_aggregation",), "path_costs", each=True),
    PublishedStep("+ sum", ("path_sum",), "sums"),
    PublishedStep("+ view: all on the device"),
)
MEMORIES = {  # what the course calls a memory, and the variant that uses it alike
    "costs": {"global v1": "global-scanline", "global v2": "global", "texture": "texture"},
    "+ paths": {
        "global v1": "global-scanline",
        "global v2": "global",
        "shared": "shared",
        "texture": "texture",
    },
    "+ sum": {"global": "global", "shared": "shared", "texture": "texture"},
    "+ view: all on the device": {"global": "global", "shared": "shared", "texture": "texture"},
}
SGM = {  # by step and memory, for each of DISPARITIES
    ("costs", "global v1"): (Published(5048.7, 5160.2), Published(19562.1, 19739.5)),
    ("costs", "global v2"): (Published(5044.9, 5057.6), Published(19502.0, 19576.7)),
    ("costs", "texture"): (Published(5037.2, 5108.8), Published(19552.8, 19654.7)),
    ("+ paths", "global v1"): (Published(4754.5, 5044.5), Published(17583.1, 19286.2)),
    ("+ paths", "global v2"): (Published(479.7, 5052.7), Published(1013.2, 19321.2)),
    ("+ paths", "shared"): (Published(373.3, 5227.0), Published(976.5, 20004.9)),
    ("+ paths", "texture"): (Published(372.2, 5294.9), Published(976.9, 19992.2)),
    ("+ sum", "global"): (Published(383.6, 5163.1), Published(826.3, 19342.5)),
    ("+ sum", "shared"): (Published(276.7, 5177.0), Published(790.6, 19944.4)),
    ("+ sum", "texture"): (Published(275.2, 5192.1), Published(790.7, 20159.5)),
    (STEPS[3].name, "global"): (Published(359.3, 5035.8), Published(784.1, 19367.6)),
    (STEPS[3].name, "shared"): (Published(250.1, 5306.3), Published(746.9, 20010.9)),
    (STEPS[3].name, "texture"): (Published(252.0, 5188.4), Published(750.9, 20155.4)),
}

CANNY_SOURCE = (
    "Canny edge detector with CUDA, University of Aveiro, Advanced Computer Architecture, 2015; "
    "all four kernels on the device, global memory"
)
CANNY_PICTURES = {(512, 512): "lena", (300, 262): "house", (200, 200): "chess"}
CANNY = {
    "lena": Published(116.0, 178.0),
    "house": Published(46.0, 62.0),
    "chess": Published(16.8, 24.0),
}
