"""Types for the result of checking the user's kernels: verdicts, faults, times and resources.

    folder = KernelFolder.read(Path("my-census"))
    verdict = judge(folder, progress=show)
    verdict.state, verdict.stages[0].wrong

``judging`` has ``judge``. A verdict is plain data: ``to_json`` writes it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from wheatstone.gpu.emulation.compiler import CompileError
from wheatstone.gpu.emulation.report import AccessCount, place_in_words
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.words import plural

State = Literal["compiling", "checking", "compile error", "fault", "wrong", "identical", "stopped"]
"""``compiling`` and ``checking`` are passed to the progress function only; ``stopped``: the caller
ended the check before anything was found to be wrong."""


@dataclass(frozen=True)
class FailingCase:
    """A test case in which a kernel fails.

    Attributes:
        number, seed: name the case; see ``viewer.run.parity.cases``.
        height, width: of the images in pixels.
        kind: of the images, such as ``noise``.
        params: value of every parameter.
        call: number of the call in the frame, from 0: the direction of a path, for example.
    """

    number: int
    seed: int
    height: int
    width: int
    kind: str
    params: Mapping[str, Any]
    call: int = 0

    def read_by(self, pipeline: str, stage: str) -> dict[str, Any]:
        """Return the values that a stage's parameters have in the test case."""
        stages = PIPELINES[pipeline].stages
        read = next((each.params for each in stages if each.name == stage), ())
        return {n: value for n, value in self.params.items() if n in {*read, "disparities"}}

    def words(self, pipeline: str, stage: str) -> str:
        """Describe, in one line, the test case in which a stage's kernel fails."""
        values = (f"{name} {value}" for name, value in self.read_by(pipeline, stage).items())
        call = [f"call {self.call}"] if self.call else []
        return ", ".join((f"{self.width} x {self.height}, image: {self.kind}", *call, *values))


@dataclass(frozen=True)
class WrongPixel:
    """The first element in which an image differs from the reference's.

    Attributes:
        index: row and column, and the index along a third axis if there is one. In words the column
            is first, as x, and the row second, as y.
        actual, expected: stored values.
        count: elements that differ, out of ``total``.
        unwritten: whether all of these hold what they held before the kernel ran.
    """

    image: str
    index: tuple[int, ...]
    actual: int | float
    expected: int | float
    count: int
    total: int
    unwritten: bool = False

    def __str__(self) -> str:
        actual = f"is {_number(self.actual)}"
        if self.unwritten:
            actual = f"was not written: it {actual} as before the kernel ran"
        wrong = (
            f"{self.count:,} of {plural(self.total, 'value')} {'is' if self.count == 1 else 'are'}"
        )
        return (
            f"{self.image} at {place_in_words(self.index)} {actual}, "
            f"expected {_number(self.expected)} ({wrong} wrong)"
        )


def _number(value: int | float) -> str:
    """Format an image value; a large integer, which may hold bits, is also shown in hexadecimal."""
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value} ({value:#x})" if value >= 2**16 else str(value)


@dataclass(frozen=True)
class PictureVerdict:
    """The result of comparing the picture on screen with the reference's result.

    Attributes:
        height, width: of the picture in pixels.
        images: names of those that were compared.
        wrong: the first wrong pixel; None: there is none.
        why_not: why it was not compared; empty if it was.
    """

    height: int
    width: int
    images: tuple[str, ...] = ()
    wrong: WrongPixel | None = None
    why_not: str = ""

    @property
    def size(self) -> str:
        """Return the size of the image as text, such as ``1242 x 375``."""
        return f"{self.width} x {self.height}"


@dataclass(frozen=True)
class FaultVerdict:
    """A fault of a running kernel; see ``KernelFault``."""

    reason: str
    message: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class KernelTime:
    """The measured time of a stage on this GPU, at one image size.

    Attributes:
        milliseconds: of the user's kernel, median.
        variants: of the same stage in built-in variants, by name.
        gigabytes_per_second: of the images that the stage reads and writes.
        copied: the same of a plain copy on this GPU.
    """

    height: int
    width: int
    milliseconds: float
    variants: Mapping[str, float] = field(default_factory=dict)
    gigabytes_per_second: float = 0.0
    copied: float = 0.0

    @property
    def roofline(self) -> str:
        """Describe the memory throughput, also as a fraction of a plain copy's."""
        share = self.gigabytes_per_second / max(self.copied, 1e-6)
        return f"{self.gigabytes_per_second:.0f} GB/s, {share:.0%} of a plain copy"

    @property
    def ratios(self) -> dict[str, float]:
        """Return each built-in variant's time divided by the user's: above 1 the user is faster."""
        own = max(self.milliseconds, 1e-6)
        return {name: taken / own for name, taken in self.variants.items()}


@dataclass(frozen=True)
class KernelUse:
    """The GPU resources that a kernel uses: registers, shared memory and occupancy.

    Attributes:
        registers: of a thread.
        shared: bytes of a block.
        occupancy: fraction of a multiprocessor's warps, from 0 to 1.
    """

    entry: str
    registers: int
    shared: int
    occupancy: float


@dataclass(frozen=True)
class StageVerdict:
    """The verdict on the user's kernel for one stage.

    Attributes:
        identical: number of cases in which all written images equal the reference's.
        wrong: the first wrong pixel of the smallest failing case; None: there is none.
        fault: of the smallest failing case; None: there is none.
        case: the smallest failing case; None: there is none.
        time: None: not judged, because there is no GPU or the results are wrong.
        use: of every kernel; empty without a GPU.
        transactions, conflicts: of memory, counted in an emulated launch.
        counted: height and width of the images at which they are counted.
        output: lines that the kernel printed.
    """

    stage: str
    identical: int = 0
    wrong: WrongPixel | None = None
    fault: FaultVerdict | None = None
    case: FailingCase | None = None
    time: KernelTime | None = None
    use: tuple[KernelUse, ...] = ()
    transactions: tuple[AccessCount, ...] = ()
    conflicts: tuple[AccessCount, ...] = ()
    counted: tuple[int, int] | None = None
    output: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelVerdict:
    """The verdict on the user's kernels in one folder.

    Attributes:
        variant: name of the variant that they make.
        errors: of the compiler, in the order of the files' lines.
        stages: one for each stage of the folder.
        cases: number of cases to check; ``done`` are finished.
        largest: height and width of the largest case, in pixels.
        pipeline_wrong: the first wrong pixel of the pipeline's output, although every stage is
            identical alone; None: there is none.
        emulated: whether the kernels ran on the CPU; then no time is judged.
        seconds: duration of the check.
    """

    variant: str
    pipeline: str
    state: State
    errors: tuple[CompileError, ...] = ()
    stages: tuple[StageVerdict, ...] = ()
    cases: int = 0
    done: int = 0
    largest: tuple[int, int] = (0, 0)
    pipeline_wrong: WrongPixel | None = None
    emulated: bool = False
    seconds: float = 0.0

    @property
    def summary(self) -> str:
        """Describe the state of a check of kernels briefly: if identical, in how many cases."""
        if self.state != "identical":
            return self.state
        height, width = self.largest
        return f"identical in {plural(self.done, 'case')}, up to {width} x {height}"

    @property
    def failed(self) -> StageVerdict | None:
        """Return the first stage with a wrong result or a fault; None if all are right."""
        return next((stage for stage in self.stages if stage.wrong or stage.fault), None)

    def to_json(self) -> str:
        """Format the verdict on the kernels as JSON."""
        return json.dumps(asdict(self), indent=2, default=str)
