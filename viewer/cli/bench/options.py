"""The options of ``bench``, many of which accept several values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.requests import SCENE, SceneOptions, VerbRequest, size_option
from wheatstone.viewer.options import Pipelines, refused_option, text_option
from wheatstone.viewer.parser import check_first
from wheatstone.viewer.run.measuring.options import BenchOptions, once

if TYPE_CHECKING:  # whose import takes long
    from wheatstone.viewer.run.measuring.inputs import GreyPictures

ONE_DEVICE = "bench measures one machine and one GPU: times of several are not comparable"


@dataclass(frozen=True, kw_only=True)
class MeasuredPictures(SceneOptions):
    """Options that select the images on which variants are measured."""

    source: str | None = text_option(
        "picture, folder or video whose first frame is used; the same as LEFT", "FILE"
    )
    size: tuple[tuple[int, int], ...] = size_option(
        "sizes of the scene; default: 640x480", nargs="+", heading=SCENE
    )

    def pictures(self) -> "GreyPictures":
        """Open the images to measure on. Raises ``OSError`` or ``ValueError`` if that fails."""
        from wheatstone.viewer.run.measuring.inputs import GreyPictures

        return GreyPictures(self.left, self.right, self.scene, self.seed, self.size)


@dataclass(frozen=True, kw_only=True)
class BenchRequest(MeasuredPictures, BenchOptions, VerbRequest):
    """The options of ``bench``, which compares variants with the reference, and times them.

    Without pipelines, the variants of all pipelines are measured.
    """

    verb: ClassVar[str] = "bench"
    usage: ClassVar[str] = "wheatstone bench [PIPELINE ...] [LEFT [RIGHT]] [options]"
    epilog: ClassVar[str] = """\
All combinations of options with several values are measured. An option applies to the pipelines
that have it. Exit codes: 0 done; 1 a result differs from the reference, or a regression; 2 bad
input or arguments; 3 this machine cannot run a named variant, or lacks memory for the reference."""
    gpus: None = refused_option(ONE_DEVICE)
    cluster: None = refused_option(ONE_DEVICE)

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Parse the pipeline names at the start of the arguments; also return the others."""
        rest = list(words)
        named = []
        while rest and rest[0] in PIPELINES:
            named.append(rest.pop(0))
        check_first(rest, PIPELINES, "pipeline")
        chosen = tuple(PIPELINES[name] for name in once(named) or PIPELINES)
        return rest, {"pipelines": chosen}, chosen

    def __post_init__(self) -> None:
        """Set ``left`` to the value of ``--source``. Raises ``ValueError`` if both are given."""
        if self.source and self.left and self.source != self.left:
            raise ValueError(f"--source is the same as LEFT: give one (got {self.left})")
        object.__setattr__(self, "left", self.source or self.left)
