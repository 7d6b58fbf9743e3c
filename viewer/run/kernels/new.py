"""Create a folder for the user's own kernels: ``kernel.toml`` and a source file for each stage."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, wrap

from wheatstone.gpu.kernels.kernel import Launch, noted_launches
from wheatstone.gpu.kernels.per_pixel import PerPixel
from wheatstone.gpu.kernels.placeholders import placeholder
from wheatstone.gpu.kernels.programs import header
from wheatstone.gpu.own_kernels.bases import check_base, gpu_variants
from wheatstone.gpu.own_kernels.contract import NAME, StageContract, contract_of, specification
from wheatstone.gpu.own_kernels.launching import file_of
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.steps import implementation
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.output import whole_file

DOCUMENT = "kernel.toml"
"""The file of a folder that declares its kernels."""
WIDTH = 100  # characters of a line of comment
PLACES = {
    (): "",
    ("length",): ": x is the place of an element",
    ("height", "width"): ": `at(y, x, width)` is a pixel's place",
    ("height", "width", "length"): ": `at(y, x, width)` is a pixel's place, "
    "`at(y, x, width, length) + d` that of d in a volume",
}
"""Words of an empty kernel on the places of elements, by the lengths that it takes."""
BLOCKS = {1: "[256]", 2: "[32, 8]", 3: "[32, 8]"}  # by the number of axes


@dataclass(frozen=True)
class NewStage:
    """The text of a stage's source file, and of its table in ``kernel.toml``."""

    file: str
    text: str
    table: str


def new_files(
    pipeline: Pipeline,
    stages: Sequence[str],
    name: str,
    base: str | None = None,
    *,
    in_python: bool = False,
    empty: bool = False,
    hide: bool = False,
) -> dict[str, str]:
    """Create the text of all files of a new kernel folder.

    Args:
        name: of the variant.
        base: the variant that the kernels are copied from; None: the kernels are empty.
        in_python: whether the kernels are Python functions.
        empty: whether the kernels are empty although there is a base.
        hide: whether the program's own variants are hidden.

    Returns:
        The text of every file by its name.

    Raises:
        ValueError: a stage or variant does not exist, or the variant computes it with others.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"a variant's name is letters, digits, - and _ (got {name!r})")
    chosen = base or usual_base(pipeline, stages)
    check_base(pipeline, chosen, [(stage, False) for stage in stages])
    made = []
    for stage in dict.fromkeys(stages):
        if in_python:
            made.append(_in_python(contract_of(pipeline, pipeline.variant(chosen), stage)))
        elif base and not empty:
            made.append(_copied(pipeline, base, stage))
        else:
            made.append(_empty(contract_of(pipeline, pipeline.variant(chosen), stage)))
    head = (
        f'name = "{name}"  # of the variant\n'
        f'pipeline = "{pipeline.name}"\n'
        f'base = "{chosen}"  # computes all other stages, and declares the types of the images\n'
    )
    if hide:
        head += "hide = true  # the program's own variants, except the reference\n"
    document = head + "".join(f"\n{one.table}" for one in made)
    return {DOCUMENT: document} | {one.file: one.text for one in made}


def usual_base(pipeline: Pipeline, stages: Sequence[str]) -> str:
    """Return the first GPU variant that computes each of the stages in a separate step.

    Raises:
        ValueError: a stage does not exist, or there is no such variant.
    """
    variants = [variant.name for variant in gpu_variants(pipeline)]
    names = sorted(variants, key=lambda name: name != "global")
    for name in names:
        try:
            check_base(pipeline, name, [(stage, False) for stage in stages])
        except ValueError:
            if name == names[-1]:
                raise
        else:
            return name
    raise ValueError(f"{pipeline.name} has no CUDA variant")


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder, which is created if it does not exist.

    Raises:
        OSError: a file cannot be written.
        ValueError: a file exists already.
    """
    for name in files:
        if (folder / name).exists():
            raise ValueError(f"{folder / name} exists already; choose another folder")
    check_below(folder, list(files))
    own_folder(folder)
    for name, text in files.items():
        with whole_file(folder / name) as temporary:
            temporary.write_text(text)


def _empty(contract: StageContract) -> NewStage:
    """Create an empty CUDA kernel for a stage: signature, thread index and bounds check."""
    stage, axes = contract.step.name, len(contract.sizes)
    places = ["const int x = blockIdx.x * blockDim.x + threadIdx.x;"]
    if axes == 1:
        inside = "if (x >= length) return;"
    else:
        places.append("const int y = blockIdx.y * blockDim.y + threadIdx.y;")
        inside = "if (x >= width || y >= height) return;"
    written = " and ".join(image.name for image in contract.images if image.written)
    place = PLACES[contract.sizes]
    lines = [*places, inside, f"// Write {written} here{place}."]
    text = (
        f"{_words(contract)}\n"
        '#include "common.cuh"\n\n'
        f'extern "C" __global__ void {stage}({_joined(contract.parameters)}) {{\n'
        + "".join(f"    {line}\n" for line in lines)
        + "}\n"
    )
    threads = 'threads = "pixel"  # one thread for each; or "row", or a grid as below'
    example = (
        '# grid = ["(width + block_x - 1) / block_x", "(height + block_y - 1) / block_y"]\n'
        '# shared = "4 * block_x * block_y"  # bytes of an array that is extern __shared__\n'
    )
    return NewStage(f"{stage}.cu", text, _table(stage, BLOCKS[axes], threads) + example)


