"""List versions of packages, devices and compilers, for reports, screenshots and ``doctor``."""

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import Device
from wheatstone.gpu.kernels.programs import OPTIONS, target_of_gpu
from wheatstone.gpu.nvidia import compiled, compiler_version, how_to_install_compiler, loaded_from

PACKAGES = ("numpy", "numba", "opencv-python-headless", "cuda-core", "cuda-bindings")
EMPTY = 'extern "C" __global__ void empty() {}'
CUPY = ("cupy-cuda12x", "cupy-cuda13x", "cupy")  # which one is there depends on the driver


def versions() -> dict[str, str]:
    """Return the versions of the installed packages that are used for computing."""
    from importlib import metadata  # takes long to import

    numbers = {}
    for name in PACKAGES + CUPY:
        try:
            numbers[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return numbers


def describe(device: Device) -> dict[str, str]:
    """Return the name of a device, and for a GPU the versions of its driver and CUDA runtime."""
    facts = {"device": device.name}
    if not device.on_host:
        from wheatstone.gpu.cuda import driver_version, runtime_version

        facts["driver"] = driver_version()
        facts["cuda"] = runtime_version()
    return facts


def check_compiler() -> str:
    """Compile an empty kernel as a test; return the compiler's version and file.

    Raises:
        Unavailable: the compiler or its library is missing, does not support this GPU, or is of
            another major version of CUDA than the runtime.
    """
    from wheatstone.gpu.cuda import runtime_version

    target = target_of_gpu()
    major, minor = compiler_version(target.major)
    compiler = f"NVRTC {major}.{minor} ({loaded_from() or 'file unknown'})"
    runtime = runtime_version()
    if major != target.major:
        raise Unavailable(
            f"{compiler} is of another CUDA than the runtime, {runtime}: its code may not load; "
            f"{how_to_install_compiler()}"
        )
    try:
        compiled("empty.cu", EMPTY, OPTIONS, target.capability, target.major)
    except RuntimeError as error:
        why = str(error).splitlines()[0]
        raise Unavailable(
            f"CUDA's run-time compiler does not work ({why}); {how_to_install_compiler()}"
        ) from error
    return compiler
