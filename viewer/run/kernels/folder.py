"""Read a folder with the user's own kernels: ``kernel.toml`` and the files that it names.

name = "my-census"
pipeline = "sgm"
base = "global"

[stages.census_transform]
file = "census_transform.cu"
entry = "census_transform"
block = [32, 8]
threads = "pixel"
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

from wheatstone.gpu.kernels.programs import header, with_headers
from wheatstone.gpu.own_kernels.contract import FILE, OwnKernels, OwnStage
from wheatstone.gpu.own_kernels.variant import declare
from wheatstone.gpu.own_variants import own_variant
from wheatstone.viewer.io.reading.documents import read_document, read_text
from wheatstone.viewer.run.kernels.new import DOCUMENT

MOST_STAGES = 32
_loaded: list["KernelFolder"] = []


@dataclass(frozen=True)
class StageTable:
    """The settings of a stage's kernel in ``kernel.toml``.

    Attributes:
        file: name of the CUDA or Python file in the folder.
        entry: name of the ``__global__`` function, or of the Python function; empty: the stage's.
        block: threads of a block along x, y and z.
        threads: ``pixel`` or ``row``: one thread for each; ``base``: the launches are those of the
            base variant, whose file this one replaces.
        grid: blocks along each axis, in place of ``threads``, as expressions of sizes, parameters
            and the block.
        shared: bytes of dynamic shared memory, as such an expression.
    """

    file: str
    entry: str = ""
    block: tuple[int, ...] = (32, 8)
    threads: Literal["", "pixel", "row", "base"] = ""
    grid: tuple[str, ...] = ()
    shared: str = "0"


@dataclass(frozen=True)
class KernelDocument:
    """The contents of the file ``kernel.toml`` in a kernel folder.

    Attributes:
        name: of the variant that the kernels make: letters, digits, - and _.
        pipeline: name of the pipeline.
        base: the CUDA variant that computes all other stages, and declares the types of images.
        stages: a table for each stage, such as ``[stages.median_filter]``.
        hide: whether the program's own variants of the pipeline, except the reference, are offered
            nowhere.
    """

    name: str
    pipeline: str
    base: str
    stages: Mapping[str, StageTable] = field(default_factory=dict)
    hide: bool = False

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if the document names no stage, or too many."""
        if not 1 <= len(self.stages) <= MOST_STAGES:
            raise ValueError(f"stages: give 1 to {MOST_STAGES} tables (got {len(self.stages)})")


@dataclass(frozen=True)
class KernelFolder:
    """A folder with the user's own kernels, with the contents at the time of reading.

    Attributes:
        path: the folder.
        kernels: what the folder declares, with the text of its files.
        files: every file that was read; a change of one changes the kernels.
    """

    path: Path
    kernels: OwnKernels
    files: tuple[Path, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the folder of kernels at a path.

        Raises:
            OSError: a file is missing, no regular file, or cannot be read.
            ValueError: a file is damaged or declares no variant; the message names file and reason.
        """
        document = path / DOCUMENT
        declared = read_document(document, KernelDocument)
        files = [document]
        stages = tuple(_stage(path, name, table, files) for name, table in declared.stages.items())
        kernels = OwnKernels(
            declared.name, declared.pipeline, declared.base, stages, hide=declared.hide
        )
        try:
            kernels.check()
        except ValueError as error:
            raise ValueError(f"{document}: {error}") from error
        return cls(path, kernels, tuple(dict.fromkeys(files)))


def _stage(folder: Path, name: str, table: StageTable, files: list[Path]) -> OwnStage:
    """Read a stage's source file and the headers that it includes; add the paths to ``files``."""
    if not FILE.fullmatch(table.file):
        raise ValueError(
            f"{folder / DOCUMENT}: stages.{name}: the file is a name with .cu or .py in the folder "
            f"(got {table.file!r})"
        )
    file = folder / table.file
    files.append(file)
    text = read_text(file)

    def read(name: str) -> str:
        """Read a header from the folder, or else from the program's own headers."""
        own = folder / name
        if own.is_file():
            files.append(own)
            return read_text(own)
        try:
            return header(name)
        except OSError:
            raise ValueError(f"{file}: there is no header {name}, here or built in") from None

    if table.file.endswith(".cu"):
        text = with_headers(table.file, text, read)
    threads = table.threads or ("custom" if table.grid else "pixel")
    entry = table.entry or name
    return OwnStage(name, table.file, text, entry, table.block, threads, table.grid, table.shared)


def declare_variant(folder: KernelFolder, version: int = 0) -> str:
    """Add a kernel folder's variant to its pipeline, or replace it; return the variant's name.

    Args:
        version: number of a saved state, which makes ``NAME@3``; 0: ``NAME``, the newest state.

    Raises:
        ValueError: as ``KernelFolder.read``.
    """
    kernels = replace(folder.kernels, version=version)
    declare(kernels)
    return kernels.variant


def declare_folders(folders: Iterable[Path]) -> None:
    """Read folders of kernels, and add the variant of each to its pipeline.

    Raises:
        OSError, ValueError: as ``KernelFolder.read``, or two folders have the same name.
    """
    names: dict[tuple[str, str], Path] = {}
    for path in folders:
        folder = KernelFolder.read(path)
        key = (folder.kernels.pipeline, folder.kernels.name)
        if names.setdefault(key, path) != path:
            raise ValueError(f"{path} and {names[key]} are both named {folder.kernels.name!r}")
        declare_variant(folder)
        _loaded.append(folder)


def loaded_folders() -> list[KernelFolder]:
    """List the folders that ``declare_folders`` read and whose variants still exist."""
    named = {(each.kernels.pipeline, each.kernels.name): each for each in _loaded}
    return [folder for key, folder in named.items() if own_variant(*key)]