def _joined(parameters: Iterable[str]) -> str:
    """Format the parameters of a function, one per line."""
    return ",\n    ".join(("", *parameters)).removeprefix(",")


def _table(stage: str, block: str, threads: str) -> str:
    return (
        f"[stages.{stage}]\n"
        f'file = "{stage}.cu"\n'
        f'entry = "{stage}"\n'
        f"block = {block}  # threads along x and y\n"
        f"{threads}\n"
    )


def _copied(pipeline: Pipeline, base: str, stage: str) -> NewStage:
    """Copy the base variant's source file of a stage.

    A kernel of one thread per pixel is launched by a grid; the launcher of any other one stays.
    """
    check_base(pipeline, base, [(stage, True)])
    contract = contract_of(pipeline, pipeline.variant(base), stage, as_base=True)
    launcher, text = implementation(contract.base, contract.step), header(file_of(contract))
    generic = contract_of(pipeline, contract.base, stage)
    if isinstance(launcher, PerPixel) and contract.step.name == stage:
        launch = _example(contract)
        macros = [f"#define {name} {value}" for name, value in launch.kernel.defines]
        head, include, rest = text.partition('#include "')
        text = "\n".join((*macros, *([""] * bool(macros)), include)).join((head, rest))
        table = _table(stage, str(list(launch.block)), _grid(dict(launch.kernel.defines)))
        return NewStage(f"{stage}.cu", f"{_words(generic)}//\n{text}", table)
    file = file_of(contract)
    table = (
        f"[stages.{stage}]\n"
        f'file = "{file}"\n'
        f'threads = "base"  # names, grids and arguments of the kernels are those of {base}\n'
    )
    return NewStage(file, f"{_words(generic, as_base=True)}//\n{text}", table)


def _example(contract: StageContract) -> Launch:
    """Return how a base variant launches its one-thread-per-pixel kernel for a small image."""
    pipeline = contract.pipeline
    params, arguments = contract.example()
    images = [
        placeholder(pipeline.image(image.name).shape(64, 64, params), image.dtypes[0])
        for image in contract.images
    ]
    with noted_launches() as noted:
        implementation(contract.base, contract.step)(*images, *arguments)
    return noted[0]


def _grid(defines: dict[str, str]) -> str:
    """Return the line of ``kernel.toml`` that declares the threads or the grid of a kernel."""
    if "PIXELS" not in defines:
        return 'threads = "pixel"  # one thread for each'
    pixels = int(defines["PIXELS"])
    across = f"(width + {pixels} * block_x - 1) / ({pixels} * block_x)"
    return f'grid = ["{across}", "(height + block_y - 1) / block_y"]'


def _in_python(contract: StageContract) -> NewStage:
    """Create an empty Python function for a stage."""
    step = contract.step
    names = ", ".join((*step.reads, *step.writes, *_distinct(step.params, step.writes)))
    words = "\n    ".join(line.rstrip() for line in _specified(step.name)).rstrip()
    text = (
        f'"""Kernel of the stage {step.name} of {contract.pipeline.name}."""\n\n\n'
        f'def {step.name}({names}):\n    """{words}\n    """\n'
        f"    # Write {' and '.join(step.writes)} here: arrays of NumPy, or on a GPU of CuPy.\n"
    )
    table = f'[stages.{step.name}]\nfile = "{step.name}.py"\n'
    return NewStage(f"{step.name}.py", text.replace("\n    \n", "\n\n"), table)


def _distinct(parameters: Iterable[str], images: Iterable[str]) -> Iterator[str]:
    """Yield parameter names; a name that is also an image's gets the suffix ``_parameter``."""
    taken = set(images)
    yield from (f"{name}_parameter" if name in taken else name for name in parameters)


def _specified(stage: str) -> list[str]:
    """List the lines of a stage's specification text, without indentation."""
    first, _, rest = specification(stage).partition("\n")
    return [first, *dedent(rest).rstrip().split("\n")]


def _words(contract: StageContract, *, as_base: bool = False) -> str:
    """Format the specification and the parameters of a stage as a comment."""
    stage = contract.step.name
    lines = [f"Kernel of the stage {stage} of {contract.pipeline.name}.", "", *_specified(stage)]
    if contract.scalars and not as_base:
        lines += ["", "Numbers:"]
    for each in contract.scalars if not as_base else ():
        lines += wrap(f"    {each.name}: {each.meaning}", WIDTH, subsequent_indent=" " * 8)
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)
