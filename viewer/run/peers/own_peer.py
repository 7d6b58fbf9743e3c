"""Create variants of ``sgm`` from networks and programs that the user names.

--variant onnx:raft.onnx
--variant "cmd:./match.py {left} {right} {out}"
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self

from wheatstone.gpu.image import Float32
from wheatstone.gpu.own_variants import TIME_LIMIT, OwnVariant, note_declared
from wheatstone.gpu.peers.command import ExternalProgram
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.peers.network import StereoNetwork
from wheatstone.gpu.peers.runtime import network_device
from wheatstone.gpu.pipeline import Stage, Variant
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.inputs import COLOURS
from wheatstone.gpu.pipelines.sgm.variants import PEER_COVERS, PEER_IGNORES
from wheatstone.gpu.stage import nothing
from wheatstone.viewer.io.files.journal import fingerprint
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.io.sources.value_files import read_values

PIPELINE = "sgm"
PACKAGES = {"cpu": "wheatstone.gpu.peers", "cuda": "wheatstone.gpu.kernels"}
"""What computes the stages around a network, by the device that holds its tensors."""
Names = tuple[str, ...]


def card_of(path: Path) -> Path:
    """Return the path of the TOML file that describes a network, next to the network's file."""
    return path.with_name(f"{path.name}.toml")


@dataclass(frozen=True)
class OwnModel:
    """A stereo network named by the user, with its description and digest at reading time.

    Attributes:
        variant: name of the variant: ``onnx:`` and the file as the user wrote it.
        path: of the file; another process opens it there.
        card: what it takes and gives.
        content: fingerprint of the file.
    """

    variant: str
    path: Path
    card: ModelCard
    content: str
    pipeline: str = PIPELINE

    @classmethod
    def read(cls, name: str) -> Self:
        """Read the description of a network, and open the network to check it.

        Raises:
            OSError: a file is missing or cannot be read.
            ValueError: one is damaged, or they do not fit each other.
            Unavailable: ONNX Runtime is not installed.
        """
        if not (file := name.partition(":")[2]):
            raise ValueError("onnx: needs the file of a network, such as onnx:raft.onnx")
        path = Path(file)
        with open_regular(path):
            pass
        if not card_of(path).exists():
            raise ValueError(
                f"{path}: a description is missing: `wheatstone model probe {path}` writes "
                f"{card_of(path)}"
            )
        card = read_document(card_of(path), ModelCard)
        own = cls(name, path.resolve(), card, fingerprint(path))
        _network(own)
        return own

    @property
    def digest(self) -> str:
        """Compute a digest of the network's file and its description."""
        return sha256(repr((self.content, self.card)).encode()).hexdigest()

    def declare(self) -> None:
        """Add the network as a variant; it is opened at its first computation."""

        def step(name: str, reads: Names, writes: Names, params: Names, help: str) -> Stage:
            return Stage(name, reads, writes, params, covers=PEER_COVERS, help=help)

        steps = (
            step("network_input", tuple(COLOURS), (), (), "Convert both views for the network."),
            step("network", (), (), (), "Compute the network."),
            step("network_output", (), ("guided",), ("min_disparity",), "Convert its disparities."),
        )
        functions: Mapping[str, Callable[..., None]] = {
            "network_input": lambda left, right: _network(self).prepare(left, right),
            "network": lambda: _network(self).infer(),
            "network_output": lambda out, least: _network(self).finish(out, least),
        }
        help, device = f"The network in {self.path.name}.", network_device()
        _declare(self, help, steps, functions, self.remark, device)

    def remark(self, params: Any, height: int, width: int) -> str:
        """Return a text with the runtime, the file size and the memory use of the network."""
        return _network(self).description


@lru_cache(maxsize=4)
def _network(own: OwnModel) -> StereoNetwork:
    """Open a network; each is opened once per process."""
    return StereoNetwork(own.path, own.card)


