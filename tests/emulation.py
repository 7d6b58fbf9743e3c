"""Fixtures by which CUDA variants run on the CPU, for tests on machines without a GPU."""

import pytest

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.emulation.compiler import gxx_version
from wheatstone.gpu.emulation.device import EmulatedDevice, emulated_constant, emulated_function
from wheatstone.gpu.own_kernels.emulating import FORCED


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skip the test where g++ is missing."""
    try:
        gxx_version()
    except Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture
def emulated_kernels(compiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's kernels are emulated during one test, with or without a GPU."""
    monkeypatch.setenv(FORCED, "1")


@pytest.fixture
def emulation(compiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA variants run on the CPU during one test."""
    if not why_unavailable("cuda"):
        pytest.skip("this machine has a GPU, on which the kernels themselves are tested")
    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.function", emulated_function)
    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.constant", emulated_constant)
    monkeypatch.setattr("wheatstone.gpu.kernels.kernel.is_possible", lambda: False)
    monkeypatch.setattr("wheatstone.gpu.execution.open_device", lambda kind: EmulatedDevice())