@dataclass(frozen=True)
class OwnProgram:
    """A program that the user named, which computes disparities from image files.

    Attributes:
        variant: name of the variant: ``cmd:`` and the command.
        seconds: its time limit for one pair.
        remedy: end of the message about a program that exceeds it: how to change the limit.
    """

    variant: str
    seconds: float = TIME_LIMIT
    remedy: str = ""
    pipeline: str = PIPELINE

    @property
    def digest(self) -> str:
        """Compute a digest of the command; the program's own files are not covered."""
        return sha256(self.variant.encode()).hexdigest()

    def declare(self) -> None:
        """Add the user's program as a variant of ``sgm``.

        Raises:
            ValueError: the command does not say where it reads and writes.
        """
        command = self.variant.partition(":")[2]
        program = ExternalProgram(command, read_disparity, self.seconds, self.remedy)
        step = Stage(
            "program",
            tuple(COLOURS),
            ("guided",),
            ("min_disparity",),
            covers=PEER_COVERS,
            help="Run a program on files of both views, and read what it writes.",
        )
        help = f"The program {program.words[0]}, which reads and writes files."
        _declare(self, help, (step,), {step.name: program.match})


def read_disparity(path: Path, shape: tuple[int, int]) -> Float32:
    """Read disparities in pixels from PFM, NPY, TIFF or KITTI's 16-bit PNG (1/256 pixel)."""
    return read_values(path, expected=shape).pixels


def _declare(
    own: OwnVariant,
    help: str,
    steps: tuple[Stage, ...],
    functions: Mapping[str, Callable[..., None]],
    remark: Callable[[Any, int, int], str] = nothing,
    device: Literal["cpu", "cuda"] = "cpu",
) -> None:
    """Add a network or a program to its pipeline as a variant, and record the declaration."""
    variant = Variant(
        own.variant,
        device,
        PACKAGES[device],
        help,
        fused=steps,
        peer=True,
        recorded=False,
        ignores=PEER_IGNORES,
        functions=functions,
        inputs=tuple(COLOURS),
        remark=remark,
    )
    PIPELINES[own.pipeline].add_variant(variant)
    note_declared(own)


NETWORKS = "onnx:"
KINDS: Mapping[str, Callable[[str], OwnVariant]] = {NETWORKS: OwnModel.read, "cmd:": OwnProgram}
"""What makes a variant of a name, by the name's beginning."""


def declare_peers(names: Iterable[str], seconds: float = TIME_LIMIT, remedy: str = "") -> None:
    """Add the networks and programs with the given names as variants.

    Args:
        seconds, remedy: the time limit of programs; see ``OwnProgram``.

    Raises:
        OSError, ValueError, Unavailable: as ``OwnModel.read`` and ``OwnProgram.declare``.
    """
    for name in dict.fromkeys(names):
        own = read_peer(name)
        if isinstance(own, OwnProgram):
            own = replace(own, seconds=seconds, remedy=remedy)
        own.declare()


def read_peer(name: str) -> OwnVariant:
    """Read the network or program with a given name, without adding its variant.

    Raises:
        OSError, ValueError, Unavailable: as ``OwnModel.read`` and ``OwnProgram.declare``.
    """
    make = next((make for start, make in KINDS.items() if name.startswith(start)), None)
    if make is None:
        raise ValueError(f"a name begins with {' or '.join(KINDS)} (got {name!r})")
    return make(name)


def peer(name: str, seconds: float = TIME_LIMIT) -> str:
    """Create a variant of ``sgm`` from a network or a program; return its name.

        run = ws.Run("sgm", variant=ws.peer("onnx:raft.onnx"))

    Args:
        name: ``onnx:FILE``, described by ``FILE.toml``; or ``cmd:PROGRAM {left} {right} {out}``.
        seconds: the time limit of a program for one pair.

    Raises:
        OSError, ValueError: a file is missing or damaged, or the command incomplete.
        Unavailable: ONNX Runtime is not installed.
    """
    declare_peers([name], seconds)
    return name
